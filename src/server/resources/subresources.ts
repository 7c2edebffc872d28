import type { ResourceType, Subresource, Verb } from "./resource-type.js";

/** Subresource and the kind of its body. */
export interface SubresourceInfo {
  readonly name: Subresource;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

interface Description {
  readonly verbs: readonly Verb[];
  /** Kind of the body; default: the object's own. */
  readonly body?: { readonly group: string; readonly version: string; readonly kind: string } | undefined;
  /** Responses can be converted to a Table. */
  readonly table?: true | undefined;
  /** The subresource is a connection to a running pod, and this is missing because none runs. */
  readonly needsRunningPod?: string | undefined;
}

const readAndWrite: readonly Verb[] = ["get", "patch", "update"];
const connect: readonly Verb[] = ["create", "get"];

/** Kind of all `scale` subresources. */
const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

const descriptions: Readonly<Record<Subresource, Description>> = {
  attach: {
    verbs: connect,
    body: core("PodAttachOptions"),
    needsRunningPod: "there is no process to attach to",
  },
  binding: { verbs: ["create"], body: core("Binding") },
  ephemeralcontainers: { verbs: readAndWrite },
  eviction: { verbs: ["create"], body: { group: "policy", version: "v1", kind: "Eviction" } },
  exec: {
    verbs: connect,
    body: core("PodExecOptions"),
    needsRunningPod: "there is no container to run a command in",
  },
  finalize: { verbs: ["update"] },
  log: { verbs: ["get"], needsRunningPod: "there are no logs" },
  portforward: {
    verbs: connect,
    body: core("PodPortForwardOptions"),
    needsRunningPod: "there is no port to forward to",
  },
  scale: { verbs: readAndWrite, body: scaleKind, table: true },
  status: { verbs: readAndWrite, table: true },
};

function core(kind: string): Description["body"] {
  return { group: "", version: "v1", kind };
}

const names = Object.keys(descriptions) as readonly Subresource[];

export function isSubresource(name: string): name is Subresource {
  return Object.hasOwn(descriptions, name);
}

/** Subresources of a kind, sorted by name. */
export function subresourcesOf(type: ResourceType): readonly SubresourceInfo[] {
  return names
    .filter((name) => type.subresources[name] !== undefined)
    .map((name) => {
      const { group, version, kind } = bodyOf(type, name);
      return { name, verbs: descriptions[name].verbs, group, version, kind };
    });
}

/** Kind of the objects that are sent to a resource or subresource. */
export function bodyOf(
  { group, version, kind }: Pick<ResourceType, "group" | "version" | "kind">,
  subresource: Subresource | undefined,
): { readonly group: string; readonly version: string; readonly kind: string } {
  const body = subresource && descriptions[subresource].body;
  return body ?? { group, version, kind };
}

export function verbsOf(subresource: Subresource): readonly Verb[] {
  return descriptions[subresource].verbs;
}

/** Responses can be converted to a Table. Access reviews and some subresources have none. */
export function hasTable(type: ResourceType, subresource: string | undefined): boolean {
  if (type.answer !== undefined) return false;
  if (subresource === undefined || !isSubresource(subresource)) return true;
  return descriptions[subresource].table === true;
}

/** What is missing because no pod runs, for subresources that are connections to one. */
export function needsRunningPod(subresource: Subresource | undefined): string | undefined {
  return subresource && descriptions[subresource].needsRunningPod;
}
