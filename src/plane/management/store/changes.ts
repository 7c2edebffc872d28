import { failures, parseApiVersion, type FieldChange, type KubeObject } from "../../../model/core.js";
import { isObjectKey } from "../../../server/registry/keys.js";
import { Compacted, SlowWatcher, type Store, type StoreEvent } from "../../../store/index.js";
import { eventDocument, type CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { decodeJson, eventPrefix } from "../../events/stored-events.js";
import type { ChangeList, ChangeReport } from "../contract.js";
import { changesOf, redacted } from "../redact.js";
import { pastEvents } from "./past-events.js";
import { objectOrUndefined, userIn } from "../../stored/stored.js";
import { writers } from "./writers.js";

export interface ChangesOptions {
  /** Default: all kinds. */
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  /** Maximum number of changes; the newest are returned. */
  readonly tail: number;
  /** Returns all changes after this revision; `tail` is ignored. */
  readonly after?: number | undefined;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** The newest changes since the store's compaction, oldest first. */
export async function lastChanges(store: Store, options: ChangesOptions): Promise<ChangeList> {
  const { tail, signal } = options;
  const { floor, revision } = await store.status();
  let changes: readonly ChangeReport[] = [];
  // Changes of other kinds are skipped: reads further back until there are enough.
  for (let back = tail; back > 0; back *= 8) {
    const from = Math.max(floor, revision - back);
    const found: ChangeReport[] = [];
    for await (const event of pastEvents(store, { prefix: "/", from, until: revision, signal })) {
      const change = changeReport(event, options);
      if (change === undefined) continue;
      found.push(change);
      if (found.length > tail) found.shift();
    }
    changes = found;
    if (found.length >= tail || from === floor || signal.aborted) break;
  }
  return { changes, revision };
}

/**
 * The newest changes, or those after a revision, and then all new ones.
 *
 * @throws {ApiError} 410 when the revision has been compacted.
 */
export async function* followChanges(
  store: Store,
  options: ChangesOptions,
): AsyncGenerator<ChangeReport, void, undefined> {
  let from = options.after;
  if (from === undefined) {
    const { changes, revision } = await lastChanges(store, options);
    yield* changes;
    from = revision;
  } else if (from > (await store.status()).revision) {
    // The store was replaced, so the revision belongs to another history.
    throw failures.resourceExpired(`revision ${from} is newer than the store: the store has been replaced`);
  }
  try {
    const watch = store.watch({ prefix: "/", from, previous: true, signal: options.signal });
    for await (const { events } of watch) {
      for (const event of events) {
        const change = changeReport(event, options);
        if (change !== undefined) yield change;
      }
    }
  } catch (error) {
    if (error instanceof Compacted || error instanceof SlowWatcher)
      throw failures.resourceExpired(error.message);
    throw error;
  }
}

function changeReport(event: StoreEvent, options: ChangesOptions): ChangeReport | undefined {
  const { key, revision, previous } = event;
  if (key.startsWith(eventPrefix)) return emittedReport(event, options);
  if (!isObjectKey(key)) return undefined;
  const now = event.type === "put" ? event.entry : previous;
  const object = now && objectOrUndefined(now, revision);
  if (object === undefined || !isOfKind(object, options)) return undefined;
  const { reveal } = options;
  if (event.type === "delete")
    return { revision, type: "DELETED", managers: [], object: redacted(object, reveal), changes: [] };
  const user = userIn(event.entry);
  const by = (old: KubeObject | undefined, changes: readonly FieldChange[]) => ({
    user,
    ...writers(object, old, changes),
  });
  if (previous === undefined)
    return { revision, type: "ADDED", ...by(undefined, []), object: redacted(object, reveal), changes: [] };
  const before = objectOrUndefined(previous, previous.revision);
  const changes = changesOf(before, object, reveal);
  return { revision, type: "MODIFIED", ...by(before, changes), object: redacted(object, reveal), changes };
}

/** Events expire, which is nothing to report. */
function emittedReport(event: StoreEvent, { kind }: ChangesOptions): ChangeReport | undefined {
  if (event.type !== "put" || kind !== undefined) return undefined;
  const emitted = decodeJson(event.entry) as CloudEvent | undefined;
  return emitted && { revision: event.revision, type: "EMITTED", event: eventDocument(emitted) };
}

function isOfKind(object: KubeObject, { kind, apiVersion }: ChangesOptions): boolean {
  if (kind !== undefined && object.kind !== kind) return false;
  // Objects are stored in one version of their group.
  return apiVersion === undefined || groupOf(object.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string | undefined {
  return parseApiVersion(apiVersion)?.group;
}
