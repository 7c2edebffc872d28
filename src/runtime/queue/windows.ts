import type { Slot } from "./entries.js";
import type { QueueTime } from "./queue-time.js";
import type { Window } from "./strategy.js";

/** So many windows of one key are kept; strategies may make a new one for every change. */
const maxWindows = 16;
/** How long a window that fails is left alone, in milliseconds. */
const untilAskedAgain = 60_000;

/** What a change without a window keeps to. */
export const always: Window = { isOpen: () => true, nextOpening: (at) => at };

interface Opening {
  readonly window: Window;
  /** When it first opens for a change that keeps to it. */
  from: number;
}

/**
 * The windows that entries have to keep to. Each change has its own, and an entry may be worked on while any of them is
 * open. What is to be done and keeps to none at all is not in here.
 */
export class Windows {
  readonly #time: QueueTime;
  readonly #openings = new Map<Slot, Opening[]>();
  /** The windows of the work that runs: a retry of it has to keep to them. */
  readonly #ofWork = new Map<Slot, readonly Window[]>();

  constructor(time: QueueTime) {
    this.#time = time;
  }

  has(slot: Slot): boolean {
    return this.#openings.has(slot);
  }

  /** Lets an entry be worked on in a window, from one of its openings on. */
  allow(slot: Slot, window: Window, from: number): void {
    const openings = this.#openings.get(slot);
    const known = openings?.find((opening) => opening.window === window);
    if (openings === undefined) this.#openings.set(slot, [{ window, from }]);
    else if (known !== undefined) known.from = Math.min(known.from, from);
    else {
      openings.push({ window, from });
      if (openings.length > maxWindows) dropLast(openings);
    }
  }

  /** When an entry may be worked on: now, or at the next opening of any of its windows. */
  next(slot: Slot, now: number): number {
    const openings = this.#openings.get(slot);
    if (openings === undefined) return now;
    let next = Infinity;
    for (const { window, from } of openings) {
      const opening = from > now ? from : this.#laterOpeningOf(window, now);
      if (opening <= now) return now;
      next = Math.min(next, opening);
    }
    return next;
  }

  /** What was to be done has become work that runs. */
  start(slot: Slot): void {
    const windows = this.#openings.get(slot)?.map(({ window }) => window);
    if (windows === undefined) return;
    this.#openings.delete(slot);
    if (!windows.includes(always)) this.#ofWork.set(slot, windows);
  }

  /** The windows of the work that runs, and when each of them is open from a time on; undefined when it has none to keep to. */
  ofWork(slot: Slot, at: number): readonly Opening[] | undefined {
    return this.#ofWork.get(slot)?.map((window) => ({ window, from: this.#laterOpeningOf(window, at) }));
  }

  /** Work is over. */
  finish(slot: Slot): void {
    this.#ofWork.delete(slot);
  }

  /** What was to be done is not to be done any more. */
  forget(slot: Slot): void {
    this.#openings.delete(slot);
  }

  /** When a window is open from a time on; if it is closed then, later than that whatever the window says. */
  openingOf(window: Window, at: number): number {
    const wall = this.#time.onWall(at);
    if (window.isOpen(wall)) return at;
    const next = window.nextOpening(wall);
    const opening = this.#time.ofWall(next);
    if (Number.isNaN(opening)) {
      throw new RangeError(
        `a window cannot open at ${next}: nextOpening gives a time, or Infinity for never`,
      );
    }
    return Math.max(opening, at + 1);
  }

  /** Who added the change is not here any more to be told that its window fails: until it is asked again it counts as closed. */
  #laterOpeningOf(window: Window, at: number): number {
    try {
      return this.openingOf(window, at);
    } catch {
      return at + untilAskedAgain;
    }
  }
}

/** Drops the window that opens last, of several the newest. */
function dropLast(openings: Opening[]): void {
  const last = openings
    .filter(({ window }) => window !== always)
    .reduce((latest, opening) => (opening.from < latest.from ? latest : opening));
  openings.splice(openings.indexOf(last), 1);
}
