import { asApiError, isExpired, type KubeObject } from "../../model/core.js";
import type { ListOptions, Page } from "./transport.js";

/** How many objects are asked for at a time. */
const pageSize = 500;

/** Asks for one page. */
export type AskPage = (options: ListOptions) => Promise<Page>;

/**
 * Everything, as it was at one moment. Pages expire when the server forgets that moment before the last is read; then
 * all is asked for anew in one piece, which cannot expire. Where a moment was asked for that is gone, it fails.
 */
export async function listAll(ask: AskPage, options: ListOptions): Promise<Page> {
  const items: KubeObject[] = [];
  let pages = 0;
  let resourceVersion = "";
  try {
    for await (const page of pagesOf(ask, options)) {
      pages++;
      for (const item of page.items) items.push(item);
      ({ resourceVersion } = page);
    }
  } catch (error) {
    const replaceable = options.resourceVersionMatch !== "Exact" && !options.continue;
    if (!isExpired(error) || pages === 0 || !replaceable) throw error;
    return ask({ ...options, limit: undefined });
  }
  return Object.freeze({ items: Object.freeze(items), resourceVersion });
}

/**
 * Everything, one page at a time, as it was when the first was read. When the server forgets that moment on the way, the
 * rest is what is there by then: who was shown already is not shown again, but what changed among them goes unseen.
 */
export async function* eachOf(
  ask: AskPage,
  options: ListOptions,
): AsyncGenerator<KubeObject, void, undefined> {
  for (let asked = options; ;) {
    try {
      for await (const page of pagesOf(ask, asked)) {
        for (const item of page.items) {
          options.signal?.throwIfAborted();
          yield item;
        }
      }
      return;
    } catch (error) {
      const rest = isExpired(error) ? asApiError(error)?.status.metadata.continue : undefined;
      if (!rest) throw error;
      asked = { ...options, continue: rest };
    }
  }
}

async function* pagesOf(ask: AskPage, options: ListOptions): AsyncGenerator<Page, void, undefined> {
  const { resourceVersion, resourceVersionMatch, ...rest } = options;
  const limit = options.limit ?? pageSize;
  let page: Page;
  if (options.continue) page = await ask({ ...rest, limit });
  else {
    // With a limit, a version alone would mean exactly that one; without, it means one that is at least as new.
    const match = resourceVersionMatch ?? (resourceVersion ? "NotOlderThan" : undefined);
    page = await ask({ ...rest, limit, resourceVersion, resourceVersionMatch: match });
  }
  yield page;
  while (page.continue) {
    page = await ask({ ...rest, limit, continue: page.continue });
    yield page;
  }
}
