import type { Clock } from "../../model/core.js";
import type { Keys, OwnedWork } from "../lease/work-ownership.js";
import type { ControllerHandle } from "../loop/controller-handle.js";
import type { Schedules } from "./schedules.js";

const all: Keys = () => true;

/** The controllers and schedules of a process, as the work that it does on the keys it owns. */
export class ControllerWork implements OwnedWork {
  readonly #controllers: readonly ControllerHandle[];
  readonly #schedules: Schedules;
  readonly #clock: Clock;

  constructor(controllers: readonly ControllerHandle[], schedules: Schedules, clock: Clock) {
    this.#controllers = controllers;
    this.#schedules = schedules;
    this.#clock = clock;
  }

  async start(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#controllers.map((each) => each.start(signal)));
    if (!signal.aborted) this.#schedules.start(all);
  }

  gained(keys: Keys): void {
    for (const each of this.#controllers) each.gain(keys);
    this.#schedules.start(keys);
  }

  release(keys: Keys): void {
    for (const { loop } of this.#controllers) loop?.release(keys);
    void this.#schedules.stop(keys);
  }

  cancel(keys: Keys, reason: string): void {
    for (const { loop } of this.#controllers) loop?.cancel(keys, reason);
  }

  *running(): Iterable<string> {
    for (const { loop } of this.#controllers) yield* loop?.activeKeys() ?? [];
    yield* this.#schedules.endingKeys();
  }

  async stop(grace: number, reason: string): Promise<void> {
    const deadline = new AbortController();
    const timer = grace > 0 ? this.#clock.after(grace, () => deadline.abort()) : deadline.abort();
    await Promise.all([
      ...this.#controllers.map((each) => each.stop(deadline.signal, reason)),
      this.#schedules.stop(all),
    ]);
    timer?.cancel();
  }
}
