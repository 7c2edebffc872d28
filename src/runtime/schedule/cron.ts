import { Cron } from "croner";

/** Recurring times. */
export interface Cadence {
  /** The first time later than `after`; both in milliseconds since 1970. There always is one. */
  next(after: number): number;
}

/**
 * Times of a cron expression: minute, hour, day of month, month and weekday, with an optional field for seconds in front of
 * them, or a nickname such as `@daily`.
 *
 * When daylight saving time begins or ends, a daily time still occurs once a day: one that is skipped moves to the moment right
 * after the gap, and one that occurs twice counts the first time. Intervals within a day (every 30 minutes) are kept.
 *
 * @example
 * cron("0 2 * * *", "Europe/Berlin").next(Date.parse("2026-01-01T12:00:00Z")); // 2026-01-02T01:00:00Z
 */
export function cron(expression: string, timeZone = "UTC"): Cadence {
  checkTimeZone(timeZone);
  const times = parse(expression, timeZone);
  const next = (after: number): number | undefined => times.nextRun(new Date(after))?.getTime();
  // The calendar repeats every 400 years and the expression has no year, so one time proves that there is always another.
  if (next(0) === undefined) {
    throw new RangeError(`the cron expression ${quote(expression)} never occurs: no month has such a day`);
  }
  return {
    next(after) {
      const time = next(after);
      if (time === undefined) throw new RangeError(`no time of ${quote(expression)} comes after ${after}`);
      return time;
    },
  };
}

function parse(expression: string, timeZone: string): Cron {
  try {
    // croner would take it for a date.
    if (expression.includes(":")) throw new TypeError("a date is not a cron expression");
    return new Cron(expression, { timezone: timeZone, mode: "5-or-6-parts", sloppyRanges: true });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w*: /, "") : String(error);
    throw new SyntaxError(
      `${quote(expression)} is not a cron expression (${why}): write minute, hour, day of month, month and weekday, such as "0 2 * * *" for every day at two`,
      { cause: error },
    );
  }
}

function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone }).format(0);
  } catch (error) {
    throw new RangeError(
      `${quote(timeZone)} is not a known time zone: write one such as "Europe/Berlin" or "UTC"`,
      { cause: error },
    );
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}...` : text);
}
