/** RFC 3339 gives the year four digits; these are the ends of what fits. */
const earliest = new Date(0).setUTCFullYear(0, 0, 1);
const end = new Date(0).setUTCFullYear(10_000, 0, 1);

/**
 * A moment as Kubernetes' `Time`: RFC 3339 in UTC, whole seconds.
 *
 * @example
 * formatTime(1767225600000); // "2026-01-01T00:00:00Z"
 */
export function formatTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastFormatted.second)
    lastFormatted = { second, text: `${toIso(milliseconds).slice(0, 19)}Z` };
  return lastFormatted.text;
}

/** The text of the last second asked for: who stamps many objects asks for the same one again and again. */
let lastFormatted = { second: NaN, text: "" };

/** A moment as Kubernetes' `MicroTime`, with six digits after the second. */
export function formatMicroTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  // Below a quarter of a microsecond a number this large has no digits left, so it is rounded, not cut.
  const micros = Math.min(999, Math.round((milliseconds - whole) * 1000));
  return `${toIso(whole).slice(0, 23)}${String(micros).padStart(3, "0")}Z`;
}

function toIso(milliseconds: number): string {
  if (!(milliseconds >= earliest && milliseconds < end)) {
    throw new RangeError(`${milliseconds} ms since 1970 cannot be written: only the years 0000 to 9999 can`);
  }
  return new Date(Math.floor(milliseconds)).toISOString();
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * Milliseconds since 1970 of an RFC 3339 text, down to the microsecond where the text goes there. Strict: no
 * spaces, no lower case, no 30th of February, no leap second.
 */
export function parseTime(text: string): number {
  const match = rfc3339.exec(text);
  if (match === null) {
    throw new SyntaxError(
      `${quoted(text)} is not a time: write it as RFC 3339, such as 2026-01-31T09:30:00Z or 2026-01-31T09:30:00.5+01:00`,
    );
  }
  const number = (group: number): number => Number(match[group] ?? 0);
  const month = number(2);
  const day = number(3);
  const date = new Date(0);
  date.setUTCFullYear(number(1), month - 1, day);
  checkRange(text, "month", month, 1, 12);
  // A day that the month does not have has moved the date into the next month.
  if (day < 1 || date.getUTCMonth() !== month - 1) fail(text, `its month has no day ${day}`);
  date.setUTCHours(
    checkRange(text, "hour", number(4), 0, 23),
    checkRange(text, "minute", number(5), 0, 59),
    checkRange(text, "second", number(6), 0, 59),
  );
  const offset =
    checkRange(text, "offset's hour", number(9), 0, 23) * 60 +
    checkRange(text, "offset's minute", number(10), 0, 59);
  // More digits would be rounded, and could end up in the next second.
  const fraction = Number(match[7]?.slice(0, 7) ?? 0);
  return date.getTime() + fraction * 1000 - (match[8] === "-" ? -offset : offset) * 60_000;
}

function checkRange(text: string, what: string, value: number, least: number, most: number): number {
  if (value < least || value > most) fail(text, `its ${what} is ${value}, not ${least} to ${most}`);
  return value;
}

function fail(text: string, why: string): never {
  throw new SyntaxError(`${quoted(text)} is not a time: ${why}`);
}

/** What was sent, cut so that an error stays readable. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
