import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Json, KubeObject } from "../../model/core.js";
import type { Api } from "../../server/index.js";
import { comparable } from "./comparable.js";

/** The end of a repetition: every object by its name, and the outside world. */
export interface Snapshot {
  readonly objects: Readonly<Record<string, Json>>;
  readonly world: Json;
}

export interface SnapshotOptions {
  readonly api: Api;
  readonly transport: Transport;
  /** Whose uids there have been: some are of objects that are gone. */
  readonly owners: ReadonlyMap<string, string>;
  readonly world: unknown;
  readonly normalize?: ((object: KubeObject) => unknown) | undefined;
}

/** These tell how something came about, and that is what differs. */
const leftOut = new Set(["Event", "Lease", "CustomResourceDefinition"]);

export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { api, transport, owners, world, normalize = (object) => object } = options;
  const found: KubeObject[] = [];
  for (const { group, version, kind, plural, namespaced, verbs } of api.registry.types.distinct) {
    if (leftOut.has(kind) || !verbs.includes("list")) continue;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const info: KindInfo = { apiVersion, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
    found.push(...(await transport.list(info, {})).items);
  }
  const standsFor = meaningsOf(found, owners);
  const kept = found
    .map((object) => [snapshotName(object), normalize(object)] as const)
    .filter(([, object]) => object !== undefined)
    .map(([name, object]) => [name, comparable(withoutVersions(object), standsFor)] as const);
  return { objects: numbered(kept), world: comparable(world, standsFor) };
}

/** What stands for itself only in one repetition: uids, and names that the server made up. */
function meaningsOf(
  found: readonly KubeObject[],
  owners: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>();
  for (const [uid, name] of owners) meanings.set(uid, `(uid of ${name}, which is gone)`);
  for (const object of found) {
    const { uid = "", name = "" } = object.metadata;
    meanings.set(uid, `(uid of ${snapshotName(object)})`);
    if (isMadeUp(object)) meanings.set(name, knownName(object));
  }
  return meanings;
}

/** Several whose names the server made up differ by a number, in the order of what they are. */
function numbered(objects: readonly (readonly [string, Json])[]): Record<string, Json> {
  const all: Record<string, Json> = {};
  const text = ([, object]: readonly [string, Json]): string => JSON.stringify(object);
  for (const [name, object] of objects.toSorted((a, b) => (text(a) < text(b) ? -1 : 1))) {
    let key = name;
    for (let number = 2; key in all; number++) key = `${name} (${number})`;
    all[key] = object;
  }
  return all;
}

/** `Site default/a`, or `ConfigMap default/a-*` where the server made up the name. */
export function snapshotName(object: KubeObject): string {
  const { namespace = "" } = object.metadata;
  return `${object.kind} ${namespace === "" ? "" : `${namespace}/`}${knownName(object)}`;
}

/** Names that the server made up are not the same twice. */
function knownName(object: KubeObject): string {
  const { name = "", generateName = "" } = object.metadata;
  return isMadeUp(object) ? `${generateName}*` : name;
}

function isMadeUp({ metadata: { name = "", generateName } }: KubeObject): boolean {
  return generateName !== undefined && name !== generateName && name.startsWith(generateName);
}

/** What the server says of how an object came about. What users call the same, elsewhere, is theirs. */
const versions = {
  metadata: ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"],
  owner: ["uid"],
  status: ["observedGeneration"],
  condition: ["observedGeneration"],
} as const;

function withoutVersions(value: unknown): unknown {
  if (!isPlain(value)) return value;
  const { metadata, status } = value;
  return {
    ...value,
    ...(isPlain(metadata) && {
      metadata: {
        ...without(metadata, versions.metadata),
        ownerReferences: each(metadata["ownerReferences"], versions.owner),
      },
    }),
    ...(isPlain(status) && {
      status: {
        ...without(status, versions.status),
        conditions: each(status["conditions"], versions.condition),
      },
    }),
  };
}

function each(list: unknown, names: readonly string[]): unknown {
  return Array.isArray(list)
    ? list.map((item: unknown) => (isPlain(item) ? without(item, names) : item))
    : list;
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

type Fields = Readonly<Record<string, unknown>>;

function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
