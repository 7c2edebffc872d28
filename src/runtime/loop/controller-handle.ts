import { targetOf, type ObjectRef } from "../../client/which.js";
import { duration, type Duration, type KubeObject } from "../../model/core.js";
import { defaults, type Controller } from "../controller/controller.js";
import { plan, type Plan } from "../plan/plan.js";
import type { DeadLetter } from "../queue/work.js";
import type { Trigger } from "../runs/run.js";
import { ControllerLoop, type GoingOn } from "./controller-loop.js";
import type { Dependencies } from "./dependencies.js";
import { joinKey } from "../controller/keys.js";
import { Sources } from "./sources.js";

/** One controller as people deal with it, over all terms of leadership. */
export class ControllerHandle {
  readonly controller: Controller;
  readonly #dependencies: Dependencies;
  #loop: ControllerLoop | undefined;
  /** What was paused stays so over a change of leadership. */
  readonly #paused = new Set<string | undefined>();
  /** What one term leaves behind, the next one waits for. */
  readonly #goingOn: GoingOn = new Map();

  constructor(controller: Controller, dependencies: Dependencies) {
    this.controller = controller;
    this.#dependencies = dependencies;
  }

  get name(): string {
    return this.controller.name;
  }

  /** How many objects it works on at once. */
  get concurrency(): number {
    return this.controller.options.concurrency ?? defaults.concurrency;
  }

  /** How many objects are paused by name. */
  get pausedObjects(): number {
    return this.#paused.size - (this.#paused.has(undefined) ? 1 : 0);
  }

  /** The work at hand; undefined while this process does not lead. */
  get loop(): ControllerLoop | undefined {
    return this.#loop;
  }

  /** Looks at an object for a reason that no watch tells of. */
  enqueue(
    which: ObjectRef,
    { reason = "asked for", after }: { readonly reason?: string; readonly after?: Duration } = {},
  ): void {
    const at = this.#dependencies.clock.now();
    const delay = after === undefined ? 0 : duration(after);
    const trigger: Trigger = { type: "manual", text: reason, at, ...(delay > 0 && { due: at + delay }) };
    const key = this.#key(which);
    const { queue } = this.#needed();
    if (!this.#dependencies.ownership.owns(key)) {
      throw new Error(
        `${this.controller.options.for.kind} ${key} is not owned by this process: send the request to the process that leads, or that has its shard`,
      );
    }
    queue.add(key, trigger, { after: delay, type: "MANUAL" });
  }

  /** Begins no run of this object, or of none at all, until told to resume; what happens meanwhile is remembered. */
  pause(which?: ObjectRef): void {
    const key = which === undefined ? undefined : this.#key(which);
    this.#paused.add(key);
    this.#loop?.queue.pause(key);
  }

  resume(which?: ObjectRef): void {
    const key = which === undefined ? undefined : this.#key(which);
    this.#paused.delete(key);
    this.#loop?.queue.resume(key);
  }

  /** Whether an object is held back, by itself or with all others; without one, whether all are. */
  isPaused(which?: ObjectRef): boolean {
    return this.#paused.has(undefined) || (which !== undefined && this.#paused.has(this.#key(which)));
  }

  /** What has been given up. */
  dead(): readonly DeadLetter<Trigger>[] {
    return this.#loop?.queue.dead() ?? [];
  }

  /** Tries again what was given up: one object, or all. Returns how many. */
  retry(which?: ObjectRef, reason = "tried again on request"): number {
    const trigger: Trigger = { type: "manual", text: reason, at: this.#dependencies.clock.now() };
    return this.#needed().queue.revive(which === undefined ? undefined : this.#key(which), trigger);
  }

  /** What a run would do for an object as it is, or as it would be. */
  async plan(object: KubeObject, signal?: AbortSignal): Promise<Plan> {
    const { clock, random, namespace } = this.#dependencies;
    const { transport, clientOver } = this.#dependencies.accessOf(this.name);
    const opened = this.#loop?.isStarted ? undefined : await this.#look(signal);
    const sources = opened ?? this.#needed().sources;
    try {
      return await plan(
        {
          controller: this.controller,
          namespace,
          clock,
          random,
          transport,
          clientOver,
          cacheOf: (kind) => sources.cacheOf(kind),
          signal,
        },
        object,
      );
    } finally {
      opened?.release();
    }
  }

  get isIdle(): boolean {
    return this.#loop?.isIdle ?? true;
  }

  /** Resolves when no run is under way and none is due. */
  async idle(): Promise<void> {
    await this.#loop?.idle();
  }

  async start(signal: AbortSignal): Promise<void> {
    const loop = new ControllerLoop(this.controller, this.#dependencies, this.#goingOn);
    for (const key of this.#paused) loop.queue.pause(key);
    this.#loop = loop;
    await loop.start(signal);
  }

  async stop(deadline: AbortSignal, reason: string): Promise<void> {
    const loop = this.#loop;
    await loop?.stop(deadline, reason);
    if (this.#loop === loop) this.#loop = undefined;
  }

  /** Objects have become this process's. */
  gain(isGained: (key: string) => boolean): void {
    for (const key of this.#paused) if (key !== undefined && isGained(key)) this.#loop?.queue.pause(key);
    this.#loop?.gain(isGained);
  }

  /** An object from one of the caches; undefined if none has it. A kind's name alone may be that of several groups. */
  cached(kind: string, key: string): KubeObject | undefined {
    const loop = this.#loop;
    if (loop === undefined || !loop.isStarted) return undefined;
    if (this.controller.options.for.kind === kind) return loop.sources.objects.get(key);
    const owned = this.controller.owns.find((each) => each.kind === kind);
    return owned && loop.sources.cacheOf(owned).get(key);
  }

  /** Sources to read from for a moment, when this process does not work itself. */
  async #look(signal: AbortSignal = new AbortController().signal): Promise<Sources> {
    return Sources.open(this.controller, this.#dependencies, signal);
  }

  #needed(): ControllerLoop {
    if (this.#loop !== undefined) return this.#loop;
    throw new Error(
      `controller ${this.name} is not at work in this process: it has not started, has stopped, or another process leads`,
    );
  }

  /** Rows that a poller lists need not have a namespace; what is in the API has one, the client's unless told. */
  #key(which: ObjectRef): string {
    const { for: kind, from } = this.controller.options;
    const fallback = from === undefined ? this.#dependencies.namespace : "";
    const { name, namespace } = targetOf(kind, which, fallback);
    return joinKey(namespace, name);
  }
}
