import { ApiError, failures } from "../../../model/core.js";
import { Compacted, type Store } from "../../../store/index.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import { expensiveBytes, pause } from "../../event-loop/turns.js";
import type { RegistryContext } from "../context.js";
import { storeKey, prefixOf } from "../keys.js";
import type { ListEnd, ServerListOptions, ListResponse, ResourceRequest } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { formatContinue } from "./continue-token.js";
import { planList, type ListPlan } from "./list-options.js";
import { narrowScope, parseSelectors, selectionOf, type ObjectFilter } from "./selection.js";

/** Entries and bytes per read from the store. Small, because the event loop waits for it and readers that stop keep it. */
const batch = { entries: 900, bytes: 2 ** 20 };

/** Bytes of a list above which the rest is read while it is sent, if the request allows that. */
const maxBuffered = 4 * 2 ** 20;

/** Objects between two pauses of a list with a selector, which may be long. */
const selectedPerPause = 8;

/** Attempts of a list of the newest state that compaction overtakes. */
const maxAttempts = 5;

export async function list(
  context: RegistryContext,
  request: ResourceRequest<ServerListOptions>,
): Promise<ListResponse> {
  const { type, namespace, options } = request;
  const selectors = parseSelectors(type, options);
  const selection = selectionOf(type, selectors);
  const plan = planList(options);
  const { scope, name } = narrowScope(type, { namespace }, selectors);
  if (plan.atLeast !== undefined) await checkReached(context, plan.atLeast);
  try {
    if (name !== undefined && plan.after === undefined) {
      return await listOne(context, type, storeKey(type, { ...scope, name }), selection, plan.revision);
    }
    const range: ListRange = { prefix: prefixOf(type, scope), selection, plan };
    for (let attempt = 1; ; attempt++) {
      try {
        return await collect(batchesOf(context, request, range), request.streams === true);
      } catch (error) {
        if (!(error instanceof Compacted) || plan.revision !== undefined || attempt === maxAttempts)
          throw error;
      }
    }
  } catch (error) {
    throw error instanceof Compacted ? tooOld(plan) : storeFailure(error);
  }
}

/**
 * Checks that the store has reached a revision.
 *
 * @throws {ApiError} 504 if it has not.
 */
export async function checkReached({ store }: RegistryContext, revision: number): Promise<void> {
  if (revision === 0) return;
  const { revision: newest } = await fromStore(store.status());
  if (revision > newest) throw failures.tooLargeResourceVersion(revision, newest, 1);
}

/** Lists the object at a key: one item or none. */
async function listOne(
  { store, objects }: RegistryContext,
  type: ResourceType,
  key: string,
  selection: ObjectFilter,
  exact: number | undefined,
): Promise<ListResponse> {
  // The key itself sorts before all others that start with it.
  const { entries, revision } = await store.range({ prefix: key, limit: 1, revision: exact });
  const items = entries.filter((entry) => entry.key === key).map((entry) => objects.peek(type, entry));
  const selected = selection === undefined ? items : items.filter(({ object }) => selection(object));
  return { items: selected, resourceVersion: String(revision) };
}

/** Objects that a list consists of. */
interface ListRange {
  readonly prefix: string;
  readonly selection: ObjectFilter;
  readonly plan: ListPlan;
}

/** Some objects of a list, and their revision. */
interface Batch {
  readonly items: readonly StoredObject[];
  readonly bytes: number;
  readonly revision: number;
}

type Batches = AsyncGenerator<Batch, ListEnd, undefined>;

/** Collects a list; beyond a size only its beginning, if the rest can be read later. */
async function collect(batches: Batches, streams: boolean): Promise<ListResponse> {
  const items: StoredObject[] = [];
  let bytes = 0;
  let revision = 0;
  for (;;) {
    const { done, value } = await batches.next();
    if (done) return { items, resourceVersion: String(revision), ...value };
    ({ revision } = value);
    for (const item of value.items) items.push(item);
    bytes += value.bytes;
    if (streams && bytes > maxBuffered) {
      return { items, resourceVersion: String(revision), rest: itemsOf(batches) };
    }
  }
}

async function* itemsOf(batches: Batches): AsyncGenerator<readonly StoredObject[], ListEnd, undefined> {
  try {
    for (;;) {
      const { done, value } = await batches.next();
      if (done) return value;
      yield value.items;
    }
  } finally {
    await batches.return({});
  }
}

/** Reads a list batch by batch; returns the position of the next page. Lets other requests be handled in between. */
async function* batchesOf(
  { store, objects }: RegistryContext,
  { type, options, user, signal }: ResourceRequest<ServerListOptions>,
  { prefix, selection, plan }: ListRange,
): Batches {
  const start = type.storage.prefix;
  const limit = Math.max(0, options.limit ?? 0);
  let after = plan.after === undefined ? undefined : start + plan.after;
  let { revision } = plan;
  let more = true;
  let listed = 0;
  let examined = 0;
  while (more && (limit === 0 || listed < limit)) {
    signal?.throwIfAborted();
    const left = selection === undefined && limit > 0 ? limit - listed : Infinity;
    const range = await store.range({
      prefix,
      after,
      revision,
      bytes: batch.bytes,
      limit: Math.min(left, batch.entries),
    });
    ({ revision, more } = range);
    const items: StoredObject[] = [];
    let bytes = 0;
    for (const entry of range.entries) {
      if (limit > 0 && listed === limit) {
        more = true;
        break;
      }
      after = entry.key;
      const item = objects.peek(type, entry);
      if (selection !== undefined) {
        if (++examined % selectedPerPause === 0 || entry.value.length >= expensiveBytes)
          await pause(user.name);
        if (!selection(item.object)) continue;
      }
      items.push(item);
      bytes += entry.value.length;
      listed++;
    }
    yield { items, bytes, revision };
    if (more) await pause(user.name);
  }
  if (!more || after === undefined) return {};
  const remaining =
    selection === undefined
      ? await countRemaining(store, plan, listed, { prefix, after, revision })
      : undefined;
  const token = formatContinue({ revision, after: after.slice(start.length), remaining });
  return { continue: token, remainingItemCount: remaining };
}

/** Number of objects on the next pages. Counted once: all pages have the same revision. */
async function countRemaining(
  store: Store,
  plan: ListPlan,
  listed: number,
  rest: { prefix: string; after: string; revision: number | undefined },
): Promise<number> {
  if (plan.remaining !== undefined) return Math.max(1, plan.remaining - listed);
  return (await store.count(rest)).count;
}

/** 410; on a continued list with a token that continues at the newest revision. */
function tooOld({ after }: ListPlan): ApiError {
  if (after === undefined)
    return failures.resourceExpired("The resourceVersion for the provided list is too old.");
  const { status } = failures.resourceExpired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
  );
  const token = formatContinue({ revision: undefined, after });
  return new ApiError({ ...status, metadata: { ...status.metadata, continue: token } });
}
