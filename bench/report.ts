/** How a benchmark tells its figures: one line each, with the size it was measured at. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** The middle of several measurements, which one disturbance does not move. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/**
 * Runs the contenders in turn, several rounds, so that a noisy moment hits all of them; the median of each. Before each
 * one's turn, `settle` clears away what the one before has left behind.
 */
export async function inTurn<Name extends string>(
  rounds: number,
  contenders: Record<Name, () => Promise<number> | number>,
  settle: () => void = () => {},
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const results = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      settle();
      results.get(name)?.push(await contenders[name]());
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(results.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** How often a second `work` gets done, `count` at a time, over about `milliseconds`. */
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

/** Figures of several sizes side by side, and how they grow from the first size to the last. */
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
    const ratio = (figures.at(-1)?.value ?? NaN) / (figures[0]?.value ?? NaN);
    const cells = figures.map((figure) => cell(figure ? `${round(figure.value)} ${figure.unit}` : "-"));
    console.log(`${name.padEnd(width)}${cells.join("")}${cell(`${ratio.toFixed(2)}x`)}`);
  }
}

export function round(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}
