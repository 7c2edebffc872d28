import { systemClock } from "../../model/time/clock.js";
import { type Entries, gather, Gathered, type Held, type Slot } from "./entries.js";
import { none } from "./key-index.js";
import { QueueTime } from "./queue-time.js";
import type { QueueItem } from "./queue-item.js";

/** A key that runs, and since when. */
export interface RunningKey {
  readonly key: string;
  readonly taken: number;
}

/**
 * The work of one queue that runs. Nothing points to what is handed out but who has it: its row knows the order in which it
 * was, and that tells it from other work of the same key.
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
  start(slot: Slot, now: number): QueueItem<Reason> {
    const entries = this.#entries;
    // Begins anew after four billion, as in the row.
    const order = (this.#started + 1) | 0;
    this.#started = order;
    this.#size += 1;
    entries.start(slot, order, now);
    return new TakenWork(
      slot,
      order,
      entries.key(slot),
      entries.held(slot) as Held<Reason>,
      entries.since(slot),
      entries.due(slot),
      now,
      entries.failures(slot),
      entries.priority(slot),
      this.#time,
    );
  }

  /** The entry of work that runs; none for what is over already, or was never taken from this queue. */
  find(work: QueueItem<Reason>): Slot {
    return TakenWork.slotOf(work, this.#entries, this.#time);
  }

  /** Ends work, and gives its entry; none for what is over already, or was never taken from this queue. */
  end(work: QueueItem<Reason>): Slot {
    const slot = TakenWork.slotOf(work, this.#entries, this.#time);
    if (slot !== none) this.#size -= 1;
    return slot;
  }

  /** All that runs, longest first. */
  list(): readonly RunningKey[] {
    const entries = this.#entries;
    if (this.#size === 0) return [];
    const slots: Slot[] = [];
    for (const slot of entries) if (entries.isOut(slot)) slots.push(slot);
    return slots
      .sort((a, b) => (entries.isBefore(a, b) ? -1 : 1))
      .map((slot) => ({ key: entries.key(slot), taken: this.#time.onWall(entries.taken(slot)) }));
  }
}

/**
 * Work is made for every key that is handed out, and most of it is never asked for all that it knows: so it has what its
 * entry had, in the numbers of the queue, which are small, and says it in those of the wall when asked.
 */
class TakenWork<Reason> implements QueueItem<Reason> {
  /**
   * One that is always there. When memory is collected while no work is under way, the engine would forget what work
   * looks like, and with it all that it has compiled for it.
   */
  static readonly any = new TakenWork(none, 0, "", undefined, 0, 0, 0, 0, 0, new QueueTime(systemClock));

  readonly #slot: Slot;
  readonly #order: number;
  readonly key: string;
  readonly failures: number;
  readonly priority: number;
  #held: Held<Reason>;
  readonly #since: number;
  readonly #due: number;
  readonly #taken: number;
  readonly #time: QueueTime;

  constructor(
    slot: Slot,
    order: number,
    key: string,
    held: Held<Reason>,
    since: number,
    due: number,
    taken: number,
    failures: number,
    priority: number,
    time: QueueTime,
  ) {
    this.#slot = slot;
    this.#order = order;
    this.key = key;
    this.#held = held;
    this.#since = since;
    this.#due = due;
    this.#taken = taken;
    this.failures = failures;
    this.priority = priority;
    this.#time = time;
  }

  /** The entry of work that was taken from a queue, and is not over; none for any other. */
  static slotOf<Reason>(work: QueueItem<Reason>, entries: Entries<Reason>, time: QueueTime): Slot {
    if (!(#slot in work)) return none;
    const taken = work as TakenWork<Reason>;
    return taken.#time === time && entries.isOutAs(taken.#slot, taken.#order) ? taken.#slot : none;
  }

  get reasons(): readonly Reason[] {
    const gathered = gather(this.#held);
    this.#held = gathered;
    return gathered.list;
  }

  get dropped(): number {
    return this.#held instanceof Gathered ? this.#held.dropped : 0;
  }

  get since(): number {
    return this.#time.onWall(this.#since);
  }

  get due(): number {
    return this.#time.onWall(this.#due);
  }

  get taken(): number {
    return this.#time.onWall(this.#taken);
  }
}
