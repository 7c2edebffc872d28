import type { GoProgram } from "./peers/go-program.js";
import { startChild } from "./runtime-children.js";
import { inRounds, printSpread, printTitle, spread, type Goals, type Subject } from "./runtime-figures.js";
import type { QueueAnswer, QueueQuestion } from "./runtime-queue-process.js";
import { round } from "./report.js";

/** Go's queues, the workqueue and the priority queue, which bench/peers/queue asks in the same way. */
const peers = ["client-go", "controller-runtime"];
const patterns = ["fill and drain", "steady state"];
const awaited = "steady state, awaited";

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
  const subjects: Subject<number>[] = [];
  for (const size of sizes) {
    const questions = ["fettle", "naive"].flatMap((queue) =>
      patterns.map((pattern) => ({ queue, pattern, size })),
    );
    for (const question of [...questions, { queue: "fettle", pattern: awaited, size }]) {
      subjects.push({ ...subjectOf(question, () => inProcessOfItsOwn(question)), warm: true });
    }
    if (go === undefined) continue;
    for (const queue of peers) {
      for (const pattern of patterns) {
        const question = { queue, pattern, size };
        subjects.push({ ...subjectOf(question, () => go.ask<QueueAnswer>(question)), warm: true });
      }
    }
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
      goals.note(`${round(cost / spread(naive).median)}x the cost of a naive queue, which does less`);
    }
    for (const peer of peers) {
      const theirs = results.get(name.replace("fettle", peer).replace(", awaited", ""));
      if (theirs === undefined) continue;
      const { median } = spread(theirs);
      const shown = `${round(cost)} ns and ${round(median)} ns`;
      const what = name.slice("fettle: ".length);
      // Controllers wait only when there is nothing to take, as client-go's Get does: to wait each time is dearer, and rare.
      if (peer === "client-go" && !name.includes(awaited))
        goals.add(`no slower than client-go's (${what})`, cost <= median, shown);
      else goals.note(`${round(median / cost)}x as fast as ${peer}'s (${what}): ${shown}`);
    }
  }
}

/**
 * What was compiled for one pattern or size would be in the way of another, and what is compiled into one piece differs from
 * process to process, and with it the cost, by up to a half: so that each time another one is asked, when it is warm.
 */
async function inProcessOfItsOwn(question: QueueQuestion): Promise<QueueAnswer> {
  const child = startChild("runtime-queue-process.js", { flags: ["--expose-gc"] });
  try {
    await child.ask<QueueAnswer>(question);
    return await child.ask<QueueAnswer>(question);
  } finally {
    await child.stop();
  }
}

function subjectOf(
  { queue, pattern, size }: QueueQuestion,
  ask: () => Promise<QueueAnswer>,
): Subject<number> {
  return {
    name: `${queue}: ${pattern}, ${size.toLocaleString("en-US")} items`,
    measure: async () => (await ask()).nanoseconds,
  };
}
