import { compareKeys } from "../keys.js";
import type { Entry } from "../store.js";
import { newestBelow, type TailMutation } from "./tail.js";

/** Entry whose value is large, and was not read yet. */
export interface LargeEntry {
  readonly key: string;
  readonly id: number;
  readonly large: true;
}

/** Entry of a range, or the id of the logged mutation that has it. */
export type EntryOrId = Entry | LargeEntry | { readonly key: string; readonly id: number };

/**
 * Merges the indexed entries of a range with the tail and returns the first `limit`. Both are in key order; the tail's
 * mutations with ids below `bound` are those up to the revision of the range.
 */
export function overlayTail(
  indexed: readonly (Entry | LargeEntry)[],
  tail: Iterable<[string, readonly TailMutation[]]>,
  bound: number,
  limit: number,
): EntryOrId[] {
  const merged: EntryOrId[] = [];
  let next = 0;
  for (const [key, mutations] of tail) {
    if (merged.length >= limit) break;
    const recent = newestBelow(mutations, bound);
    if (recent === undefined) continue;
    for (; next < indexed.length; next++) {
      const entry = indexed[next];
      if (entry === undefined || compareKeys(entry.key, key) >= 0) break;
      merged.push(entry);
    }
    if (indexed[next]?.key === key) next++;
    if (!recent.deleted) merged.push({ key, id: recent.id });
  }
  return [...merged, ...indexed.slice(next)].slice(0, limit);
}
