import { systemClock, type Clock } from "../../model/core.js";

/**
 * One instant on two clocks. The wall clock can be set, forward or back; the monotonic one cannot, but stops while the
 * machine sleeps. A holder, which must not be late, uses the clock on which more time has passed ({@link longestSince}); others,
 * which must not be early, use the monotonic one.
 */
export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

/** Monotonic clock: milliseconds since an arbitrary instant. */
export type SteadyClock = () => number;

/** The machine's monotonic clock for the system clock; any other clock is taken to be monotonic. */
export function steadyOf(clock: Clock): SteadyClock {
  return clock === systemClock ? () => performance.now() : () => clock.now();
}

/** Milliseconds that have passed at most. */
export function longestSince(start: Moment, now: Moment): number {
  return Math.max(now.wall - start.wall, now.steady - start.steady);
}
