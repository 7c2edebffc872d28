import { duration, sleep, within, type Clock } from "../../../model/core.js";
import { CircuitOpenError } from "../../breaker/breaker.js";
import { messageOf } from "../../log/message-of.js";
import { PermanentError } from "../../controller/outcome.js";
import type { StepRecord } from "../../runs/run.js";
import type { Effect, StepOptions } from "../../controller/reconcile-context.js";

/** Circuit breaker that a step runs through. */
export interface StepBreaker {
  run<T>(effect: () => Promise<T>, signal?: AbortSignal, isTimeUp?: (reason: unknown) => boolean): Promise<T>;
}

export interface StepsOptions {
  readonly clock: Clock;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly breaker: (name: string) => StepBreaker;
  /** Records steps as planned, without performing their effects. */
  readonly planning?: boolean | undefined;
  readonly onEnd?: ((step: StepRecord) => void) | undefined;
  /** Wraps each step, for example in a span of a trace. */
  readonly around?: (<T>(name: string, work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Failure of a critical step, after the steps before it have been undone. */
export class StepError extends Error {
  override readonly name = "StepError";
  readonly step: string;
  /** Names of the steps that were undone: last one first, then those that completed after the failure. */
  readonly undone: readonly string[];
  readonly notUndone: readonly string[];

  constructor(step: string, cause: unknown, undone: readonly string[], notUndone: readonly string[]) {
    super(`step "${step}" failed: ${messageOf(cause)}`, { cause });
    this.step = step;
    this.undone = undone;
    this.notUndone = notUndone;
  }
}

/** Time limit in milliseconds of an undo whose step has no timeout. */
const undoTimeout = 30_000;

interface Completed {
  readonly index: number;
  readonly name: string;
  readonly timeout: number;
  readonly undo: (signal: AbortSignal) => unknown;
}

/** A failed step. Steps that are undone because of it are added to the lists of its error. */
interface Failure {
  readonly error: StepError;
  readonly undone: string[];
  readonly notUndone: string[];
}

/**
 * Steps of one run.
 *
 * A step is retried until it succeeds or its retries are used up. One whose effect took place but could not be verified is
 * undone itself. When a critical step fails, the steps completed so far are undone in reverse order, and then the failure is
 * thrown to the reconciler. Steps that run beside it are undone as they complete, and fail with it. A timeout of the run is a
 * failure of the step it is in. A hand-over (the process stops, or loses the object) undoes nothing, because the next owner
 * continues from this state.
 */
export class Steps {
  readonly #options: StepsOptions;
  readonly #records: StepRecord[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  /** Steps to undo when a critical step fails, in the order of completion. */
  readonly #completed: Completed[] = [];
  /** The last failure of a critical step. */
  #failure: Failure | undefined;
  readonly #rollbacks = new Set<StepError>();

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  get records(): readonly StepRecord[] {
    return this.#records;
  }

  /** Failures after which steps were undone; not those whose steps are being undone right now. */
  get rollbacks(): ReadonlySet<StepError> {
    return this.#rollbacks;
  }

  /** Resolves when effects have ended that ignored their signal; undefined if there are none. */
  get lingering(): Promise<unknown> | undefined {
    return this.#underWay.size === 0 ? undefined : Promise.allSettled(this.#underWay);
  }

  async run<T>(name: string, options: StepOptions<T>, effect: Effect<T>): Promise<T | undefined> {
    const { clock, planning = false, around, signal } = this.#options;
    signal.throwIfAborted();
    const startedAt = clock.now();
    const failureBefore = this.#failure;
    const end = (
      outcome: StepRecord["outcome"],
      attempts: number,
      { error, detail }: { readonly error?: unknown; readonly detail?: string | undefined } = {},
    ): void => {
      const record: StepRecord = {
        name,
        startedAt,
        duration: clock.now() - startedAt,
        attempts,
        outcome,
        ...(error !== undefined && { error: messageOf(error) }),
        ...(detail !== undefined && { detail }),
      };
      this.#records.push(record);
      this.#options.onEnd?.(record);
    };
    if (planning) {
      const done = (await options.unless?.(signal)) ?? false;
      const detail = done ? undefined : await options.detail?.(signal);
      end(done ? "skipped" : "planned", 0, { detail });
      return options.planned;
    }
    const attempt = new Attempts(this.#options, options, (inner) => this.#follow(effect, inner));
    let outcome: Awaited<ReturnType<typeof attempt.run>>;
    try {
      outcome = await (around ? around(name, () => attempt.run()) : attempt.run());
    } catch (error) {
      end("failed", attempt.count, { error });
      if (signal.aborted && isHandOver(signal.reason)) throw error;
      const own = attempt.effected === undefined ? [] : this.#undoOf(name, options, attempt.effected.result);
      const failure = failureOf(name, error);
      if (options.critical === false && !signal.aborted) {
        await this.#rollBack(failure, own);
        return undefined;
      }
      this.#failure = failure;
      throw await this.#rollBack(failure, [...this.#completed.splice(0), ...own]);
    }
    const { skipped, result } = outcome;
    end(skipped ? "skipped" : "done", attempt.count);
    const completed = skipped ? [] : this.#undoOf(name, options, result as T);
    if (this.#failure !== undefined && this.#failure !== failureBefore) {
      throw await this.#rollBack(this.#failure, completed);
    }
    this.#completed.push(...completed);
    return result;
  }

  /** Keeps track of an effect until it ends, since it may ignore its signal. */
  async #follow<T>(effect: Effect<T>, signal: AbortSignal): Promise<T> {
    const running = (async () => effect(signal))();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** The undo of the step that was recorded last, if it has one. */
  #undoOf<T>(name: string, { undo, timeout }: StepOptions<T>, result: T): Completed[] {
    if (undo === undefined) return [];
    const completed: Completed = {
      index: this.#records.length - 1,
      name,
      timeout: timeout === undefined ? undoTimeout : duration(timeout),
      undo: (signal) => undo(signal, result),
    };
    return [completed];
  }

  async #rollBack({ error, undone, notUndone }: Failure, steps: readonly Completed[]): Promise<StepError> {
    for (const step of steps.toReversed()) {
      const isUndone = await this.#undo(step);
      (isUndone ? undone : notUndone).push(step.name);
    }
    if (undone.length + notUndone.length > 0) this.#rollbacks.add(error);
    return error;
  }

  /** Undoes one step, and adds the result to its record. */
  async #undo({ index, name, timeout, undo }: Completed): Promise<boolean> {
    const { clock } = this.#options;
    let undone: StepRecord["undo"] = { ok: true };
    try {
      // The run's signal may have aborted already, so an undo has a time limit of its own.
      await within({ clock, limit: timeout, what: `undoing step "${name}"` }, (signal) =>
        this.#follow(undo, signal),
      );
    } catch (error) {
      undone = { ok: false, error: messageOf(error) };
    }
    const record = this.#records[index];
    if (record !== undefined) this.#records[index] = { ...record, undo: undone };
    return undone.ok;
  }
}

/** The attempts at one step. */
class Attempts<T> {
  count = 0;
  /** Result of the last effect that took place, verified or not. */
  effected: { readonly result: T } | undefined;
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
    const { retries = 0, retryDelay = 100, retryFactor = 2, maxRetryDelay, unless } = this.#options;
    const longest = maxRetryDelay === undefined ? Infinity : duration(maxRetryDelay);
    if (!(retryFactor >= 1)) throw new RangeError(`invalid retryFactor ${retryFactor}: use 1 or more`);
    if (unless !== undefined && (await unless(signal))) return { skipped: true, result: undefined };
    for (let wait = duration(retryDelay); ; wait *= retryFactor) {
      try {
        return { skipped: false, result: await this.#once() };
      } catch (error) {
        // An open breaker refuses every attempt, and its error carries when to retry.
        const isFinal = error instanceof PermanentError || error instanceof CircuitOpenError;
        if (signal.aborted || this.count > retries || isFinal) throw error;
      }
      await sleep(clock, Math.min(wait, longest), signal);
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
        this.effected = { result };
        if (verify !== undefined && (await verify(result, inner)) === false) {
          throw new Error("its effect could not be verified");
        }
        return result;
      });
    if (dependency === undefined) return whole();
    // A timeout of the run counts as a failure of the dependency, a hand-over does not.
    return breaker(dependency).run(whole, signal, (reason) => !isHandOver(reason));
  }
}

/** Abort reason of a run whose object another run continues with, in another process or term. */
export class HandOver extends Error {
  override readonly name = "HandOver";
}

function isHandOver(reason: unknown): boolean {
  return reason instanceof HandOver;
}

function failureOf(step: string, cause: unknown): Failure {
  const undone: string[] = [];
  const notUndone: string[] = [];
  return { error: new StepError(step, cause, undone, notUndone), undone, notUndone };
}
