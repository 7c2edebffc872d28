import { systemClock } from "fettle/model";
import { WorkQueue } from "fettle/runtime";
import { NaiveQueue } from "./runtime-naive-queue.js";
import { nameOf } from "./runtime-widgets.js";

/** One measurement; a process that is asked for several makes the same one each time, so that nothing else is compiled in it. */
export interface QueueQuestion {
  readonly queue: string;
  readonly pattern: string;
  readonly size: number;
}

export interface QueueAnswer {
  readonly nanoseconds: number;
}

/** What both queues can do, so that both are asked in the same way. */
interface AnyQueue {
  add(key: string): void;
  /** Takes the next key and says that it is done; undefined when nothing waits. */
  work(): string | undefined;
}

const reason = { type: "updated", at: 0 } as const;
const finished = { type: "done" } as const;
/** Enough of them that neither the clock's grain matters nor compiling, which a queue that lasts sees once. */
const leastItems = 8_000_000;
const itemsInATurn = 1000;
/** Of a large queue a few rounds are enough, and take their time. */
const leastRounds = 2;

const makers: Readonly<Record<string, () => AnyQueue>> = {
  fettle() {
    const queue = new WorkQueue<typeof reason>({ clock: systemClock });
    return {
      add: (key) => queue.add(key, reason),
      work() {
        const work = queue.tryTake();
        if (work !== undefined) queue.done(work, finished);
        return work?.key;
      },
    };
  },
  naive() {
    const queue = new NaiveQueue<typeof reason>();
    return {
      add: (key) => queue.add(key, reason),
      work() {
        const work = queue.tryTake();
        if (work !== undefined) queue.done(work);
        return work?.key;
      },
    };
  },
};

let keys: readonly string[] = [];
/**
 * One that is in use as long as the process lives, as it is in a program: were there none between two measurements, memory
 * is collected then, and the engine would forget with the last queue all that it has compiled for queues.
 */
let kept: AnyQueue | undefined;

process.on("message", (question: QueueQuestion) => void answer(question));

async function answer({ queue, pattern, size }: QueueQuestion): Promise<void> {
  if (keys.length !== size) {
    keys = Array.from({ length: size }, (_, index) => `team-${index % 100}/${nameOf(index)}`);
  }
  const make = makers[queue];
  if (make === undefined) throw new Error(`there is no queue ${queue}`);
  kept ??= make();
  kept.add("kept");
  globalThis.gc?.();
  if (pattern === "fill and drain") process.send?.({ nanoseconds: fillAndDrain(make(), size) });
  else if (pattern === "steady state") process.send?.({ nanoseconds: steadyState(make(), size) });
  else process.send?.({ nanoseconds: await awaited(size) });
}

// What is measured is called again and again, as in a program: one loop that never ends is compiled while it runs, for the
// first queue that it sees, and that is not the code that would run later.

/** All are added, then all are worked off, as after a start. */
function fillAndDrain(queue: AnyQueue, size: number): number {
  const rounds = roundsOf(size);
  const begin = performance.now();
  for (let round = 0; round < rounds; round++) {
    fill(queue);
    const done = drain(queue);
    if (done !== size) throw new Error(`${done} of ${size} items came out of the queue`);
  }
  return nanoseconds(begin, rounds * size);
}

function fill(queue: AnyQueue): void {
  for (const key of keys) queue.add(key);
}

function drain(queue: AnyQueue): number {
  let done = 0;
  while (queue.work() !== undefined) done++;
  return done;
}

/** So many wait all the time: each that is done is added again. */
function steadyState(queue: AnyQueue, size: number): number {
  fill(queue);
  globalThis.gc?.();
  const turns = (roundsOf(size) * size) / itemsInATurn;
  const begin = performance.now();
  for (let turn = 0; turn < turns; turn++) keepGoing(queue);
  return nanoseconds(begin, turns * itemsInATurn);
}

function keepGoing(queue: AnyQueue): void {
  for (let item = 0; item < itemsInATurn; item++) queue.add(queue.work() ?? "");
}

/** The same with `take`, which waits when there is nothing to do. */
async function awaited(size: number): Promise<number> {
  const queue = new WorkQueue<typeof reason>({ clock: systemClock });
  for (const key of keys) queue.add(key, reason);
  globalThis.gc?.();
  const turns = (roundsOf(size) * size) / itemsInATurn;
  const begin = performance.now();
  for (let turn = 0; turn < turns; turn++) await keepAwaiting(queue);
  const cost = nanoseconds(begin, turns * itemsInATurn);
  queue.close();
  return cost;
}

async function keepAwaiting(queue: WorkQueue<typeof reason>): Promise<void> {
  for (let item = 0; item < itemsInATurn; item++) {
    const work = await queue.take();
    if (work === undefined) throw new Error("the queue ended");
    queue.done(work, finished);
    queue.add(work.key, reason);
  }
}

function roundsOf(size: number): number {
  return size < 100_000 ? Math.ceil(leastItems / size) : leastRounds;
}

function nanoseconds(begin: number, items: number): number {
  return ((performance.now() - begin) * 1e6) / items;
}
