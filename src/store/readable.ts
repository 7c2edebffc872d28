import { Compacted, FutureRevision } from "./errors.js";
import type { StoreStatus } from "./store.js";

/**
 * The revision to read at: the one asked for, or the newest.
 *
 * @throws {FutureRevision} @throws {Compacted} when it cannot be read.
 */
export function readableRevision(
  asked: number | undefined,
  { revision: newest, floor }: StoreStatus,
): number {
  const revision = asked ?? newest;
  if (revision > newest) throw new FutureRevision(revision, newest);
  if (revision < floor) throw new Compacted(revision, floor);
  return revision;
}
