import type { Entries, Slot } from "./entries.js";
import { none } from "./key-index.js";
import type { QueueTime } from "./queue-time.js";
import type { Work } from "./work.js";

/**
 * The work of one queue that runs. What is new is pointed to from one place only, its row; those who want all of it, which
 * are few, look through the rows.
 */
export class RunningWork<Reason> {
  readonly #entries: Entries<Reason>;
  readonly #time: QueueTime;
  #size = 0;
  #started = 0;

  constructor(entries: Entries<Reason>, time: QueueTime) {
    this.#entries = entries;
    this.#time = time;
  }

  get size(): number {
    return this.#size;
  }

  /** Makes what an entry has to do into work that runs; from here on reasons are for the next time. */
  start(slot: Slot): Work<Reason> {
    const entries = this.#entries;
    const time = this.#time;
    const work = new TakenWork(
      slot,
      entries.key(slot),
      entries.reasons(slot),
      entries.dropped(slot),
      time.onWall(entries.since(slot)),
      time.onWall(entries.due(slot)),
      time.onWall(time.now()),
      entries.failures(slot),
      entries.priority(slot),
    );
    entries.start(slot, work, this.#started++);
    this.#size += 1;
    return work;
  }

  /** Ends work, and gives its entry; none for what is over already, or was never taken from this queue. */
  end(work: Work<Reason>): Slot {
    const entries = this.#entries;
    const slot = TakenWork.slotOf(work);
    if (slot === none || entries.work(slot) !== work) return none;
    entries.end(slot);
    this.#size -= 1;
    return slot;
  }

  /** All of it, longest first. */
  list(): readonly Work<Reason>[] {
    const entries = this.#entries;
    if (this.#size === 0) return [];
    const slots: Slot[] = [];
    for (const slot of entries) if (entries.isOut(slot)) slots.push(slot);
    return slots
      .sort((a, b) => (entries.isBefore(a, b) ? -1 : 1))
      .map((slot) => entries.work(slot) as Work<Reason>);
  }
}

class TakenWork<Reason> implements Work<Reason> {
  /**
   * One that is always there. When memory is collected while no work is under way, the engine would forget what work
   * looks like, and with it all that it has compiled for it.
   */
  static readonly any = new TakenWork(none, "", [], 0, 0.5, 0.5, 0.5, 0, 0.5);

  readonly #slot: Slot;
  readonly key: string;
  readonly reasons: readonly Reason[];
  readonly dropped: number;
  readonly since: number;
  readonly due: number;
  readonly taken: number;
  readonly failures: number;
  readonly priority: number;

  constructor(
    slot: Slot,
    key: string,
    reasons: readonly Reason[],
    dropped: number,
    since: number,
    due: number,
    taken: number,
    failures: number,
    priority: number,
  ) {
    this.#slot = slot;
    this.key = key;
    this.reasons = reasons;
    this.dropped = dropped;
    this.since = since;
    this.due = due;
    this.taken = taken;
    this.failures = failures;
    this.priority = priority;
  }

  static slotOf(work: Work<unknown>): Slot {
    return #slot in work ? (work as TakenWork<unknown>).#slot : none;
  }
}
