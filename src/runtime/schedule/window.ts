import { duration, formatDuration, type Duration } from "../../model/core.js";
import { cron, type Cadence } from "./cron.js";

/** Opening times and length of a window. The length is elapsed time, which does not change with daylight saving time. */
export type WindowOptions = (
  | {
      /** Opening times as a cron expression: `"0 2 * * sat,sun"`. */
      readonly cron: string;
      readonly start?: undefined;
      readonly days?: undefined;
    }
  | {
      /** Opening time of day in the time zone: `"02:00"`. */
      readonly start: string;
      /** Days on which it opens, such as `["sat", "sun"]`. Default: every day. */
      readonly days?: readonly Weekday[] | undefined;
      readonly cron?: undefined;
    }
) & {
  /** Time it stays open. Default one hour. */
  readonly duration?: Duration | undefined;
  /** Default UTC. */
  readonly timeZone?: string | undefined;
};

type Weekday = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

/** Recurring spans of time, such as a maintenance window. All times are milliseconds since 1970. */
export interface Window {
  isOpen(at: number): boolean;
  /** The first moment from `at` on at which it is open: `at` itself if it is open then. */
  nextOpening(at: number): number;
  /**
   * The first moment at which the window that is open at `at` is closed; undefined if it is closed at `at`. Adjacent openings
   * count as one. If very many are adjacent, as in a window that is always open, the result is a moment at which it is still
   * open: call it again then.
   */
  closes(at: number): number | undefined;
}

/** Time from `from` (inclusive) to `to` (exclusive) during which the window does not change. */
interface Span {
  readonly open: boolean;
  readonly from: number;
  readonly to: number;
}

/** Adjacent openings that are followed, so that a window that is always open costs milliseconds, not seconds. */
const maxAdjacent = 100;

/**
 * A window that opens at times of a cron expression or at a time of day, and closes after a while.
 *
 * @example
 * const nights = window({ start: "02:00", duration: "3h", timeZone: "Europe/Berlin" });
 * if (!nights.isOpen(clock.now())) await sleep(clock, nights.nextOpening(clock.now()) - clock.now());
 */
export function window(options: WindowOptions): Window {
  const opens = cron(options.cron ?? dailyAt(options.start, options.days), options.timeZone);
  const length = duration(options.duration ?? "1h");
  if (length <= 0) {
    throw new RangeError(
      `a window cannot be open for ${formatDuration(length)}: give it a duration such as "1h"`,
    );
  }

  // Most calls are about the present, for which the last result still holds.
  let last: Span | undefined;
  const spanAt = (at: number): Span => {
    if (last === undefined || at < last.from || at >= last.to) last = spanOf(opens, length, at);
    return last;
  };

  return {
    isOpen: (at) => spanAt(at).open,
    nextOpening(at) {
      const span = spanAt(at);
      return span.open ? at : span.to;
    },
    closes(at) {
      const span = spanAt(at);
      return span.open ? span.to : undefined;
    },
  };
}

function spanOf(opens: Cadence, length: number, at: number): Span {
  // Open if the last opening is not older than the length.
  const opening = opens.next(at - length);
  if (opening > at) return { open: false, from: at, to: opening };
  let to = opening + length;
  for (let next = opens.next(opening), count = 1; next <= to && count < maxAdjacent; count++) {
    to = next + length;
    next = opens.next(next);
  }
  return { open: true, from: opening, to };
}

function dailyAt(start: string, days: readonly Weekday[] | undefined): string {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(start) ?? [];
  if (hour === undefined || minute === undefined) {
    throw new SyntaxError(
      `${JSON.stringify(start)} is not a time of day: write hours and minutes, such as "02:00"`,
    );
  }
  if (days?.length === 0)
    throw new RangeError("a window without days never opens: leave days out for every day");
  return `${Number(minute)} ${Number(hour)} * * ${days?.join(",") ?? "*"}`;
}
