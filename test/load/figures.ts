/** Whether everything is as large as it can be, which takes minutes: `npm run load`. */
export const full = process.env["FETTLE_LOAD"] === "full";

/** How long a scenario may take, in milliseconds: only what never ends is wrong. */
export const patience = full ? 1_800_000 : 150_000;

/** Figures are for people: none of them is asserted, since they depend on the machine and on who else uses it. */
export function report(scenario: string, figures: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const lines = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  console.log(`${scenario}\n${lines.join("\n")}`);
}

/** The value below which a share of all values lies. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

/** How long requests took: half of them less than the first, all but one of a hundred less than the second. */
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
