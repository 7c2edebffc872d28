import { ApiError, failures } from "../../../model/core.js";
import { Compacted, type Store } from "../../../store/index.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { storeKey, prefixOf } from "../keys.js";
import type { ServerListOptions, ListResponse, ResourceRequest } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { formatContinue } from "./continue-token.js";
import { planList, type ListPlan } from "./list-options.js";
import { narrowScope, parseSelectors, selectionOf, type ObjectFilter } from "./selection.js";

/** Entries per read from the store when a selector filters them. */
const batchSize = 500;

export async function list(
  context: RegistryContext,
  { type, namespace, options }: ResourceRequest<ServerListOptions>,
): Promise<ListResponse> {
  const selectors = parseSelectors(type, options);
  const selection = selectionOf(type, selectors);
  const plan = planList(options);
  const { scope, name } = narrowScope(type, { namespace }, selectors);
  if (plan.atLeast !== undefined) await checkReached(context, plan.atLeast);
  try {
    if (name !== undefined && plan.after === undefined) {
      return await listOne(context, type, storeKey(type, { ...scope, name }), selection, plan.revision);
    }
    const limit = Math.max(0, options.limit ?? 0);
    return await listMany(context, type, prefixOf(type, scope), selection, plan, limit);
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

async function listMany(
  { store, objects }: RegistryContext,
  type: ResourceType,
  prefix: string,
  selection: ObjectFilter,
  plan: ListPlan,
  limit: number,
): Promise<ListResponse> {
  const start = type.storage.prefix;
  const rangeLimit = selection === undefined ? limit : Math.max(batchSize, limit);
  const items: StoredObject[] = [];
  let after = plan.after === undefined ? undefined : start + plan.after;
  let revision = plan.revision;
  let more = true;
  // A page with a selector may take several reads; one without takes one.
  while (more && (limit === 0 || items.length < limit)) {
    const range = await store.range({ prefix, after, revision, ...(limit > 0 && { limit: rangeLimit }) });
    ({ revision, more } = range);
    for (const entry of range.entries) {
      if (limit > 0 && items.length === limit) {
        more = true;
        break;
      }
      after = entry.key;
      const item = objects.peek(type, entry);
      if (selection === undefined || selection(item.object)) items.push(item);
    }
  }
  const response = { items, resourceVersion: String(revision ?? 0) };
  if (!more || after === undefined) return response;
  const remaining =
    selection === undefined
      ? await countRemaining(store, plan, items.length, { prefix, after, revision })
      : undefined;
  const token = formatContinue({ revision, after: after.slice(start.length), remaining });
  return { ...response, continue: token, remainingItemCount: remaining };
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
