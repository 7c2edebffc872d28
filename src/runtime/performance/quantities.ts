import { duration, formatDuration } from "../../model/core.js";

/** Unit of a metric: seconds, bytes, or a number of things. */
export type MetricUnit = "seconds" | "bytes" | "count";

const sizes: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const binarySizes: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/**
 * Number that a limit stands for, in the unit of its metric.
 *
 * @example
 * quantityOf("500ms", "seconds"); // 0.5
 * quantityOf("1GB", "bytes"); // 1e9; "1GiB" and "1Gi" are 2 ** 30
 * @throws {RangeError} when the limit is no number of that unit.
 */
export function quantityOf(limit: number | string, unit: MetricUnit): number {
  const number = typeof limit === "number" || /^\s*\d+(\.\d+)?\s*$/.test(limit) ? Number(limit) : NaN;
  const value = Number.isNaN(number) && typeof limit === "string" ? textQuantity(limit, unit) : number;
  if (Number.isFinite(value) && value > 0) return value;
  const expected = {
    seconds: 'a duration such as "500ms", or a number of seconds',
    bytes: 'a size such as "1GB" or "512MiB", or a number of bytes',
    count: "a number",
  }[unit];
  throw new RangeError(`${JSON.stringify(limit)} is not a limit: give ${expected}, above 0`);
}

function textQuantity(text: string, unit: MetricUnit): number {
  if (unit === "seconds") {
    try {
      return duration(text) / 1000;
    } catch {
      return NaN;
    }
  }
  const [, digits, prefix = "", binary] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*$/i.exec(text) ?? [];
  if (unit === "count" || digits === undefined) return NaN;
  return Number(digits) * ((binary ? binarySizes : sizes)[prefix.toUpperCase()] ?? NaN);
}

/** A value with its unit, for people. */
export function formatQuantity(value: number, unit: MetricUnit): string {
  if (unit === "seconds") {
    const milliseconds = value * 1000;
    return formatDuration(milliseconds < 10 ? Number(milliseconds.toPrecision(2)) : Math.round(milliseconds));
  }
  if (unit === "count") return String(Math.round(value * 100) / 100);
  const prefix = ["T", "G", "M", "K", ""].find((each) => value >= (sizes[each] ?? 0)) ?? "";
  return `${Number((value / (sizes[prefix] ?? 1)).toPrecision(3))} ${prefix}B`;
}
