/** A measurement that is repeated, in turn with others. */
export interface Contender {
  readonly name: string;
  readonly unit: string;
  measure(): Promise<number> | number;
}

/** One figure of a table; all columns of a table have the same names. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const recorded: Figure[] = [];

/** Keeps a figure for {@link printRecorded}. */
export function record(name: string, value: number, unit: string): void {
  recorded.push({ name, value, unit });
}

/** Prints all recorded figures as one line of JSON, where the command line has `--json`: `bench/compare.mjs` reads it. */
export function printRecorded(): void {
  if (process.argv.includes("--json")) console.log(JSON.stringify(recorded));
}

/** Median of several measurements; a single disturbance does not change it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/**
 * Measures columns of contenders in turn, row by row and round by round, so that a noisy moment hits all of them, and
 * takes the median of each. `settle` runs before each measurement, to finish work that the previous one left behind.
 */
export async function inTurn(
  rounds: number,
  columns: readonly (readonly Contender[])[],
  settle: () => void,
): Promise<Figure[][]> {
  const results = new Map<Contender, number[]>();
  const progress = new Progress();
  for (let round = 0; round < rounds; round++) {
    for (const row of (columns[0] ?? []).keys()) {
      for (const column of columns) {
        const contender = column[row];
        if (contender === undefined) continue;
        progress.show(`round ${round + 1} of ${rounds}: ${contender.name}`);
        settle();
        const measured = results.get(contender) ?? [];
        results.set(contender, [...measured, await contender.measure()]);
      }
    }
  }
  progress.clear();
  return columns.map((column) =>
    column.map((contender) => ({
      name: contender.name,
      unit: contender.unit,
      value: median(results.get(contender) ?? []),
    })),
  );
}

/** Shows the current measurement: on a terminal in one line that is overwritten, elsewhere as lines with the elapsed seconds. */
export class Progress {
  readonly #begin = performance.now();

  show(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r  ${text}`.padEnd(100));
    else
      process.stderr.write(
        `  ${((performance.now() - this.#begin) / 1000).toFixed(1).padStart(6)} s  ${text}\n`,
      );
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write("\r".padEnd(100) + "\r");
  }
}

/** Calls `work` for about `milliseconds`; returns operations per second, where each call counts as `count`. */
export async function rate(
  milliseconds: number,
  count: number,
  work: () => Promise<void> | void,
): Promise<number> {
  const start = performance.now();
  let done = 0;
  let now = start;
  while (now - start < milliseconds) {
    await work();
    done += count;
    now = performance.now();
  }
  return (done * 1000) / (now - start);
}

/** Milliseconds that `work` takes. */
export async function duration(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Prints figures of several sizes side by side, with the ratio of the last size to the first. */
export function printTable(title: string, columns: readonly (readonly [string, readonly Figure[]])[]): void {
  const names = columns[0]?.[1].map((figure) => figure.name) ?? [];
  const width = Math.max(...names.map((name) => name.length), title.length);
  const cell = (text: string): string => text.padStart(18);
  console.log(
    `\n${title.padEnd(width)}${columns.map(([name]) => cell(name)).join("")}${cell("last / first")}`,
  );
  console.log("-".repeat(width + 18 * (columns.length + 1)));
  for (const [index, name] of names.entries()) {
    const figures = columns.map(([, list]) => list[index]);
    if (figures[0] !== undefined) record(name, figures[0].value, figures[0].unit);
    const ratio = (figures.at(-1)?.value ?? NaN) / (figures[0]?.value ?? NaN);
    const cells = figures.map((figure) => cell(figure ? `${round(figure.value)} ${figure.unit}` : "-"));
    console.log(`${name.padEnd(width)}${cells.join("")}${cell(`${ratio.toFixed(2)}x`)}`);
  }
}

export function round(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}
