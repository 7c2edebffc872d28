import type { History } from "./history.js";

/** One line about the size of a history and the situations that it contains. */
export function summarize({ operations, watches, reference }: History): string {
  const outcomes = { ok: 0, refused: 0, unknown: 0 };
  let reads = 0;
  for (const operation of operations) {
    if ("outcome" in operation) outcomes[operation.outcome.type]++;
    else reads++;
  }
  const steps = [reference, ...watches].flatMap((watch) => watch.steps);
  const count = (type: string): number => steps.filter((step) => step.type === type).length;
  return (
    `${outcomes.ok} writes acknowledged, ${outcomes.refused} refused, ${outcomes.unknown} unknown; ${reads} reads; ` +
    `${count("event")} events and ${count("bookmark")} bookmarks in ${count("opened")} watches, ${count("expired")} expired`
  );
}
