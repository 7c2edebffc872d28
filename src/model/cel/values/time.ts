import { CelError, CelDuration, CelTimestamp } from "./value.js";

const second = 1_000_000_000n;
const intLimit = 2n ** 63n;
const earliest = -62_135_596_800n * second;
const latest = BigInt(Date.UTC(9999, 11, 31, 23, 59, 59)) * 1_000_000n + second - 1n;

/** Checks that a timestamp is in the years 1 to 9999. */
export function checkedTimestamp(nanoseconds: bigint): CelTimestamp | CelError {
  if (nanoseconds < earliest || nanoseconds > latest) return new CelError("timestamp overflow");
  return new CelTimestamp(nanoseconds);
}

/** Checks that a duration fits into 64 bits. */
export function checkedDuration(nanoseconds: bigint): CelDuration | CelError {
  if (nanoseconds < -intLimit || nanoseconds >= intLimit) return new CelError("duration overflow");
  return new CelDuration(nanoseconds);
}

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Parses RFC 3339 to nanoseconds since 1970; undefined if it is invalid. */
export function readTimestamp(text: string): bigint | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = "", sign, zoneHours, zoneMinutes] = match;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0;
  if (!isDay || hour > 23 || minute > 59 || seconds > 59) return undefined;
  date.setUTCHours(hour, minute, seconds);
  const offset = Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0);
  const instant = date.getTime() - (sign === "-" ? -offset : offset) * 60_000;
  return BigInt(instant) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, "0"));
}

/** Formats a timestamp as RFC 3339, with as many decimals as needed. */
export function renderTimestamp({ nanoseconds }: CelTimestamp): string {
  const { date, rest } = split(nanoseconds);
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  const head = `${year}${date.toISOString().replace(/^[+-]?\d+(-\d\d-\d\dT\d\d:\d\d:\d\d).*$/, "$1")}`;
  const fraction = rest.toString().padStart(9, "0").replace(/0+$/, "");
  return `${head}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Splits a timestamp into a date with whole seconds and the remaining nanoseconds. */
function split(nanoseconds: bigint): { readonly date: Date; readonly rest: bigint } {
  const rest = ((nanoseconds % second) + second) % second;
  return { date: new Date(Number((nanoseconds - rest) / 1_000_000n)), rest };
}

/**
 * Converts to local time: a date whose UTC fields show the local time in a zone; undefined for an unknown
 * zone.
 */
export function dateAt({ nanoseconds }: CelTimestamp, zone: string): Date | undefined {
  const { date } = split(nanoseconds);
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined && minutes !== undefined) {
    const offset = Number(hours) * 60 + Number(minutes);
    return new Date(date.getTime() + (sign === "-" ? -offset : offset) * 60_000);
  }
  if (zone === "UTC" || zone === "") return date;
  const format = zoneFormat(zone);
  if (!format) return undefined;
  const parts = new Map(format.formatToParts(date).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? 0);
  const result = new Date(0);
  result.setUTCFullYear(part("year"), part("month") - 1, part("day"));
  result.setUTCHours(part("hour"), part("minute"), part("second"));
  return result;
}

const maxCachedZones = 100;
const zoneFormats = new Map<string, Intl.DateTimeFormat | undefined>();

/** Cached, because creating a format takes far longer than using it. */
function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (zoneFormats.has(zone)) return zoneFormats.get(zone);
  if (zoneFormats.size >= maxCachedZones) zoneFormats.clear();
  let format: Intl.DateTimeFormat | undefined;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    format = undefined;
  }
  zoneFormats.set(zone, format);
  return format;
}

/** Milliseconds within the second. */
export function millisecondsOf({ nanoseconds }: CelTimestamp): bigint {
  return split(nanoseconds).rest / 1_000_000n;
}

const units = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["\u00B5s", 1000n],
  ["\u03BCs", 1000n],
  ["ms", 1_000_000n],
  ["s", second],
  ["m", 60n * second],
  ["h", 3600n * second],
]);
const part = /(?:(\d+)(?:\.(\d*))?|\.(\d+))(ns|us|\u00B5s|\u03BCs|ms|s|m|h)/y;

/** Parses a Go duration such as `1h30m` to nanoseconds; undefined if it is invalid. */
export function readDuration(text: string): bigint | undefined {
  const start = /^[+-]/.test(text) ? 1 : 0;
  if (text.length > 1000) return undefined;
  if (text.slice(start) === "0") return 0n;
  if (text.length === start) return undefined;
  let total = 0n;
  for (let at = start; at < text.length; at = part.lastIndex) {
    part.lastIndex = at;
    const [, whole, fraction, alone, unit = ""] = part.exec(text) ?? [];
    const size = units.get(unit);
    if (size === undefined) return undefined;
    const digits = fraction ?? alone ?? "";
    total += BigInt(whole ?? 0) * size + (BigInt(digits || 0) * size) / 10n ** BigInt(digits.length);
  }
  const result = text.startsWith("-") ? -total : total;
  return result >= -intLimit && result < intLimit ? result : undefined;
}

const looseUnits: readonly (readonly [RegExp, bigint])[] = [
  [/^(?:ns|nano)/, 1n],
  [/^(?:us|\u00B5s|\u03BCs|micro)/, 1000n],
  [/^(?:ms|milli)/, 1_000_000n],
  [/^(?:s$|sec)/, second],
  [/^(?:m$|min)/, 60n * second],
  [/^(?:h$|hr|hour)/, 3600n * second],
  [/^(?:d$|day)/, 86_400n * second],
  [/^(?:w$|wk|week)/, 604_800n * second],
];

/** Parses a field of format `duration`, which may also be `2 weeks`. */
export function readLooseDuration(text: string): bigint | undefined {
  const strict = readDuration(text);
  if (strict !== undefined) return strict;
  let total: bigint | undefined;
  for (const [, amount = "0", unit = ""] of text.matchAll(/(\d{1,18})[\t\n\f\r ]*([A-Za-z\u00B5]+)/g)) {
    const size = looseUnits.find(([form]) => form.test(unit.toLowerCase()))?.[1];
    if (size !== undefined) total = (total ?? 0n) + BigInt(amount) * size;
  }
  return total !== undefined && total < intLimit ? total : undefined;
}

/** Formats a duration in seconds, as `string(duration)` does. */
export function renderDuration({ nanoseconds }: CelDuration): string {
  const sign = nanoseconds < 0n ? "-" : "";
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = (size % second).toString().padStart(9, "0").replace(/0+$/, "");
  return `${sign}${size / second}${fraction === "" ? "" : `.${fraction}`}s`;
}
