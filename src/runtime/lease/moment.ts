import { systemClock, type Clock } from "../../model/core.js";

/**
 * One instant on two clocks. The wall clock can be set, forward or back; the steady one cannot, but stands still while the
 * machine is asleep. Each is wrong in a way the other is not, so whoever must not be late believes the one that says more
 * time has passed ({@link longestSince}), and whoever must not be early believes the steady one.
 */
export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

/** Milliseconds since some instant of its own; never set. */
export type SteadyClock = () => number;

/** The machine's own for the machine's clock; any other clock is taken to be steady itself. */
export function steadyOf(clock: Clock): SteadyClock {
  return clock === systemClock ? () => performance.now() : () => clock.now();
}

/** How much time has passed at most, in milliseconds. */
export function longestSince(start: Moment, now: Moment): number {
  return Math.max(now.wall - start.wall, now.steady - start.steady);
}
