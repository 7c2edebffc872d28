import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Check } from "../../runtime/health/health.js";

/** Milliseconds between two measurements. */
const resolution = 20;
/** Milliseconds that one of a hundred turns of the event loop may be late. */
const maxLag = 200;

/** Milliseconds of the measurements that are kept together. */
const period = 10_000;

interface Lag {
  /** Milliseconds. */
  readonly p99: number;
  readonly longest: number;
}

/** Measures how late the event loop is. */
export interface EventLoopLag {
  /** Lag in the last 10 to 20 seconds. */
  read(): Lag;
  stop(): void;
}

export function eventLoopLag(): EventLoopLag {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  // Measured from one turn to the next, so that the time between two measurements is part of it.
  const lagOf = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  let since = performance.now();
  let before: Lag = { p99: 0, longest: 0 };
  return {
    read() {
      const now = { p99: lagOf(delays.percentile(99)), longest: lagOf(delays.max) };
      const lag = { p99: Math.max(now.p99, before.p99), longest: Math.max(now.longest, before.longest) };
      if (performance.now() - since >= period) {
        before = now;
        since = performance.now();
        delays.reset();
      }
      return lag;
    },
    stop: () => void delays.disable(),
  };
}

/** Degraded while the event loop is so busy that everything else waits for it. */
export function eventLoopCheck({ read }: Pick<EventLoopLag, "read">): Check {
  return () => {
    const { p99, longest } = read();
    const message = `99 % of turns begin within ${Math.ceil(p99)}ms, the latest after ${Math.ceil(longest)}ms`;
    return p99 <= maxLag ? message : { ok: false, message: `the event loop is blocked: ${message}` };
  };
}
