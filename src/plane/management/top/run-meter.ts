import type { Clock } from "../../../model/core.js";
import type { Run } from "../../../runtime/runs/run.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { Top } from "../contract.js";

/** Rates are over the last so many seconds. */
const window = 10;
/** Durations are over the last so many runs. */
const lastRuns = 500;

type Rates = Pick<Top["controllers"][number], "runsPerSecond" | "errorsPerSecond" | "duration" | "wait">;

/** What is measured of one controller. */
interface Measured {
  /** Runs and failures by the second in which they ended; only those within the window. */
  readonly seconds: Map<number, { runs: number; errors: number }>;
  /** The newest last. */
  readonly runs: { readonly duration: number; readonly wait: number }[];
}

/** Counts runs as they end. It begins with what the log of runs still has. */
export class RunMeter {
  readonly #clock: Clock;
  readonly #measured = new Map<string, Measured>();
  readonly #leave: () => void;

  constructor({ runs }: Pick<Controllers, "runs">, clock: Clock) {
    this.#clock = clock;
    for (const run of runs.all()) this.#add(run);
    this.#leave = runs.follow((run) => this.#add(run));
  }

  ratesOf(controller: string): Rates {
    const { seconds = new Map(), runs = [] } = this.#measured.get(controller) ?? {};
    const now = this.#second(this.#clock.now());
    let ended = 0;
    let failed = 0;
    for (const [second, count] of seconds as Measured["seconds"]) {
      if (second <= now - window) continue;
      ended += count.runs;
      failed += count.errors;
    }
    return {
      runsPerSecond: ended / window,
      errorsPerSecond: failed / window,
      duration: percentiles(runs.map(({ duration }) => duration)),
      wait: percentiles(runs.map(({ wait }) => wait)),
    };
  }

  end(): void {
    this.#leave();
  }

  #add({ controller, startedAt, duration, wait, outcome }: Run): void {
    let measured = this.#measured.get(controller);
    if (measured === undefined) this.#measured.set(controller, (measured = { seconds: new Map(), runs: [] }));
    const { seconds, runs } = measured;
    runs.push({ duration, wait });
    if (runs.length > 2 * lastRuns) runs.splice(0, runs.length - lastRuns);
    const second = this.#second(startedAt + duration);
    const count = seconds.get(second) ?? { runs: 0, errors: 0 };
    count.runs++;
    if (outcome.type === "error" || outcome.type === "fail") count.errors++;
    seconds.set(second, count);
    if (seconds.size <= 2 * window) return;
    for (const old of seconds.keys()) if (old <= second - window) seconds.delete(old);
  }

  #second(at: number): number {
    return Math.floor(at / 1000);
  }
}

/** Half of the values are at most `p50`, and all but one in a hundred at most `p99`. */
function percentiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = values.slice(-lastRuns).sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
