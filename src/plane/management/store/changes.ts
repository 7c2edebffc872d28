import { failures, parseApiVersion, type KubeObject } from "../../../model/core.js";
import { Compacted, SlowWatcher, type Store, type WatchEvent } from "../../../store/index.js";
import type { ChangeList, ChangeReport } from "../contract.js";
import { changesOf, shown } from "../shown-object.js";
import { pastEvents } from "./past-events.js";
import { objectOrNothing } from "./stored.js";

export interface ChangesOptions {
  /** Of which kind; of all when left out. */
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
  /** How many of the last ones. */
  readonly tail: number;
  /** Only those after this revision, and all of them; `tail` does not matter then. */
  readonly after?: number | undefined;
  readonly reveal: boolean;
  readonly signal: AbortSignal;
}

/** The last changes, as far back as the store remembers. */
export async function lastChanges(store: Store, options: ChangesOptions): Promise<ChangeList> {
  const { tail, signal } = options;
  const { floor, revision } = await store.status();
  let changes: readonly ChangeReport[] = [];
  // Most changes are a revision each, but not all of them are of the kind: looks further back until there are enough.
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
 * The last changes, or those after a revision, and then all that follow, for as long as somebody listens. What is no longer
 * remembered is a 410.
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
    // A store that began anew has forgotten what the number meant.
    throw failures.resourceExpired(`revision ${from} has not been reached: the store has begun anew`);
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

function changeReport(event: WatchEvent, options: ChangesOptions): ChangeReport | undefined {
  const { revision, previous } = event;
  const now = event.type === "put" ? event.entry : previous;
  const object = now && objectOrNothing(now, revision);
  if (object === undefined || !isOfKind(object, options)) return undefined;
  const { reveal } = options;
  if (event.type === "delete")
    return { revision, type: "DELETED", object: shown(object, reveal), changes: [] };
  if (previous === undefined) return { revision, type: "ADDED", object: shown(object, reveal), changes: [] };
  const before = objectOrNothing(previous, previous.revision);
  const changes = changesOf(before, object, reveal);
  return { revision, type: "MODIFIED", object: shown(object, reveal), changes };
}

function isOfKind(object: KubeObject, { kind, apiVersion }: ChangesOptions): boolean {
  if (kind !== undefined && object.kind !== kind) return false;
  // What is stored may be in another version of the group.
  return apiVersion === undefined || groupOf(object.apiVersion) === groupOf(apiVersion);
}

function groupOf(apiVersion: string): string | undefined {
  return parseApiVersion(apiVersion)?.group;
}
