import { formatTime } from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";

/** A parsed time, or the reason why parsing failed. */
export type ParsedTime = { readonly seconds: number; readonly micros: number } | { readonly error: string };

/** Element of a time's layout: its name in errors, its pattern and its range. */
interface Element {
  readonly layout: string;
  readonly pattern: RegExp;
  readonly range?: readonly [name: string, least: number, most: number];
}

const literal = (layout: string): Element => ({ layout, pattern: new RegExp(layout, "y") });

const year: Element = { layout: "2006", pattern: /\d{4}/y };
const month: Element = { layout: "01", pattern: /\d\d/y, range: ["month", 1, 12] };
const day: Element = { layout: "02", pattern: /\d\d/y, range: ["day", 1, 31] };
const hour: Element = { layout: "15", pattern: /\d\d?/y, range: ["hour", 0, 23] };
const minute: Element = { layout: "04", pattern: /\d\d/y, range: ["minute", 0, 59] };
const second: Element = { layout: "05", pattern: /\d\d(?:[.,]\d+)?/y, range: ["second", 0, 59] };
const wholeSecond: Element = { ...second, pattern: /\d\d/y };
const fraction: Element = { layout: ".000000", pattern: /[.,]\d{6}/y };
const zone: Element = { layout: "Z07:00", pattern: /Z|[+-]\d\d:\d\d/y };

const toMinute = [year, literal("-"), month, literal("-"), day, literal("T"), hour, literal(":"), minute];
const timeElements = [...toMinute, literal(":"), second, zone];
const microTimeElements = [...toMinute, literal(":"), wholeSecond, fraction, zone];

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** Parses an RFC 3339 time as Go does, with Go's error messages. A MicroTime needs six fractional digits. */
export function parseGoTime(text: string, micro: boolean): ParsedTime {
  const values: string[] = [];
  let position = 0;
  for (const { layout, pattern, range } of micro ? microTimeElements : timeElements) {
    pattern.lastIndex = position;
    const value = pattern.exec(text)?.[0];
    if (value === undefined) {
      const whole = micro ? microTimeLayout : timeLayout;
      return {
        error: `parsing time ${quote(text)} as "${whole}": cannot parse ${quote(text.slice(position))} as "${layout}"`,
      };
    }
    if (range && !(parseInt(value, 10) >= range[1] && parseInt(value, 10) <= range[2])) {
      return { error: `parsing time ${quote(text)}: ${range[0]} out of range` };
    }
    position += value.length;
    values.push(value);
  }
  if (position < text.length) {
    return { error: `parsing time ${quote(text)}: extra text: ${quote(text.slice(position))}` };
  }
  return toMoment(text, values);
}

function toMoment(text: string, values: readonly string[]): ParsedTime {
  const [y = "", , mo = "", , d = "", , h = "", , mi = "", , s = "", ...rest] = values;
  const offset = rest.at(-1) ?? "Z";
  const digits = rest.length > 1 ? (rest[0] ?? "") : s.slice(2);
  const date = new Date(0);
  date.setUTCFullYear(Number(y), Number(mo) - 1, Number(d));
  // Date rolls a day that the month does not have into the next month.
  if (date.getUTCMonth() !== Number(mo) - 1)
    return { error: `parsing time ${quote(text)}: day out of range` };
  let seconds = date.getTime() / 1000 + Number(h) * 3600 + Number(mi) * 60 + parseInt(s, 10);
  if (offset !== "Z") {
    const hours = Number(offset.slice(1, 3));
    const minutes = Number(offset.slice(4));
    if (hours > 24) return { error: `parsing time ${quote(text)}: time zone offset hour out of range` };
    if (minutes > 60) return { error: `parsing time ${quote(text)}: time zone offset minute out of range` };
    seconds -= (offset.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
  if (!canBeWritten(seconds)) return { error: `parsing time ${quote(text)}: year outside of range [0,9999]` };
  return { seconds, micros: Number(digits.slice(1, 7).padEnd(6, "0")) };
}

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * True if a text is a time as {@link writeTime} writes it, so that it need not be parsed. May return false for such a
 * text.
 */
export function isCanonicalTime(text: string, micro: boolean): boolean {
  if (text.length !== (micro ? 27 : 20) || text.charCodeAt(text.length - 1) !== 0x5a) return false;
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index);
    const wanted = separators[index];
    if (wanted === undefined ? code < 0x30 || code > 0x39 : code !== wanted) return false;
  }
  const month = pair(text, 5);
  return (
    // Go's zero time is in the year 1.
    !text.startsWith("000") &&
    month >= 1 &&
    pair(text, 8) >= 1 &&
    pair(text, 8) <= (daysIn[month - 1] ?? 0) &&
    pair(text, 11) <= 23 &&
    pair(text, 14) <= 59 &&
    pair(text, 17) <= 59
  );
}

const separators = Array.from("    -  -  T  :  :  .      ", (character) =>
  character === " " ? undefined : character.charCodeAt(0),
);

function pair(text: string, index: number): number {
  return text.charCodeAt(index) * 10 + text.charCodeAt(index + 1) - 0x30 * 11;
}

const firstSecond = new Date(0).setUTCFullYear(0, 0, 1) / 1000;
const endSecond = new Date(0).setUTCFullYear(10_000, 0, 1) / 1000;

/** True for years of four digits. */
export function canBeWritten(seconds: number): boolean {
  return seconds >= firstSecond && seconds < endSecond;
}

/** Go's zero time: January 1 of the year 1. */
const zeroSecond = new Date(0).setUTCFullYear(1, 0, 1) / 1000;

/** The time as Kubernetes writes it; null for Go's zero time. */
export function writeTime(seconds: number, micros: number, micro: boolean): string | null {
  if (seconds === zeroSecond && micros === 0) return null;
  const text = formatTime(seconds * 1000);
  // Fractional milliseconds would be rounded for dates far from 1970.
  return micro ? `${text.slice(0, -1)}.${String(micros).padStart(6, "0")}Z` : text;
}
