import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Json, KubeObject } from "../../model/core.js";
import type { Api } from "../../server/index.js";
import { comparable } from "./comparable.js";

/** State at the end of a run: every object by name, and the outside world. */
export interface Snapshot {
  readonly objects: Readonly<Record<string, Json>>;
  readonly world: Json;
}

export interface SnapshotOptions {
  readonly api: Api;
  readonly transport: Transport;
  /** Names of all objects by uid, including deleted ones. */
  readonly owners: ReadonlyMap<string, string>;
  readonly world: unknown;
  readonly normalize?: ((object: KubeObject) => unknown) | undefined;
}

/** Kinds that record how a state was reached, which differs between runs. */
const ignoredKinds = new Set(["Event", "Lease", "CustomResourceDefinition"]);

export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { api, transport, owners, world, normalize = (object) => object } = options;
  const found: KubeObject[] = [];
  for (const { group, version, kind, plural, namespaced, verbs } of api.registry.types.distinct) {
    if (ignoredKinds.has(kind) || !verbs.includes("list")) continue;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const info: KindInfo = { apiVersion, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
    found.push(...(await transport.list(info, {})).items);
  }
  const standsFor = replacementsOf(found, owners);
  const kept = found
    .map((object) => [snapshotName(object), normalize(object)] as const)
    .filter(([, object]) => object !== undefined)
    .map(([name, object]) => [name, comparable(withoutVersions(object), standsFor)] as const);
  return { objects: numbered(kept), world: comparable(world, standsFor) };
}

/** Replacements for strings that differ between runs: uids and generated names. */
function replacementsOf(
  found: readonly KubeObject[],
  owners: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const replacements = new Map<string, string>();
  for (const [uid, name] of owners) replacements.set(uid, `(uid of ${name}, which was deleted)`);
  for (const object of found) {
    const { uid = "", name = "" } = object.metadata;
    replacements.set(uid, `(uid of ${snapshotName(object)})`);
    if (isGenerated(object)) replacements.set(name, stableName(object));
  }
  return replacements;
}

/** Numbers objects with equal names (of which the generated part is omitted), in the order of their content. */
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

/** Name of an object in a snapshot: `Site default/a`, or `ConfigMap default/a-*` if it was generated. */
export function snapshotName(object: KubeObject): string {
  const { namespace = "" } = object.metadata;
  return `${object.kind} ${namespace === "" ? "" : `${namespace}/`}${stableName(object)}`;
}

/** Name without its generated part, which differs between runs. */
function stableName(object: KubeObject): string {
  const { name = "", generateName = "" } = object.metadata;
  return isGenerated(object) ? `${generateName}*` : name;
}

function isGenerated({ metadata: { name = "", generateName } }: KubeObject): boolean {
  return generateName !== undefined && name !== generateName && name.startsWith(generateName);
}

/** Fields of the server that depend on how a state was reached. Fields of the same names elsewhere belong to users. */
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
