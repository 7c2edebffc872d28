import { ApiError, failures } from "../../../model/core.js";
import { Compacted, type Store } from "../../../store/index.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { keyOf, prefixOf } from "../keys.js";
import type { ListOptions, ListResponse, ResourceRequest } from "../requests.js";
import { fromStore, storeFailure } from "../store-failures.js";
import { formatContinue } from "./continue-token.js";
import { planList, type ListPlan } from "./list-options.js";
import { narrowScope, parseSelectors, selectionOf, type Selection } from "./selection.js";

/** How many entries are looked at in one go where only some of them are wanted. */
const stride = 500;

export async function list(
  context: RegistryContext,
  { type, namespace, options }: ResourceRequest<ListOptions>,
): Promise<ListResponse> {
  const selectors = parseSelectors(type, options);
  const selection = selectionOf(type, selectors);
  const plan = planList(options);
  const { scope, name } = narrowScope(type, { namespace }, selectors);
  if (plan.atLeast !== undefined) await checkReached(context, plan.atLeast);
  try {
    if (name !== undefined && plan.after === undefined) {
      return await listOne(context, type, keyOf(type, { ...scope, name }), selection, plan.revision);
    }
    const limit = Math.max(0, options.limit ?? 0);
    return await listMany(context, type, prefixOf(type, scope), selection, plan, limit);
  } catch (error) {
    throw error instanceof Compacted ? tooOld(plan) : storeFailure(error);
  }
}

/** Refuses a revision that the store has not reached. */
export async function checkReached({ store }: RegistryContext, revision: number): Promise<void> {
  if (revision === 0) return;
  const { revision: newest } = await fromStore(store.status());
  if (revision > newest) throw failures.tooLargeResourceVersion(revision, newest, 1);
}

/** The one object that has a name, or none. */
async function listOne(
  { store, objects }: RegistryContext,
  type: ResourceType,
  key: string,
  selection: Selection,
  exact: number | undefined,
): Promise<ListResponse> {
  // The key itself comes before all others that start with it.
  const { entries, revision } = await store.range({ prefix: key, limit: 1, revision: exact });
  const items = entries.filter((entry) => entry.key === key).map((entry) => objects.peek(type, entry));
  const chosen = selection === undefined ? items : items.filter(({ object }) => selection(object));
  return { items: chosen, resourceVersion: String(revision) };
}

async function listMany(
  { store, objects }: RegistryContext,
  type: ResourceType,
  prefix: string,
  selection: Selection,
  plan: ListPlan,
  limit: number,
): Promise<ListResponse> {
  const start = type.storage.prefix;
  const wanted = selection === undefined ? limit : Math.max(stride, limit);
  const items: StoredObject[] = [];
  let after = plan.after === undefined ? undefined : start + plan.after;
  let revision = plan.revision;
  let more = true;
  // A page of chosen objects may take many strides; one with all of them takes one.
  while (more && (limit === 0 || items.length < limit)) {
    const range = await store.range({ prefix, after, revision, ...(limit > 0 && { limit: wanted }) });
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
  const left =
    selection === undefined
      ? await leftOver(store, plan, items.length, { prefix, after, revision })
      : undefined;
  const token = formatContinue({ revision, after: after.slice(start.length), left });
  return { ...response, continue: token, remainingItemCount: left };
}

/** How many objects the next pages will show. Counted once: all pages are of one revision. */
async function leftOver(
  store: Store,
  plan: ListPlan,
  shown: number,
  rest: { prefix: string; after: string; revision: number | undefined },
): Promise<number> {
  if (plan.left !== undefined) return Math.max(1, plan.left - shown);
  return (await store.count(rest)).count;
}

/** 410, with a token that goes on with the newest state for those who can live with that. */
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
