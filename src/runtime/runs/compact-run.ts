import type { Json, JsonObject, KubeObject } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import { jsonEqual } from "../../model/object/json.js";
import { comparableVersions, withoutSecrets } from "../log/secrets.js";
import type { Run, WriteRecord } from "./run.js";

/**
 * Reduces a run to what is worth storing: of objects before and after a write only the fields that differ, and no contents
 * of Secrets. Differences between `before` and `after` stay the same, so that a stored run reads like the original.
 */
export function compactRun(run: Run): Run {
  return { ...run, writes: run.writes.map(compactWrite) };
}

export function compactWrite(write: WriteRecord): WriteRecord {
  const { verb, kind, namespace, name, subresource, at, before, after, error } = write;
  const sent = sentOf(write);
  const isCompared = error === undefined && sent === undefined && !verb.startsWith("delete");
  const [from, to] = isCompared ? comparableVersions(before, after) : [undefined, undefined];
  const content = differences(from, to, identity);
  const metadata = differences(metadataOf(from), metadataOf(to), bookkeeping);
  return {
    verb,
    kind: { apiVersion: kind.apiVersion, kind: kind.kind, plural: kind.plural, scope: kind.scope },
    namespace,
    name,
    subresource,
    at,
    before: before && withIdentity(before, content.before, metadata.before),
    after: after && withIdentity(after, content.after, metadata.after),
    sent,
    error,
  };
}

/** Body of a write whose object was not known before; of a Secret which entries it has, not their contents. */
export function sentOf({ kind, sent }: Pick<WriteRecord, "kind" | "sent">): Json | undefined {
  if (kind.kind !== "Secret" || sent === undefined) return sent as Json | undefined;
  return isJsonObject(sent as Json)
    ? (withoutSecrets({ ...(sent as JsonObject), kind: "Secret" }) as Json)
    : "[hidden]";
}

/** Parts of an object that are not compared field by field. */
const identity = new Set(["apiVersion", "kind", "metadata"]);
/** Metadata that is stored with every object, or that every write changes. */
const bookkeeping = new Set([
  "name",
  "namespace",
  "resourceVersion",
  "managedFields",
  "generation",
  "creationTimestamp",
  "uid",
  "selfLink",
]);
const none: ReadonlySet<string> = new Set();

/** Objects that are nested deeper are compared as a whole. */
const maxDepth = 32;

interface Differences {
  /** Undefined when nothing was removed or changed. */
  readonly before?: JsonObject | undefined;
  /** Undefined when nothing was added or changed. */
  readonly after?: JsonObject | undefined;
}

/** Fields that differ between two objects, down to the deepest objects that have a counterpart; lists are kept whole. */
function differences(
  before: Json | undefined,
  after: Json | undefined,
  ignored = none,
  depth = 0,
): Differences {
  const [from, to] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}];
  const removed: [string, Json][] = [];
  const added: [string, Json][] = [];
  for (const name of Object.keys(from)) {
    const old = from[name];
    const now = Object.hasOwn(to, name) ? to[name] : undefined;
    if (old === undefined || old === now || ignored.has(name)) continue;
    if (now === undefined) {
      removed.push([name, old]);
    } else if (isJsonObject(old) && isJsonObject(now) && depth < maxDepth) {
      const inner = differences(old, now, none, depth + 1);
      if (inner.before === undefined && inner.after === undefined) continue;
      removed.push([name, inner.before ?? {}]);
      added.push([name, inner.after ?? {}]);
    } else if (!jsonEqual(old, now)) {
      removed.push([name, old]);
      added.push([name, now]);
    }
  }
  for (const name of Object.keys(to)) {
    const now = to[name];
    if (now !== undefined && !Object.hasOwn(from, name) && !ignored.has(name)) added.push([name, now]);
  }
  return { before: objectOf(removed), after: objectOf(added) };
}

function objectOf(fields: readonly [string, Json][]): JsonObject | undefined {
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function metadataOf(object: Json | undefined): Json | undefined {
  return isJsonObject(object) ? object["metadata"] : undefined;
}

function withIdentity(
  { apiVersion, kind, metadata: { name, namespace, resourceVersion } }: KubeObject,
  content: JsonObject | undefined,
  metadata: JsonObject | undefined,
): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion, ...metadata }, ...content };
}
