import { readFileSync } from "node:fs";
import { median, Progress, round, record } from "./report.js";

/** Median and range of several rounds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** A measurement that is repeated in rounds; the result of a round may hold several figures. */
export interface Subject<Result> {
  readonly name: string;
  /** Runs one round; the warm-up, whose result is discarded, may be smaller. */
  readonly measure: (warmUp: boolean) => Promise<Result> | Result;
  /** Skips the warm-up, for programs that are compiled ahead of time. */
  readonly warm?: boolean;
}

export function spread(values: readonly number[]): Spread {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

/**
 * Measures subjects in turn, round by round, so that a noisy moment hits all of them, after a warm-up round that lets V8
 * compile the code. At least one round runs; no other starts after `limit` seconds.
 *
 * No garbage collection is forced between rounds: it would drop the hidden classes of runs and requests, and with them the
 * optimized code, so that the next round would start cold.
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
      console.log(`\n  ${number - 1} of ${rounds} rounds: stopped after ${limit} s (--limit)`);
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
 * Starts to observe steal time, the processor time that the host of a virtual machine gives to other guests. Returns a
 * function for the share since then, from Linux's /proc/stat.
 */
export function lookAtHost(): () => string | undefined {
  const begin = processorTimes();
  return () => {
    const end = processorTimes();
    const all = sum(end) - sum(begin);
    // The eighth field is steal time.
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

/** Percentile: the value below which the given share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function printTitle(text: string): void {
  console.log(`\n${text}`);
}

/** Prints one line: name, median and range. */
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

/** Goals with their outcome, printed together at the end. */
export class Goals {
  readonly #lines: string[] = [];

  add(text: string, met: boolean, shown: string): void {
    this.#lines.push(`  ${met ? "met    " : "NOT MET"}  ${text}: ${shown}`);
  }

  missing(text: string, why: string): void {
    this.#lines.push(`  MISSING  ${text}: ${why}`);
  }

  note(text: string): void {
    this.#lines.push(`  note     ${text}`);
  }

  print(): void {
    if (this.#lines.length === 0) return;
    console.log("\ngoals");
    for (const line of this.#lines) console.log(line);
  }
}
