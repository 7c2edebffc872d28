import type { AnyKind, KindReference } from "../../client/kinds/kind.js";
import { duration, parseApiVersion, parseLabelSelector, type Duration } from "../../model/core.js";
import type { PeerConflict } from "./conflicts.js";

export const mergePolicies = ["newest-wins", "source-wins", "field-managers"] as const;

/**
 * Rule for objects that differ. `newest-wins`: the later edit, whoever made it. `source-wins`: a copy is always as at its source.
 * `field-managers`: each plane keeps the fields that its own managers own.
 */
export type MergePolicy = (typeof mergePolicies)[number];

/** Selection of the objects to pull, and the rules for it. */
export interface PullOptions {
  /** Kinds: `"demo.dev/v1/Site"`, or what `resource()` returns. */
  readonly kinds?: readonly AnyKind[] | undefined;
  /** Rule for objects that differ. Default: `newest-wins`. */
  readonly merge?: MergePolicy | undefined;
  /** Pulls the status, too: for kinds that no controller reconciles here. Default: false. */
  readonly status?: boolean | undefined;
}

/** Another plane or Kubernetes cluster whose objects are pulled. */
export interface PeerOptions extends PullOptions {
  /** Name in logs, metrics and field managers: lower-case letters, digits, `-` and `.`. Default: `peer-1`, `peer-2` and so on. */
  readonly name?: string | undefined;
  /** Path of a kubeconfig. It is read when the peer is connected to, so it may be created later. */
  readonly kubeconfig?: string | undefined;
  /** Context of the kubeconfig. Default: the current one. */
  readonly context?: string | undefined;
  /** URL of the API, instead of a kubeconfig. */
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  /** File with the token, which may be rotated. */
  readonly tokenFile?: string | undefined;
  /** CA certificates in PEM. */
  readonly ca?: string | undefined;
  readonly caFile?: string | undefined;
  /** Namespaces to pull from. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Label selector, such as `region=eu,tier!=test`. Default: all objects. */
  readonly selector?: string | undefined;
  /** Only `pull`: each plane changes its own objects. For both directions, each plane has the other as a peer. */
  readonly direction?: "pull" | undefined;
}

/** Options of the synchronisation with peers. `kinds`, `merge` and `status` are defaults for peers that have none. */
export interface PeersOptions extends PullOptions {
  readonly peers: readonly PeerOptions[];
  /** Interval at which all objects are compared, besides the changes that are watched. Default: 10s. */
  readonly syncInterval?: Duration | undefined;
  /** Objects of one peer that are written at the same time. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Called for each conflict, besides the event `peer.conflict`. */
  readonly onConflict?: ((conflict: PeerConflict) => void) | undefined;
}

/** Validated options of one peer. */
export interface PeerSettings extends Omit<PeerOptions, "kinds" | "direction"> {
  readonly name: string;
  readonly kinds: readonly KindReference[];
  readonly merge: MergePolicy;
  readonly status: boolean;
}

/** Validated options of the synchronisation. */
export interface PeersSettings {
  readonly peers: readonly PeerSettings[];
  /** Milliseconds. */
  readonly syncInterval: number;
  readonly concurrency: number;
}

/** Kinds whose copies would take other objects with them when they are deleted. */
const refusedKinds: ReadonlyMap<string, string> = new Map([
  ["v1/Namespace", "namespaces are created as needed and never deleted"],
  [
    "apiextensions.k8s.io/v1/CustomResourceDefinition",
    "every plane registers its own definitions, and deleting one deletes all objects of the kind",
  ],
]);

const validName = /^[a-z0-9]([-.a-z0-9]{0,61}[a-z0-9])?$/;
const maxConcurrency = 100;

/** @throws {TypeError} that names the peer and the option. */
export function peersSettings({
  peers,
  syncInterval = "10s",
  concurrency = 4,
  ...defaults
}: PeersOptions): PeersSettings {
  const interval = duration(syncInterval);
  if (!(interval >= 100))
    throw new TypeError(`peers: syncInterval must be at least 100ms, not ${syncInterval}`);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency) {
    throw new TypeError(
      `peers: concurrency must be an integer from 1 to ${maxConcurrency}, not ${concurrency}`,
    );
  }
  const settings = peers.map((peer, index) => peerSettings(peer, index, defaults));
  for (const [index, { name }] of settings.entries()) {
    if (settings.findIndex((other) => other.name === name) !== index) {
      throw new TypeError(`peers: two peers are named ${JSON.stringify(name)}; give each a name of its own`);
    }
  }
  return { peers: settings, syncInterval: interval, concurrency };
}

function peerSettings(peer: PeerOptions, index: number, defaults: PullOptions): PeerSettings {
  const { name = `peer-${index + 1}`, direction = "pull", ...rest } = peer;
  const fail = (problem: string): never => {
    throw new TypeError(`peer ${JSON.stringify(name)}: ${problem}`);
  };
  if (!validName.test(name)) {
    fail(
      "its name must have 1 to 63 lower-case letters, digits, - and ., and begin and end with a letter or digit",
    );
  }
  // Configurations may have other values than the type allows.
  if ((direction as string) !== "pull") {
    fail(
      `direction ${JSON.stringify(direction)} is not supported; instead, make this plane a peer of the other, which pulls then`,
    );
  }
  checkAddress(rest, fail);
  const { kinds = defaults.kinds ?? [], merge = defaults.merge ?? "newest-wins" } = rest;
  if (kinds.length === 0) fail('kinds is missing: name the kinds to pull, such as "demo.dev/v1/Site"');
  if (!mergePolicies.includes(merge)) {
    fail(`merge must be ${mergePolicies.join(", ")}, not ${JSON.stringify(merge)}`);
  }
  if (rest.selector !== undefined) {
    try {
      parseLabelSelector(rest.selector);
    } catch (error) {
      fail(
        `selector ${JSON.stringify(rest.selector)}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  const references = kinds.map((kind) => kindReference(kind, fail));
  return { ...rest, name, kinds: unique(references), merge, status: rest.status ?? defaults.status ?? false };
}

function checkAddress(
  { kubeconfig, context, server, token, tokenFile, ca, caFile }: PeerOptions,
  fail: (problem: string) => never,
): void {
  if ((kubeconfig === undefined) === (server === undefined)) {
    fail(
      kubeconfig === undefined
        ? "kubeconfig or server is missing"
        : "kubeconfig and server contradict each other",
    );
  }
  if (kubeconfig !== undefined && [token, tokenFile, ca, caFile].some((each) => each !== undefined)) {
    fail("token and ca belong to server; a kubeconfig has its own");
  }
  if (server !== undefined && context !== undefined) fail("context belongs to kubeconfig");
  if (token !== undefined && tokenFile !== undefined) fail("token and tokenFile contradict each other");
  if (ca !== undefined && caFile !== undefined) fail("ca and caFile contradict each other");
  if (server !== undefined && !/^https?:\/\//.test(server)) {
    fail(`server ${JSON.stringify(server)} must be a URL, such as https://127.0.0.1:7700`);
  }
}

function kindReference(kind: AnyKind, fail: (problem: string) => never): KindReference {
  const { apiVersion, kind: name } = typeof kind === "string" ? splitKind(kind) : kind;
  const isValid = parseApiVersion(apiVersion)?.version && /^[A-Z][A-Za-z0-9]*$/.test(name);
  const text = `${apiVersion}/${name}`;
  if (!isValid) {
    fail(
      `kind ${JSON.stringify(typeof kind === "string" ? kind : text)} must be like "demo.dev/v1/Site" or "v1/ConfigMap"`,
    );
  }
  const why = refusedKinds.get(text);
  if (why !== undefined) fail(`${text} cannot be pulled: ${why}`);
  return { apiVersion, kind: name };
}

function splitKind(text: string): KindReference {
  const slash = text.lastIndexOf("/");
  return { apiVersion: text.slice(0, Math.max(0, slash)), kind: text.slice(slash + 1) };
}

function unique(kinds: readonly KindReference[]): readonly KindReference[] {
  return [...new Map(kinds.map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind])).values()];
}
