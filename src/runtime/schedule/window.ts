import { duration, formatDuration, type Duration } from "../../model/core.js";
import { cron, type Cadence } from "./cron.js";

/** When a window opens, and for how long. The length is time that passes: where clocks change it does not change with them. */
export type WindowOptions = (
  | {
      /** Opens at each of these times: `"0 2 * * sat,sun"`. */
      readonly cron: string;
      readonly start?: undefined;
      readonly days?: undefined;
    }
  | {
      /** Opens at this time of day, as clocks in the time zone show it: `"02:00"`. */
      readonly start: string;
      /** Only on these days, such as `["sat", "sun"]`; every day by default. */
      readonly days?: readonly Weekday[] | undefined;
      readonly cron?: undefined;
    }
) & {
  /** How long it stays open. Default one hour. */
  readonly duration?: Duration | undefined;
  /** Default UTC. */
  readonly timeZone?: string | undefined;
};

type Weekday = "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";

/** Spans of time that come back, such as a maintenance window. All times are milliseconds since 1970. */
export interface Window {
  isOpen(at: number): boolean;
  /** The first moment from `at` on at which it is open: `at` itself when it is open then. */
  nextOpening(at: number): number;
  /**
   * When the window that is open at `at` closes: the first moment at which it is closed. Undefined when it is closed
   * anyway. Openings that touch are one; when very many do, as in a window that is always open, this is a moment at which
   * it is still open, so look again then.
   */
  closes(at: number): number | undefined;
}

/** Between `from` (included) and `to` (excluded) the window does not change. */
interface Span {
  readonly open: boolean;
  readonly from: number;
  readonly to: number;
}

/** How many openings that touch are looked at, so that a window that is always open costs milliseconds, not seconds. */
const longestChain = 100;

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

  // Whoever asks mostly asks about now, many times; the last answer then still holds.
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
  // It is open when there is an opening that is not older than its length.
  const opening = opens.next(at - length);
  if (opening > at) return { open: false, from: at, to: opening };
  let to = opening + length;
  for (let next = opens.next(opening), count = 1; next <= to && count < longestChain; count++) {
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
