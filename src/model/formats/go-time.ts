import { quote } from "../object/quote.js";

const layout = "2006-01-02T15:04:05Z07:00";

/** Parts of a time, by their placeholder in Go's layout. */
const parts: readonly (readonly [name: string, form: RegExp, max?: number, called?: string])[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d{2}/, 12, "month"],
  ["-", /^-/],
  ["02", /^\d{2}/, 31, "day"],
  ["T", /^T/],
  ["15", /^\d{2}/, 23, "hour"],
  [":", /^:/],
  ["04", /^\d{2}/, 59, "minute"],
  [":", /^:/],
  ["05", /^\d{2}(?:[.,]\d+)?/, 59, "second"],
  ["Z07:00", /^(?:Z|[+-]\d{2}:\d{2})/],
];

/** Explains why Go cannot parse a string as RFC 3339, with its message; undefined if it can. */
export function goTimeFault(text: string): string | undefined {
  if (isPlainTime(text)) return undefined;
  const prefix = `parsing time ${quote(text)}`;
  let rest = text;
  for (const [name, form, max, called] of parts) {
    const part = form.exec(rest)?.[0];
    if (part === undefined)
      return `${prefix} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(name)}`;
    const value = Math.floor(Number(part.replace(",", ".")));
    const min = called === "month" || called === "day" ? 1 : 0;
    if (max !== undefined && (value > max || value < min)) return `${prefix}: ${called} out of range`;
    rest = rest.slice(part.length);
  }
  if (rest !== "") return `${prefix}: extra text: ${quote(rest)}`;
  return isRealDay(text) ? undefined : `${prefix}: day out of range`;
}

const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** True for a time as Kubernetes writes it, on a day that every month has: a fast check for most times. */
export function isPlainTime(text: string): boolean {
  return text.length === 20 && plainTime.test(text);
}

function isRealDay(text: string): boolean {
  const [year = 0, month = 1, day = 1] = text.slice(0, 10).split("-").map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCDate() === day;
}
