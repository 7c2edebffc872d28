import type { RunWindow } from "./strategy.js";

/** Windows kept per key: a strategy may create a new one for every change. */
const maxWindows = 16;
/** Time for which a window that throws counts as closed, in milliseconds. */
const retryAfter = 60_000;

/** Window of a change that may be handled at any time. */
export const always: RunWindow = { isOpen: () => true, nextOpening: (at) => at };

/** A window, and its first opening for the change that brought it. */
export interface Opening {
  readonly window: RunWindow;
  from: number;
}

/** Adds a window to those of a key, which may run in any of them. Drops the one that opens last when there are too many. */
export function addOpening(openings: Opening[], window: RunWindow, from: number): void {
  const existing = openings.find((opening) => opening.window === window);
  if (existing !== undefined) {
    existing.from = Math.min(existing.from, from);
    return;
  }
  openings.push({ window, from });
  if (openings.length <= maxWindows) return;
  const last = openings
    .filter((opening) => opening.window !== always)
    .reduce((latest, opening) => (opening.from < latest.from ? latest : opening));
  openings.splice(openings.indexOf(last), 1);
}

/** Earliest time from `now` on at which any of the windows is open. */
export function firstOpening(openings: readonly Opening[], now: number): number {
  let first = Infinity;
  for (const { window, from } of openings) {
    first = Math.min(first, from > now ? from : openingOrLater(window, now));
    if (first <= now) return now;
  }
  return first;
}

/** Time from `at` on at which a window is open: `at`, or later whatever the window returns. Throws what the window throws. */
export function openingOf(window: RunWindow, at: number): number {
  if (window.isOpen(at)) return at;
  const opening = window.nextOpening(at);
  if (Number.isNaN(opening)) {
    throw new RangeError(
      `a window cannot open at ${opening}: nextOpening gives a time, or Infinity for never`,
    );
  }
  return Math.max(opening, at + 1);
}

/** Like {@link openingOf}, for when the caller of `add` is gone and cannot handle an error: a failing window is closed. */
export function openingOrLater(window: RunWindow, at: number): number {
  try {
    return openingOf(window, at);
  } catch {
    return at + retryAfter;
  }
}
