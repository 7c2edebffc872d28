import type { GoProgram } from "./peers/go-program.js";
import { startChild } from "./runtime-children.js";
import { inRounds, printSpread, printTitle, spread, type Goals, type Subject } from "./runtime-figures.js";
import type { QueueResult, QueueRequest } from "./runtime-queue-process.js";
import { round } from "./report.js";

/** Go's workqueue and priority queue, measured in the same way by bench/peers/queue. */
const peers = ["client-go", "controller-runtime"];
const patterns = ["fill and drain", "steady state"];
const awaited = "steady state, awaited";

/** Cost of an item from add to done, in a small queue and in a large one. */
export async function benchQueue(
  {
    rounds,
    sizes,
    limit,
  }: { readonly rounds: number; readonly sizes: readonly number[]; readonly limit: number },
  goals: Goals,
  go?: GoProgram,
): Promise<void> {
  const subjects: Subject<number>[] = [];
  for (const size of sizes) {
    const requests = ["fettle", "naive"].flatMap((queue) =>
      patterns.map((pattern) => ({ queue, pattern, size })),
    );
    for (const request of [...requests, { queue: "fettle", pattern: awaited, size }]) {
      subjects.push({ ...subjectOf(request, () => inProcessOfItsOwn(request)), warm: true });
    }
    if (go === undefined) continue;
    for (const queue of peers) {
      for (const pattern of patterns) {
        const request = { queue, pattern, size };
        subjects.push({ ...subjectOf(request, () => go.ask<QueueResult>(request)), warm: true });
      }
    }
  }
  const results = await inRounds(rounds, subjects, { limit });

  printTitle("queue: add + take + done, per item, in 100 namespaces");
  for (const [name, values] of results) printSpread(name, spread(values), "ns");
  for (const [name, values] of results) {
    if (!name.startsWith("fettle")) continue;
    const cost = spread(values).median;
    const maxCost = name.includes("1,000,000") ? 2500 : 1000;
    const goal = `at most ${maxCost / 1000} µs per item (${name.slice("fettle: ".length)})`;
    goals.add(goal, cost <= maxCost, `${round(cost)} ns`);
    const naive = results.get(name.replace("fettle", "naive"));
    if (naive !== undefined) {
      goals.note(`${round(cost / spread(naive).median)}x the cost of a naive queue, which does less`);
    }
    for (const peer of peers) {
      const theirs = results.get(name.replace("fettle", peer).replace(", awaited", ""));
      if (theirs === undefined) continue;
      const { median } = spread(theirs);
      const shown = `${round(cost)} ns and ${round(median)} ns`;
      const what = name.slice("fettle: ".length);
      // Controllers wait only when there is nothing to take, as client-go's Get does.
      if (peer === "client-go" && !name.includes(awaited))
        goals.add(`no slower than client-go's (${what})`, cost <= median, shown);
      else goals.note(`${round(median / cost)}x as fast as ${peer}'s (${what}): ${shown}`);
    }
  }
}

/**
 * Measures in a warm process of its own: code that is compiled for one pattern or size slows down another, and the result
 * differs by up to a half from process to process.
 */
async function inProcessOfItsOwn(request: QueueRequest): Promise<QueueResult> {
  const child = startChild("runtime-queue-process.js", { flags: ["--expose-gc"] });
  try {
    await child.ask<QueueResult>(request);
    return await child.ask<QueueResult>(request);
  } finally {
    await child.stop();
  }
}

function subjectOf({ queue, pattern, size }: QueueRequest, ask: () => Promise<QueueResult>): Subject<number> {
  return {
    name: `${queue}: ${pattern}, ${size.toLocaleString("en-US")} items`,
    measure: async () => (await ask()).nanoseconds,
  };
}
