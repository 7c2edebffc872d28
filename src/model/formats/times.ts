import { isPlainTime } from "./go-time.js";

const fullDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const clockTime = /^(\d{2}):(\d{2}):(\d{2})(?:[^\n]\d+)?(?:z|[+-]\d{2}:\d{2})$/u;
const shortMonths: ReadonlySet<number> = new Set([4, 6, 9, 11]);

/** Format `date`: a day that exists. */
export function isDate(text: string): boolean {
  const [, year, month, day] = (fullDate.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return shortMonths.has(month) ? 30 : 31;
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return isLeap ? 29 : 28;
}

/** Format `date-time`, as loose as in Kubernetes: everything after a second `T` is ignored. */
export function isDateTime(text: string): boolean {
  if (isPlainTime(text)) return true;
  const [date = "", time] = text.split(/t/i, 2);
  if (time === undefined || !isDate(date)) return false;
  const [, hour, minute, second] = clockTime.exec(time.toLowerCase()) ?? [];
  if (hour === undefined || minute === undefined || second === undefined) return false;
  return hour <= "23" && minute <= "59" && second <= "59";
}

const units = new Map([
  ["ns", 1],
  ["us", 1e3],
  ["\u00B5s", 1e3],
  ["\u03BCs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["m", 60e9],
  ["h", 3600e9],
]);
const goPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h)/y;
const longestDuration = 2 ** 63;

/** True for a duration as Go parses it. */
function isGoDuration(text: string): boolean {
  const negative = text.startsWith("-");
  const start = negative || text.startsWith("+") ? 1 : 0;
  if (text.slice(start) === "0") return true;
  if (text.length === start) return false;
  let nanoseconds = 0;
  for (let at = start; at < text.length; at = goPart.lastIndex) {
    goPart.lastIndex = at;
    const [, number, unit] = goPart.exec(text) ?? [];
    if (number === undefined || unit === undefined) return false;
    nanoseconds += Number(number) * (units.get(unit) ?? 0);
  }
  return negative ? nanoseconds <= longestDuration : nanoseconds < longestDuration;
}

const longNames = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
const shortNames: ReadonlySet<string> = new Set([
  "ns",
  "us",
  "\u00B5s",
  "\u03BCs",
  "ms",
  "s",
  "m",
  "h",
  "hr",
  "d",
  "w",
  "wk",
]);
const amount = /\d+/g;
const unitName = /[\t\n\f\r ]*([A-Za-z\u00B5]+)/y;
const longestAmount = 2n ** 63n;

/** Format `duration`: one of Go's, or any string that contains an amount and a unit, such as `2 weeks`. */
export function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  let found = false;
  // Digits are matched as a whole before the unit, so that no character is read more than twice.
  for (const { 0: digits, index } of text.matchAll(amount)) {
    unitName.lastIndex = index + digits.length;
    const unit = unitName.exec(text)?.[1]?.toLowerCase();
    if (unit === undefined) continue;
    const significant = digits.replace(/^0+/, "");
    if (significant.length > 19 || BigInt(significant || "0") >= longestAmount) return false;
    found ||= shortNames.has(unit) || longNames.some((name) => unit.startsWith(name));
  }
  return found;
}
