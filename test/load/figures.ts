/** Full size, which takes minutes: set by `npm run load` and `npm run hostile`. */
export const full = process.env["FETTLE_LOAD"] === "full";

/** Time limit of a scenario; milliseconds. Generous, because only a hang is an error. */
export const patience = full ? 1_800_000 : 150_000;

/** Prints figures for people; none is asserted, since they depend on the machine and its load. */
export function report(scenario: string, figures: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const lines = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  console.log(`${scenario}\n${lines.join("\n")}`);
}

/** Percentile: the value below which the given share of all values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** Median and 99th percentile of latencies, as text. */
export function latencies(values: readonly number[]): string {
  const [half, most, all] = [0.5, 0.99, 1].map((share) => milliseconds(percentile(values, share)));
  return `median ${half}, 99 % ${most}, worst ${all} (${values.length} requests)`;
}

export function mebibytes(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} MiB`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
