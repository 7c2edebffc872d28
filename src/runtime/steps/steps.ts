import { duration, sleep, within, type Clock } from "../../model/core.js";
import { CircuitOpenError } from "../breaker/breaker.js";
import { PermanentError } from "../outcome.js";
import type { StepRecord } from "../runs/run.js";
import type { Effect, StepOptions } from "../tools.js";

/** What carries a step through to a dependency that may be down: a circuit breaker. */
export interface StepBreaker {
  run<T>(effect: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface StepsOptions {
  readonly clock: Clock;
  /** Aborts when the run is over, whyever. */
  readonly signal: AbortSignal;
  readonly breaker: (name: string) => StepBreaker;
  /** Nothing is done; what would be is told. */
  readonly planning?: boolean | undefined;
  readonly onEnd?: ((step: StepRecord) => void) | undefined;
  /** Wraps each step, such as in a span of a trace. */
  readonly around?: (<T>(name: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** A critical step failed, and what was done before it has been taken back. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly step: string;
  /** The steps that were taken back, last one first; then those that were under way and completed after it. */
  readonly undone: readonly string[];
  readonly notUndone: readonly string[];

  constructor(step: string, cause: unknown, undone: readonly string[], notUndone: readonly string[]) {
    super(`step "${step}" failed: ${messageOf(cause)}`, { cause });
    this.step = step;
    this.undone = undone;
    this.notUndone = notUndone;
  }
}

/** How long one undo may take when its step has no timeout of its own. */
const undoTimeout = 30_000;

interface Completed {
  readonly index: number;
  readonly name: string;
  readonly timeout: number;
  readonly undo: (signal: AbortSignal) => unknown;
}

/** A critical step failed, and what has been undone since. */
interface Failure {
  readonly step: string;
  readonly cause: unknown;
  readonly undone: string[];
  readonly notUndone: string[];
}

/**
 * The effects of one run on the outside world.
 *
 * A step is tried until it succeeds or its retries are used up. When a critical step fails, the steps completed so far
 * that can be undone are, last one first, and then the failure goes to the reconciler. Steps that were under way beside it
 * are undone as they complete, and fail with it. A run that is cancelled (its time is up) is a failure of the step it is in; one
 * whose process stops or loses its leadership undoes nothing, because whoever comes next goes on from here.
 */
export class Steps {
  readonly #options: StepsOptions;
  readonly #records: StepRecord[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  /** What is undone when a critical step fails, in the order of completion. */
  readonly #completed: Completed[] = [];
  /** The latest of a critical step. */
  #failure: Failure | undefined;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  get records(): readonly StepRecord[] {
    return this.#records;
  }

  /** Resolves when the effects have ended that go on although they were given up; undefined when there are none. */
  get lingering(): Promise<unknown> | undefined {
    return this.#underWay.size === 0 ? undefined : Promise.allSettled(this.#underWay);
  }

  async run<T>(name: string, options: StepOptions<T>, effect: Effect<T>): Promise<T | undefined> {
    const { clock, planning = false, around, signal } = this.#options;
    signal.throwIfAborted();
    const startedAt = clock.now();
    const failureBefore = this.#failure;
    const end = (outcome: StepRecord["outcome"], attempts: number, error?: unknown): void => {
      const record: StepRecord = {
        name,
        startedAt,
        duration: clock.now() - startedAt,
        attempts,
        outcome,
        ...(error !== undefined && { error: messageOf(error) }),
      };
      this.#records.push(record);
      this.#options.onEnd?.(record);
    };
    if (planning) {
      const done = (await options.unless?.(signal)) ?? false;
      end(done ? "skipped" : "planned", 0);
      return options.planned;
    }
    const attempt = new Attempts(this.#options, options, (inner) => this.#follow(effect, inner));
    let outcome: Awaited<ReturnType<typeof attempt.run>>;
    try {
      outcome = await (around ? around(name, () => attempt.run()) : attempt.run());
    } catch (error) {
      end("failed", attempt.count, error);
      if (options.critical === false && !signal.aborted) return undefined;
      if (signal.aborted && isHandOver(signal.reason)) throw error;
      this.#failure = { step: name, cause: error, undone: [], notUndone: [] };
      throw await this.#rollBack(this.#failure, this.#completed.splice(0));
    }
    const { skipped, result } = outcome;
    end(skipped ? "skipped" : "done", attempt.count);
    const completed = skipped ? [] : this.#undoOf(name, options, result);
    if (this.#failure !== undefined && this.#failure !== failureBefore) {
      throw await this.#rollBack(this.#failure, completed);
    }
    this.#completed.push(...completed);
    return result;
  }

  /** An effect that is given up may go on regardless of its signal: until it ends it is remembered. */
  async #follow<T>(effect: Effect<T>, signal: AbortSignal): Promise<T> {
    const running = (async () => effect(signal))();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** How to undo the step that was recorded last, if it can be. */
  #undoOf<T>(name: string, { undo, timeout }: StepOptions<T>, result: T | undefined): Completed[] {
    if (undo === undefined) return [];
    const completed: Completed = {
      index: this.#records.length - 1,
      name,
      timeout: timeout === undefined ? undoTimeout : duration(timeout),
      undo: (signal) => undo(signal, result as T),
    };
    return [completed];
  }

  async #rollBack({ step, cause, undone, notUndone }: Failure, steps: readonly Completed[]): Promise<Error> {
    const { clock } = this.#options;
    for (const { index, name, timeout, undo } of steps.toReversed()) {
      let error: unknown;
      try {
        // The run's own signal may have fired already: taking back is given its own time.
        await within({ clock, limit: timeout, what: `undoing step "${name}"` }, undo);
        undone.push(name);
      } catch (thrown) {
        error = thrown;
        notUndone.push(name);
      }
      const record = this.#records[index];
      if (record === undefined) continue;
      const undo_ = error === undefined ? { ok: true } : { ok: false, error: messageOf(error) };
      this.#records[index] = { ...record, undo: undo_ };
    }
    return new StepError(step, cause, undone, notUndone);
  }
}

/** The attempts at one step. */
class Attempts<T> {
  count = 0;
  readonly #steps: StepsOptions;
  readonly #options: StepOptions<T>;
  readonly #effect: Effect<T>;

  constructor(steps: StepsOptions, options: StepOptions<T>, effect: Effect<T>) {
    this.#steps = steps;
    this.#options = options;
    this.#effect = effect;
  }

  async run(): Promise<{ readonly skipped: boolean; readonly result: T | undefined }> {
    const { clock, signal } = this.#steps;
    const { retries = 0, pause = 100, unless } = this.#options;
    if (unless !== undefined && (await unless(signal))) return { skipped: true, result: undefined };
    for (let wait = duration(pause); ; wait *= 2) {
      try {
        return { skipped: false, result: await this.#once() };
      } catch (error) {
        const hopeless = error instanceof PermanentError || isRefused(error);
        if (signal.aborted || this.count > retries || hopeless) throw error;
      }
      await sleep(clock, wait, signal);
    }
  }

  async #once(): Promise<T> {
    const { clock, signal, breaker } = this.#steps;
    const { timeout, verify, breaker: dependency } = this.#options;
    this.count++;
    const limit = timeout === undefined ? undefined : duration(timeout);
    const whole = (): Promise<T> =>
      within({ clock, limit, signal, what: "it" }, async (inner) => {
        const result = await this.#effect(inner);
        if (verify !== undefined && (await verify(result, inner)) === false) {
          throw new Error("its effect could not be verified");
        }
        return result;
      });
    return dependency === undefined ? whole() : breaker(dependency).run(whole, signal);
  }
}

/** The reason of a signal that says: somebody else goes on from here. */
export class HandOver extends Error {
  override readonly name = "HandOver";
}

/** An open breaker makes no call, however often it is asked; when it is worth asking again it says. */
function isRefused(error: unknown): boolean {
  return error instanceof CircuitOpenError;
}

function isHandOver(reason: unknown): boolean {
  return reason instanceof HandOver;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
