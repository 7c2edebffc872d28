import { systemClock } from "fettle/model";
import { WorkQueue } from "fettle/runtime";
import type { GoProgram } from "./peers/go-program.js";
import { inRounds, printSpread, printTitle, spread, type Goals, type Subject } from "./runtime-figures.js";
import { NaiveQueue } from "./runtime-naive-queue.js";
import { nameOf } from "./runtime-widgets.js";
import { round } from "./report.js";

/** What both queues can do, so that both are asked in the same way. */
interface AnyQueue {
  add(key: string): void;
  /** Takes the next key and says that it is done; undefined when nothing waits. */
  work(): string | undefined;
}

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

/** Go's queues, the workqueue and the priority queue, which bench/peers/queue asks in the same way. */
const peers = ["client-go", "controller-runtime"];
const patterns = ["fill and drain", "steady state"];

const reason = { type: "updated", at: 0 } as const;
const finished = { type: "done" } as const;
/** Enough of them that neither the clock's grain matters nor compiling, which a queue that lasts sees once. */
const leastItems = 2_000_000;

/** What an item costs from being added to being done, in a small queue and in a large one. */
export async function benchQueue(
  {
    rounds,
    sizes,
    limit,
  }: { readonly rounds: number; readonly sizes: readonly number[]; readonly limit: number },
  goals: Goals,
  go?: GoProgram,
): Promise<void> {
  const keys = Array.from(
    { length: Math.max(...sizes) },
    (_, index) => `team-${index % 100}/${nameOf(index)}`,
  );
  const subjects: Subject<number>[] = [];
  for (const size of sizes) {
    for (const [who, make] of Object.entries(makers)) {
      const of = (what: string): string => `${who}: ${what}, ${size.toLocaleString("en-US")} items`;
      subjects.push({ name: of("fill and drain"), measure: () => fillAndDrain(make(), keys, size) });
      subjects.push({ name: of("steady state"), measure: () => steadyState(make(), keys, size) });
    }
    const name = `fettle: steady state, awaited, ${size.toLocaleString("en-US")} items`;
    subjects.push({ name, measure: () => awaited(keys, size) });
    if (go !== undefined) subjects.push(...peerSubjects(go, size));
  }
  const results = await inRounds(rounds, subjects, { limit });

  printTitle("queue: add + take + done, per item, in 100 namespaces");
  for (const [name, values] of results) printSpread(name, spread(values), "ns");
  for (const [name, values] of results) {
    if (!name.startsWith("fettle")) continue;
    const cost = spread(values).median;
    goals.add(`at most 1 µs per item (${name.slice("fettle: ".length)})`, cost <= 1000, `${round(cost)} ns`);
    const naive = results.get(name.replace("fettle", "naive"));
    if (naive !== undefined) {
      goals.beside(`${round(cost / spread(naive).median)}x the cost of a naive queue, which does less`);
    }
    for (const peer of peers) {
      // Their get is one that waits, whichever of ours it stands beside.
      const theirs = results.get(name.replace("fettle", peer).replace(", awaited", ""));
      if (theirs === undefined) continue;
      const { median } = spread(theirs);
      const shown = `${round(cost)} ns and ${round(median)} ns`;
      const what = name.slice("fettle: ".length);
      if (peer === "client-go") goals.add(`no slower than client-go's (${what})`, cost <= median, shown);
      else goals.beside(`${round(median / cost)}x as fast as ${peer}'s (${what}): ${shown}`);
    }
  }
}

function peerSubjects(go: GoProgram, size: number): Subject<number>[] {
  return peers.flatMap((queue) =>
    patterns.map((pattern) => ({
      name: `${queue}: ${pattern}, ${size.toLocaleString("en-US")} items`,
      warm: true,
      async measure() {
        const { nanoseconds } = await go.ask<{ nanoseconds: number }>({ queue, pattern, size });
        return nanoseconds;
      },
    })),
  );
}

/** All are added, then all are worked off, as after a start. */
function fillAndDrain(queue: AnyQueue, keys: readonly string[], size: number): number {
  const times = Math.max(1, Math.ceil(leastItems / size));
  const begin = performance.now();
  for (let time = 0; time < times; time++) {
    for (let index = 0; index < size; index++) queue.add(keys[index] ?? "");
    let done = 0;
    while (queue.work() !== undefined) done++;
    if (done !== size) throw new Error(`${done} of ${size} items came out of the queue`);
  }
  return nanoseconds(begin, times * size);
}

/** So many wait all the time: each that is done is added again. */
function steadyState(queue: AnyQueue, keys: readonly string[], size: number): number {
  for (let index = 0; index < size; index++) queue.add(keys[index] ?? "");
  globalThis.gc?.();
  const items = Math.max(size, leastItems);
  const begin = performance.now();
  for (let item = 0; item < items; item++) queue.add(queue.work() ?? "");
  return nanoseconds(begin, items);
}

/** The same with `take`, which is what a controller waits for. */
async function awaited(keys: readonly string[], size: number): Promise<number> {
  const queue = new WorkQueue<typeof reason>({ clock: systemClock });
  for (let index = 0; index < size; index++) queue.add(keys[index] ?? "", reason);
  globalThis.gc?.();
  const items = Math.max(size, leastItems);
  const begin = performance.now();
  for (let item = 0; item < items; item++) {
    const work = await queue.take();
    if (work === undefined) throw new Error("the queue ended");
    queue.done(work, finished);
    queue.add(work.key, reason);
  }
  const cost = nanoseconds(begin, items);
  queue.close();
  return cost;
}

function nanoseconds(begin: number, items: number): number {
  return ((performance.now() - begin) * 1e6) / items;
}
