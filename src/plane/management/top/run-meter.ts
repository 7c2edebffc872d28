import type { Clock } from "../../../model/core.js";
import type { Run } from "../../../runtime/runs/run.js";
import { followFrom } from "../../../runtime/runs/run-store.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { Top } from "../contract.js";

/** Seconds over which rates are averaged. */
const window = 10;
/** Runs over which percentiles are computed. */
const lastRuns = 500;

type Rates = Pick<Top["controllers"][number], "runsPerSecond" | "errorsPerSecond" | "duration" | "wait">;

/** Measurements of one controller. */
interface Measurements {
  /** Runs and failures by the second in which they ended; entries outside the window are removed now and then. */
  readonly seconds: Map<number, { runs: number; errors: number }>;
  /** Oldest first. */
  readonly runs: { readonly duration: number; readonly wait: number }[];
}

/** Counts runs as they end, beginning with the last ones that are stored. */
export class RunMeter {
  readonly #clock: Clock;
  readonly #measured = new Map<string, Measurements>();
  readonly #ending = new AbortController();

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async start({ runs }: Pick<Controllers, "runs">, clock: Clock): Promise<RunMeter> {
    const meter = new RunMeter(clock);
    await followFrom(runs, {}, meter.#ending.signal, (run) => meter.#add(run));
    return meter;
  }

  ratesOf(controller: string): Rates {
    const { seconds = new Map(), runs = [] } = this.#measured.get(controller) ?? {};
    const now = this.#second(this.#clock.now());
    let ended = 0;
    let failed = 0;
    for (const [second, count] of seconds as Measurements["seconds"]) {
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
    this.#ending.abort();
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

function percentiles(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = values.slice(-lastRuns).sort((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
