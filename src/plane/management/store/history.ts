import { isDeepStrictEqual } from "node:util";
import type { KindInfo } from "../../../client/kinds/kind.js";
import type { FieldChange, KubeObject, ManagedFieldsEntry, ValuePath } from "../../../model/core.js";
import type { Store } from "../../../store/index.js";
import { notFoundError } from "../parameters.js";
import type { History, Version } from "../contract.js";
import { changesOf, redacted } from "../redact.js";
import { pastEvents } from "./past-events.js";
import { storeKeyOfKind, objectIn } from "./stored.js";

export interface HistoryOptions {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/**
 * Versions of an object since the store's compaction, also of a deleted one.
 *
 * @throws {ApiError} 404 when there are none.
 */
export async function historyOf(
  store: Store,
  { kind, namespace, name, reveal, signal }: HistoryOptions,
): Promise<History> {
  const key = storeKeyOfKind(kind, { namespace, name });
  const { floor, revision: until } = await store.status();
  const versions: Version[] = [];
  const first = await store.get(key, { revision: floor });
  let before: KubeObject | undefined;
  if (first !== undefined) {
    before = objectIn(first, first.revision);
    const type = first.revision === first.created ? "created" : "updated";
    versions.push(version(type, first.revision, before, undefined, reveal));
  }
  for await (const event of pastEvents(store, { prefix: key, from: floor, until, signal })) {
    // The prefix also matches longer names.
    if (event.key !== key) continue;
    if (event.type === "delete") {
      if (before !== undefined) versions.push(version("deleted", event.revision, before, undefined, reveal));
      before = undefined;
      continue;
    }
    const after = objectIn(event.entry, event.revision);
    const type = before === undefined ? "created" : isStatusOnly(before, after) ? "status" : "updated";
    versions.push(version(type, event.revision, after, before, reveal));
    before = after;
  }
  if (versions.length > 0) return { versions, floor };
  const where = kind.scope === "Namespaced" ? ` in namespace ${namespace}` : "";
  throw notFoundError(
    `no ${kind.kind} named ${name}${where}, and none since revision ${floor}, where the store's history starts`,
  );
}

function version(
  type: Version["type"],
  revision: number,
  object: KubeObject,
  before: KubeObject | undefined,
  reveal: boolean,
): Version {
  const { generation, deletionTimestamp } = object.metadata as {
    generation?: number;
    deletionTimestamp?: string;
  };
  const changes = before === undefined ? [] : changesOf(before, object, reveal);
  const by =
    type === "deleted" ? { managers: [], time: deletionTimestamp } : writers(object, before, changes);
  return {
    revision,
    type,
    generation,
    ...by,
    object: redacted(object, reveal),
    changes,
  };
}

/**
 * Field managers that made the changes, and the time: managers that own a changed field, preferably those whose entry in
 * managedFields is new. Entries have a resolution of one second, so an entry may be equal to the one before.
 */
function writers(
  { metadata }: KubeObject,
  before: KubeObject | undefined,
  changes: readonly FieldChange[],
): { readonly managers: readonly string[]; readonly time: string | undefined } {
  const entries = (metadata.managedFields ?? []).toSorted(byTime);
  const old = before?.metadata.managedFields ?? [];
  const isNew = (entry: ManagedFieldsEntry): boolean => !old.some((other) => isDeepStrictEqual(entry, other));
  const owners = entries.filter(({ fieldsV1 }) => changes.some(({ path }) => hasPath(fieldsV1, path)));
  const choices = [owners.filter(isNew), owners.slice(-1), entries.filter(isNew), entries.slice(-1)];
  const by = choices.find((choice) => choice.length > 0) ?? [];
  return {
    managers: [...new Set(by.map(({ manager }) => manager ?? "unknown"))],
    time: by.at(-1)?.time ?? (before === undefined ? (metadata.creationTimestamp ?? undefined) : undefined),
  };
}

/** Tests whether `fieldsV1` covers a path; a path into a list is covered by the list. */
function hasPath(fields: unknown, path: ValuePath): boolean {
  let level = fields as Readonly<Record<string, unknown>> | undefined;
  for (const part of path) {
    if (typeof part === "number" || typeof level !== "object") return level !== undefined;
    if (!Object.hasOwn(level, `f:${part}`)) return false;
    level = level[`f:${part}`] as typeof level;
  }
  return path.length > 0;
}

function byTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (a.time ?? "") < (b.time ?? "") ? -1 : (a.time ?? "") > (b.time ?? "") ? 1 : 0;
}

function isStatusOnly(before: KubeObject, after: KubeObject): boolean {
  const changes = changesOf(before, after, true);
  return changes.length > 0 && changes.every(({ path }) => path[0] === "status");
}
