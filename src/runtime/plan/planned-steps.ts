import type { Clock } from "../../model/core.js";
import { messageOf } from "../log/message-of.js";
import type { StepRecord } from "../runs/run.js";
import { StepError, Steps } from "../reconcile/steps/steps.js";
import type { Effect, StepOptions } from "../controller/reconcile-context.js";

/** Steps of a plan: none is performed. A step whose `unless` throws fails as it would in a run. */
export class PlannedSteps extends Steps {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #planned: StepRecord[];

  constructor(clock: Clock, signal: AbortSignal) {
    const planned: StepRecord[] = [];
    super({
      clock,
      signal,
      planning: true,
      breaker: () => ({ run: (effect) => effect() }),
      onEnd: (step) => planned.push(step),
    });
    this.#clock = clock;
    this.#signal = signal;
    this.#planned = planned;
  }

  override get records(): readonly StepRecord[] {
    return this.#planned;
  }

  override async run<T>(name: string, options: StepOptions<T>, effect: Effect<T>): Promise<T | undefined> {
    const startedAt = this.#clock.now();
    try {
      return await super.run(name, options, effect);
    } catch (error) {
      if (this.#signal.aborted) throw error;
      const duration = this.#clock.now() - startedAt;
      this.#planned.push({
        name,
        startedAt,
        duration,
        attempts: 0,
        outcome: "failed",
        error: messageOf(error),
      });
      if (options.critical === false) return undefined;
      throw new StepError(name, error, [], []);
    }
  }
}
