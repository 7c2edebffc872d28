import type { KindInfo } from "../../client/kinds/kind.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Json, KubeObject } from "../../model/core.js";
import type { Api } from "../../server/index.js";

/** The end of a repetition: every object by its name, and the outside world. */
export interface Snapshot {
  readonly objects: Readonly<Record<string, Json>>;
  readonly world: Json;
}

/** These tell how something came about, and that is what differs. */
const leftOut = new Set(["Event", "Lease", "CustomResourceDefinition"]);

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export async function takeSnapshot(
  api: Api,
  transport: Transport,
  world: unknown,
  normalize: (object: KubeObject) => unknown = (object) => object,
): Promise<Snapshot> {
  const found: KubeObject[] = [];
  for (const { group, version, kind, plural, namespaced, verbs } of api.registry.types.distinct) {
    if (leftOut.has(kind) || !verbs.includes("list")) continue;
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const info: KindInfo = { apiVersion, kind, plural, scope: namespaced ? "Namespaced" : "Cluster" };
    found.push(...(await transport.list(info, {})).items);
  }
  const names = new Map(found.map((object) => [object.metadata.uid ?? "", nameOf(object)]));
  const objects: Record<string, Json> = {};
  for (const object of found) {
    const kept = normalize(object);
    if (kept === undefined) continue;
    // Two whose names the server made up differ by a number here.
    const name = nameOf(object);
    let key = name;
    for (let number = 2; key in objects; number++) key = `${name} (${number})`;
    objects[key] = cleaned(kept, names) as Json;
  }
  return { objects, world: cleaned(world, names) as Json };
}

/** Names that the server made up are not the same twice. */
function nameOf({ kind, metadata }: KubeObject): string {
  const { namespace = "", name = "", generateName } = metadata;
  const known = generateName !== undefined && name.startsWith(generateName) ? `${generateName}*` : name;
  return `${kind} ${namespace === "" ? "" : `${namespace}/`}${known}`;
}

const volatile = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "observedGeneration",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);

/** What can be compared: no versions and uids, times only as being there, and uids elsewhere as whose they are. */
function cleaned(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    if (time.test(value)) return "(a time)";
    const name = names.get(value);
    return name === undefined ? value : `(uid of ${name})`;
  }
  if (value instanceof Date) return "(a time)";
  if (value instanceof Map) return cleaned(Object.fromEntries(value), names);
  if (value instanceof Set) return cleaned([...value], names);
  if (Array.isArray(value)) return value.map((item) => cleaned(item ?? null, names));
  if (typeof value !== "object" || value === null) return value;
  const { metadata } = value as { metadata?: { name?: string; generateName?: string } };
  const made = metadata?.generateName !== undefined;
  const fields = Object.entries(value)
    .filter(([name, field]) => field !== undefined && !volatile.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, cleaned(field, names)] as const);
  const clean = Object.fromEntries(fields) as Record<string, unknown>;
  if (made) clean["metadata"] = { ...(clean["metadata"] as object), name: `${metadata.generateName}*` };
  return clean;
}
