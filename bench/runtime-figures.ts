import { readFileSync } from "node:fs";
import { median, Progress, round, record } from "./report.js";

/** What several rounds of one measurement gave, and how far apart they were. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Something measured in rounds; what one round gives may be several figures. */
export interface Subject<Result> {
  readonly name: string;
  /** In the round before the first, which does not count, a smaller task will do. */
  readonly measure: (warmUp: boolean) => Promise<Result> | Result;
  /** Whether it has nothing to warm up, as programs compiled beforehand. */
  readonly warm?: boolean;
}

export function spread(values: readonly number[]): Spread {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

/**
 * Measures subjects in turn, round by round, so that a noisy moment hits all of them. A first round, which does not count,
 * lets everything be compiled. No round begins once `limit` seconds are over, but one there always is.
 *
 * Memory is collected when V8 sees fit, as in a program. Were it told to while nothing is under way, it would forget what
 * the objects of runs and requests look like, and with that what it has compiled: the next round would begin cold.
 */
export async function inRounds<Result>(
  rounds: number,
  subjects: readonly Subject<Result>[],
  { warmUp = true, limit = Infinity }: { readonly warmUp?: boolean; readonly limit?: number } = {},
): Promise<Map<string, Result[]>> {
  const results = new Map<string, Result[]>(subjects.map(({ name }) => [name, []]));
  const begin = performance.now();
  const progress = new Progress();
  for (let number = warmUp ? 0 : 1; number <= rounds; number++) {
    const seconds = (performance.now() - begin) / 1000;
    if (number > 1 && seconds > limit) {
      progress.clear();
      console.log(`\n  ${number - 1} of ${rounds} rounds: after ${limit} s no other begins (--limit)`);
      break;
    }
    const turn = number === 0 ? "warm-up" : `round ${number} of ${rounds}`;
    for (const { name, measure, warm = false } of subjects) {
      if (number === 0 && warm) continue;
      progress.show(`${turn}: ${name}`);
      const result = await measure(number === 0);
      if (number > 0) results.get(name)?.push(result);
    }
  }
  progress.clear();
  return results;
}

/**
 * Begins to look at how much of the processors' time goes to others than this machine, when it is a virtual one; returns
 * what tells the share since then, as Linux does.
 */
export function lookAtHost(): () => string | undefined {
  const begin = processorTimes();
  return () => {
    const end = processorTimes();
    const all = sum(end) - sum(begin);
    // The eighth is time in which there was work, and no processor to do it.
    const taken = (end[7] ?? 0) - (begin[7] ?? 0);
    return all > 0 ? `${round((100 * taken) / all)} %` : undefined;
  };
}

function processorTimes(): readonly number[] {
  try {
    const [first = ""] = readFileSync("/proc/stat", "utf8").split("\n");
    return first.split(/\s+/).slice(1).map(Number);
  } catch {
    return [];
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The value below which a share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function printTitle(text: string): void {
  console.log(`\n${text}`);
}

/** One line: what was measured, the median, and the rounds it lies between. */
export function printSpread(
  name: string,
  { min, median: middle, max }: Spread,
  unit: string,
  more = "",
): void {
  record(name, middle, unit);
  const range = min === max ? "" : `${round(min)} … ${round(max)}`;
  const value = `${round(middle)} ${unit}`;
  console.log(`  ${name.padEnd(nameWidth)}${value.padStart(14)}  ${range.padStart(17)}  ${more}`.trimEnd());
}

const nameWidth = 66;

/** What was wanted, and whether it came true; printed at the end, all together. */
export class Goals {
  readonly #lines: string[] = [];

  add(text: string, met: boolean, shown: string): void {
    this.#lines.push(`  ${met ? "met    " : "NOT MET"}  ${text}: ${shown}`);
  }

  missing(text: string, why: string): void {
    this.#lines.push(`  MISSING  ${text}: ${why}`);
  }

  beside(text: string): void {
    this.#lines.push(`  beside   ${text}`);
  }

  print(): void {
    if (this.#lines.length === 0) return;
    console.log("\ngoals");
    for (const line of this.#lines) console.log(line);
  }
}
