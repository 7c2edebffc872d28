import { compareKeys } from "../keys.js";
import type { Entry } from "../store.js";
import { newestBelow, type TailMutation } from "./tail.js";

/** What a range shows of a key: the entry itself, or the id of the change that has it. */
export type Shown = Entry | { readonly key: string; readonly id: number };

/**
 * The first entries a range shows at a revision, at most `limit`: what the index shows, with the tail laid over it. Both come in order of key; the
 * tail's changes with ids below `bound` are those up to the revision.
 */
export function overlaid(
  indexed: readonly Entry[],
  tail: Iterable<[string, readonly TailMutation[]]>,
  bound: number,
  limit: number,
): Shown[] {
  const shown: Shown[] = [];
  let next = 0;
  for (const [key, changes] of tail) {
    if (shown.length >= limit) break;
    const recent = newestBelow(changes, bound);
    if (recent === undefined) continue;
    for (; next < indexed.length; next++) {
      const entry = indexed[next];
      if (entry === undefined || compareKeys(entry.key, key) >= 0) break;
      shown.push(entry);
    }
    if (indexed[next]?.key === key) next++;
    if (!recent.gone) shown.push({ key, id: recent.id });
  }
  return [...shown, ...indexed.slice(next)].slice(0, limit);
}
