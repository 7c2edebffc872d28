import type { Batch } from "./backlog.js";
import type { QueueItem } from "./queue-item.js";
import type { Lane } from "./lane.js";
import type { Opening } from "./windows.js";

/**
 * One run of a key that is to come or under way; workers get it as a {@link QueueItem}. A key has these states:
 *
 * - idle: nothing to do; the queue has no entry. `add` creates one.
 * - delayed: not due yet, in the tree of delays. Entered by `add`, a requeue or a retry that is due later, by joining a
 *   batch, and when all windows are closed. Left when it is due, by an earlier `add`, or when its batch is released.
 * - waiting: due, in the waiting list until a worker takes it. Entered when due; left by `take` and `pause`.
 * - held: due, but the key is paused. Entered in place of waiting; left by `resume`.
 * - running: taken by a worker. Entered by `take`; left by `done`.
 * - dirty: running, and added again meanwhile. Entered by `add`, which creates a second entry in `next` of the running one;
 *   left by `done`, which makes that entry delayed, waiting or held.
 * - dead: retries used up, or failed for good. The queue has a dead letter and no entry. Left by `add` and `revive`.
 *
 * `done` leads from running to idle ("done"), to delayed or waiting ("again", "retry"), or to dead ("dead", or one retry too
 * many). `remove` makes any key idle; a running entry remains as `removed` until `done`, and its outcome is ignored.
 */
export interface QueueEntry<Reason> extends QueueItem<Reason> {
  /** "new" until it is placed in the backlog for the first time. */
  state: "new" | "delayed" | "waiting" | "held" | "running" | "dirty";
  /** Invariant: not empty, once the first reason was added. */
  reasons: Reason[];
  dropped: number;
  since: number;
  due: number;
  taken: number;
  failures: number;
  priority: number;
  /** Sequence number among the delayed or the waiting entries. */
  order: number;
  /** Set exactly while waiting; `before` and `after` are the neighbours in the lane. */
  lane: Lane<Reason> | undefined;
  before: QueueEntry<Reason> | undefined;
  after: QueueEntry<Reason> | undefined;
  /** Batch that it waits for, while delayed or dirty. */
  batch: Batch<Reason> | undefined;
  /** Windows in which it may be taken; undefined for any time. */
  openings: Opening[] | undefined;
  /** While running: the entry of the next run. Set exactly while the key is dirty. */
  next: QueueEntry<Reason> | undefined;
  /** Removed while running. */
  removed: boolean;
}

const noReasons: never[] = [];

export function newEntry<Reason>(key: string, state: "new" | "dirty", now: number): QueueEntry<Reason> {
  return {
    key,
    state,
    reasons: noReasons,
    dropped: 0,
    since: now,
    due: now,
    taken: now,
    failures: 0,
    priority: 0,
    order: 0,
    lane: undefined,
    before: undefined,
    after: undefined,
    batch: undefined,
    openings: undefined,
    next: undefined,
    removed: false,
  };
}

/** Adds a reason; beyond `max` the oldest is dropped. */
export function addReason<Reason>(entry: QueueEntry<Reason>, reason: Reason, max: number): void {
  // A push to an empty array would reserve room for 17 reasons; most keys have one.
  if (entry.reasons.length === 0) {
    entry.reasons = [reason];
    return;
  }
  entry.reasons.push(reason);
  if (entry.reasons.length <= max) return;
  entry.reasons.shift();
  entry.dropped += 1;
}
