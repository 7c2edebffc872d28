type Optional<Unit extends string> = `${number}${Unit}` | "";

/**
 * Length of time: a number of milliseconds, or a string such as `"250ms"`, `"1.5s"`, `"1h30m"` or `"2d"`, with units in descending
 * order.
 */
export type Duration =
  | number
  | `${number}${"us" | "ns"}`
  | Exclude<
      `${Optional<"w">}${Optional<"d">}${Optional<"h">}${Optional<"m">}${Optional<"s">}${Optional<"ms">}`,
      ""
    >;

/** Milliseconds in each unit. A day is always 24 hours. */
const units = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["\u00B5s", 1e-3],
  ["\u03BCs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
  ["w", 604_800_000],
]);

const part = /(\d+(?:\.\d*)?|\.\d+)([a-z\u00B5\u03BC]+)/y;

/**
 * Converts a {@link Duration}, or text from elsewhere, such as a configuration file, to milliseconds. Throws if it is malformed.
 *
 * @example
 * duration("1h30m"); // 5400000
 * duration(250); // 250
 */
export function duration(value: number | string): number {
  if (typeof value === "number") {
    if (Number.isFinite(value) && value >= 0) return value;
    throw new RangeError(
      `invalid duration ${value}: use 0 or more milliseconds, or a string such as "1h30m"`,
    );
  }
  if (value === "0") return 0;
  if (value.startsWith("-")) throw new RangeError(`invalid duration ${quoted(value)}: must not be negative`);

  let milliseconds = 0;
  for (let position = 0; position < value.length || position === 0; position = part.lastIndex) {
    part.lastIndex = position;
    const [, digits, unit] = part.exec(value) ?? [];
    const size = unit === undefined ? undefined : units.get(unit);
    if (size === undefined) {
      throw new SyntaxError(
        `invalid duration ${quoted(value)}: use numbers with units, such as "250ms", "1.5s", "1h30m" or "2d" (units: ns, us, ms, s, m, h, d, w)`,
      );
    }
    milliseconds += Number(digits) * size;
  }
  if (!Number.isFinite(milliseconds)) throw new RangeError(`invalid duration ${quoted(value)}: too long`);
  return toNanoseconds(milliseconds);
}

/** Rounds to nanoseconds: 0.3s is 300 ms, not 299.99999999999994. */
function toNanoseconds(milliseconds: number): number {
  const whole = Math.floor(milliseconds);
  return whole + Math.round((milliseconds - whole) * 1e6) / 1e6;
}

/**
 * Formats milliseconds in the shortest form that {@link duration} reads.
 *
 * @example
 * formatDuration(5_400_000); // "1h30m"
 * formatDuration(1500); // "1.5s"
 */
export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(`invalid duration ${milliseconds}: use 0 or more milliseconds`);
  }
  let left = toNanoseconds(milliseconds);
  if (left === 0) return "0s";
  if (left < 0.001) return `${decimal(left * 1e6)}ns`;
  if (left < 1) return `${decimal(left * 1e3)}us`;
  if (left < 1000) return `${decimal(left)}ms`;
  let text = "";
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const) {
    const count = Math.floor(left / size);
    if (count > 0) text += `${decimal(count)}${unit}`;
    left -= count * size;
  }
  if (left > 0) text += `${decimal(left / 1000)}s`;
  return text;
}

/** Formats a number without an exponent, with at most nine decimals. */
function decimal(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, "");
}

/**
 * Formats a duration like kubectl's AGE column, with two or three significant figures: `47s`, `3m10s`, `5d3h`
 * or `2y10d`. Clocks of two machines differ, so up to two seconds in the future is `0s`.
 */
export function formatAge(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (!(seconds >= -1)) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 365 * 2) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? two(years, "y", days % 365, "d") : `${years}y`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
