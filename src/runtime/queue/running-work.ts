import type { Entry } from "./entry.js";
import type { QueueTime } from "./queue-time.js";
import type { Work } from "./work.js";

/**
 * The work of one queue that runs, longest first. Work knows its entry and its place in here, so that nobody has to
 * look for either; entries do not know their work: they last, and what lasts had better not point to what is new.
 */
export class RunningWork<Reason> {
  first: TakenWork<Reason> | undefined;
  last: TakenWork<Reason> | undefined;
  size = 0;

  /** Makes what an entry has to do into work that runs. */
  start(entry: Entry<Reason>, time: QueueTime): Work<Reason> {
    const work = new TakenWork(this, entry, time);
    entry.start();
    return work;
  }

  /** Ends work, and gives its entry; undefined for what is over already, or was never taken from this queue. */
  end(work: Work<Reason>): Entry<Reason> | undefined {
    return TakenWork.end(this, work);
  }

  *[Symbol.iterator](): Generator<Work<Reason>, void> {
    for (let work = this.first; work; work = TakenWork.after(work)) yield work;
  }
}

class TakenWork<Reason> implements Work<Reason> {
  readonly #entry: Entry<Reason>;
  /** What it is in while it runs. */
  #running: RunningWork<Reason> | undefined;
  #previous: TakenWork<Reason> | undefined;
  #next: TakenWork<Reason> | undefined;
  readonly key: string;
  readonly reasons: readonly Reason[];
  readonly dropped: number;
  readonly since: number;
  readonly due: number;
  readonly taken: number;
  readonly failures: number;
  readonly priority: number;

  constructor(running: RunningWork<Reason>, entry: Entry<Reason>, time: QueueTime) {
    this.#entry = entry;
    this.#running = running;
    this.#previous = running.last;
    if (running.last) running.last.#next = this;
    else running.first = this;
    running.last = this;
    running.size += 1;

    this.key = entry.key;
    this.reasons = entry.reasons;
    this.dropped = entry.dropped;
    this.since = time.onWall(entry.since);
    this.due = time.onWall(entry.due);
    this.taken = time.onWall(time.now());
    this.failures = entry.failures;
    this.priority = entry.priority;
  }

  static end<Reason>(running: RunningWork<Reason>, work: Work<Reason>): Entry<Reason> | undefined {
    const taken = work as TakenWork<Reason>;
    if (!(#entry in taken) || taken.#running !== running) return undefined;
    if (taken.#previous) taken.#previous.#next = taken.#next;
    else running.first = taken.#next;
    if (taken.#next) taken.#next.#previous = taken.#previous;
    else running.last = taken.#previous;
    running.size -= 1;
    taken.#running = undefined;
    taken.#previous = undefined;
    taken.#next = undefined;
    return taken.#entry;
  }

  static after<Reason>(work: TakenWork<Reason>): TakenWork<Reason> | undefined {
    return work.#next;
  }
}
