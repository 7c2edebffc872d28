import { isDeepStrictEqual } from "node:util";
import type { KindInfo } from "../../../client/kinds/kind.js";
import type { FieldChange, KubeObject, ManagedFieldsEntry, ValuePath } from "../../../model/core.js";
import type { Store } from "../../../store/index.js";
import { notFound } from "../asked.js";
import type { History, Version } from "../contract.js";
import { changesOf, shown } from "../shown-object.js";
import { pastEvents } from "./past-events.js";
import { keyOf, objectIn } from "./stored.js";

export interface HistoryOf {
  readonly kind: KindInfo;
  readonly namespace: string;
  readonly name: string;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** All versions of an object that the store still knows of, also of one that is gone. */
export async function historyOf(store: Store, asked: HistoryOf): Promise<History> {
  const { kind, namespace, name, reveal, signal } = asked;
  const key = keyOf(kind, { namespace, name });
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
    // A prefix is also that of longer names.
    if (event.key !== key) continue;
    if (event.type === "delete") {
      if (before !== undefined) versions.push(version("deleted", event.revision, before, undefined, reveal));
      before = undefined;
      continue;
    }
    const after = objectIn(event.entry, event.revision);
    const type = before === undefined ? "created" : isOfStatusAlone(before, after) ? "status" : "updated";
    versions.push(version(type, event.revision, after, before, reveal));
    before = after;
  }
  if (versions.length > 0) return { versions, floor };
  const called = kind.scope === "Namespaced" ? `${namespace}/${name}` : name;
  throw notFound(
    `the store knows nothing of ${kind.kind} ${called}: there is none, and there has been none since revision ${floor}, where its history starts`,
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
    object: shown(object, reveal),
    changes,
  };
}

/**
 * Who wrote what changed, and when: whoever owns it, and of these the ones whose entry in managedFields is new. An entry has
 * no more than seconds, so it can be the same as before.
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

/** Whether fields of managedFields name a path, or something on the way to it that ends at a list. */
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

function isOfStatusAlone(before: KubeObject, after: KubeObject): boolean {
  const changes = changesOf(before, after, true);
  return changes.length > 0 && changes.every(({ path }) => path[0] === "status");
}
