import type { History, Operation, Page } from "../history.js";
import type { Log } from "./log.js";

interface Moment {
  readonly at: number;
  readonly revision: number;
}

/** Bounds on revisions by the order in which requests and responses were sent and received. */
export class RealTime {
  /** Revisions by when they were received; each with the maximum of all before it. */
  readonly #seen: readonly Moment[];
  /** Revisions of writes by when they were sent; each with the minimum of all after it. */
  readonly #sent: readonly Moment[];

  constructor({ operations, watches, reference }: History, log: Log) {
    const seen: Moment[] = operations.flatMap(seenBy);
    for (const { steps } of [reference, ...watches]) {
      for (const step of steps) {
        if (step.type === "event") seen.push({ at: step.at, revision: step.register.revision });
        if (step.type === "bookmark") seen.push({ at: step.at, revision: step.revision });
        if (step.type === "listed") seen.push({ at: step.at, revision: step.page.revision });
      }
    }
    this.#seen = accumulate(seen.sort(byTime), Math.max);
    const made = new Map(log.changes.map(({ revision, after }) => [after?.data["write"], revision]));
    const sent = operations.flatMap((operation): Moment[] => {
      if (operation.type !== "put") return [];
      const revision = made.get(operation.id);
      return revision === undefined ? [] : [{ at: operation.invoked, revision }];
    });
    this.#sent = accumulate(sent.sort(byTime).toReversed(), Math.min).toReversed();
  }

  /** Newest revision that any client had received before a moment. */
  seenBefore(at: number): number {
    return this.#seen[countBefore(this.#seen, at) - 1]?.revision ?? 0;
  }

  /** Newest revision that can have existed at a moment: writes that were sent later have greater ones. */
  newestAt(at: number): number {
    const next = this.#sent[countBefore(this.#sent, at)]?.revision;
    return next === undefined ? Infinity : next - 1;
  }
}

function seenBy(operation: Operation): Moment[] {
  const at = operation.returned;
  switch (operation.type) {
    case "put":
      return operation.outcome.type === "ok" ? [{ at, revision: operation.outcome.register.revision }] : [];
    case "get":
      return operation.found === undefined ? [] : [{ at, revision: operation.found.revision }];
    case "list":
      return operation.pages === "future"
        ? []
        : operation.pages.map(({ revision }: Page) => ({ at, revision }));
    default:
      return [];
  }
}

const byTime = (a: Moment, b: Moment): number => a.at - b.at;

function accumulate(moments: readonly Moment[], choose: (a: number, b: number) => number): Moment[] {
  const result: Moment[] = [];
  for (const { at, revision } of moments) {
    const last = result.at(-1);
    result.push({ at, revision: last === undefined ? revision : choose(last.revision, revision) });
  }
  return result;
}

/** Number of moments before one; binary search. */
function countBefore(moments: readonly Moment[], at: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((moments[middle]?.at ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
