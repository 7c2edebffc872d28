import { asApiError, isExpired, type KubeObject } from "../../model/core.js";
import type { ListOptions, Page } from "./transport.js";

/** Objects per page. */
const pageSize = 500;

/** Requests one page. */
export type PageRequest = (options: ListOptions) => Promise<Page>;

/**
 * Lists all objects at one resourceVersion. If the continue token expires before the last page, the list is requested again
 * without pages, which cannot expire; a list of an exact version that has expired fails.
 */
export async function listAll(request: PageRequest, options: ListOptions): Promise<Page> {
  const items: KubeObject[] = [];
  let pages = 0;
  let resourceVersion = "";
  try {
    for await (const page of pagesOf(request, options)) {
      pages++;
      for (const item of page.items) items.push(item);
      ({ resourceVersion } = page);
    }
  } catch (error) {
    const replaceable = options.resourceVersionMatch !== "Exact" && !options.continue;
    if (!isExpired(error) || pages === 0 || !replaceable) throw error;
    return request({ ...options, limit: undefined });
  }
  return Object.freeze({ items: Object.freeze(items), resourceVersion });
}

/**
 * Iterates over all objects at the resourceVersion of the first page. If the continue token expires, the rest is read at the
 * newest version: no object is returned twice, but changes of objects returned before are not seen.
 */
export async function* eachOf(
  request: PageRequest,
  options: ListOptions,
): AsyncGenerator<KubeObject, void, undefined> {
  for (let next = options; ;) {
    try {
      for await (const page of pagesOf(request, next)) {
        for (const item of page.items) {
          options.signal?.throwIfAborted();
          yield item;
        }
      }
      return;
    } catch (error) {
      const rest = isExpired(error) ? asApiError(error)?.status.metadata.continue : undefined;
      if (!rest) throw error;
      next = { ...options, continue: rest };
    }
  }
}

async function* pagesOf(request: PageRequest, options: ListOptions): AsyncGenerator<Page, void, undefined> {
  const { resourceVersion, resourceVersionMatch, ...rest } = options;
  const limit = options.limit ?? pageSize;
  let page: Page;
  if (options.continue) page = await request({ ...rest, limit });
  else {
    // With a limit, a resourceVersion alone means Exact; without a limit, NotOlderThan.
    const match = resourceVersionMatch ?? (resourceVersion ? "NotOlderThan" : undefined);
    page = await request({ ...rest, limit, resourceVersion, resourceVersionMatch: match });
  }
  yield page;
  while (page.continue) {
    page = await request({ ...rest, limit, continue: page.continue });
    yield page;
  }
}
