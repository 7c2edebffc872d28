import { systemClock } from "fettle/model";
import { WorkQueue } from "fettle/runtime";
import { NaiveQueue } from "./runtime-naive-queue.js";
import { nameOf } from "./runtime-widgets.js";

/** One measurement. A process makes the same one each time, so that the code is optimised for it alone. */
export interface QueueRequest {
  readonly queue: string;
  readonly pattern: string;
  readonly size: number;
}

export interface QueueResult {
  readonly nanoseconds: number;
}

/** Common interface of the measured queues. */
interface AnyQueue {
  add(key: string): void;
  /** Takes the next key and finishes it; undefined when nothing waits. */
  work(): string | undefined;
}

const reason = { type: "updated", at: 0 } as const;
const finished = { type: "done" } as const;
/** Enough items that neither the resolution of the clock nor compiling matters. */
const minItems = 8_000_000;
const itemsInATurn = 1000;
/** Rounds of a large queue, which takes long enough. */
const minRounds = 2;

const makers: Readonly<Record<string, () => AnyQueue>> = {
  fettle() {
    const queue = new WorkQueue<typeof reason>({ clock: systemClock });
    return {
      add: (key) => queue.add(key, reason),
      work() {
        const item = queue.tryTake();
        if (item !== undefined) queue.done(item, finished);
        return item?.key;
      },
    };
  },
  naive() {
    const queue = new NaiveQueue<typeof reason>();
    return {
      add: (key) => queue.add(key, reason),
      work() {
        const item = queue.tryTake();
        if (item !== undefined) queue.done(item);
        return item?.key;
      },
    };
  },
};

let keys: readonly string[] = [];
/**
 * Queue that lives as long as the process, as in a program: without it the garbage collector would drop the code that is
 * compiled for queues between two measurements.
 */
let kept: AnyQueue | undefined;

process.on("message", (request: QueueRequest) => void measure(request));

async function measure({ queue, pattern, size }: QueueRequest): Promise<void> {
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

// The measured loops are functions that are called many times, as in a program: one endless loop would be compiled while it
// runs, for the first queue that it sees.

/** Adds all keys, then takes all, as after a start. */
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

/** Keeps the queue at its size: each key that is done is added again. */
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

/** Steady state with `take` in place of `tryTake`. */
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
  for (let left = itemsInATurn; left > 0; left--) {
    const item = await queue.take();
    if (item === undefined) throw new Error("the queue ended");
    queue.done(item, finished);
    queue.add(item.key, reason);
  }
}

function roundsOf(size: number): number {
  return size < 100_000 ? Math.ceil(minItems / size) : minRounds;
}

function nanoseconds(begin: number, items: number): number {
  return ((performance.now() - begin) * 1e6) / items;
}
