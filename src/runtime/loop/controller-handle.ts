import { targetOf, type ObjectRef } from "../../client/object-ref.js";
import { duration, type Duration, type KubeObject } from "../../model/core.js";
import { defaults, type Controller } from "../controller/controller.js";
import type { EnqueueTarget } from "../controller/reconcile-context.js";
import { plan, type Plan } from "../plan/plan.js";
import type { DeadLetter } from "../queue/queue-item.js";
import type { Trigger } from "../runs/run.js";
import { ControllerLoop, type Lingering } from "./controller-loop.js";
import type { Dependencies } from "./dependencies.js";
import { joinKey } from "../controller/keys.js";
import { Sources } from "./sources.js";

/** Options of a run that was requested by hand. */
interface EnqueueOptions {
  readonly reason?: string | undefined;
  readonly after?: Duration | undefined;
}

/** Handle to a running controller; stays the same over terms of leadership. */
export class ControllerHandle {
  readonly controller: Controller;
  readonly #dependencies: Dependencies;
  #loop: ControllerLoop | undefined;
  /** Pauses by this process, by key; undefined stands for all objects. They outlive terms of leadership. */
  readonly #paused = new Set<string | undefined>();
  /** Pauses that are stored outside of the objects; undefined stands for all objects. */
  #stored: ReadonlySet<string | undefined> = new Set();
  /** Objects that their annotation pauses. */
  readonly #annotated = new Set<string>();
  /** Functions that one term leaves behind, and the next one waits for. */
  readonly #lingering: Lingering = new Map();

  constructor(controller: Controller, dependencies: Dependencies) {
    this.controller = controller;
    this.#dependencies = dependencies;
  }

  get name(): string {
    return this.controller.name;
  }

  /** Objects that are reconciled at the same time. */
  get concurrency(): number {
    return this.controller.options.concurrency ?? defaults.concurrency;
  }

  /** Number of objects that are paused one by one. */
  get pausedObjects(): number {
    return this.pausedKeys().length;
  }

  /** Keys of objects that are paused one by one. */
  pausedKeys(): readonly string[] {
    const keys = new Set([...this.#paused, ...this.#stored, ...this.#annotated]);
    return [...keys].filter((key) => key !== undefined).sort();
  }

  /** The work loop; undefined while this process does not work. */
  get loop(): ControllerLoop | undefined {
    return this.#loop;
  }

  /**
   * Triggers a run of an object by hand.
   *
   * @throws {RangeError} when no object has the uid.
   */
  enqueue(which: EnqueueTarget, options?: EnqueueOptions): void {
    if (this.enqueueOwned(which, options)) return;
    throw new Error(
      `${this.controller.options.for.kind} ${this.#keyOf(which)} is not owned by this process: send the request to the process that leads, or that has its shard`,
    );
  }

  /** Triggers a run of an object; false if another process owns it. */
  enqueueOwned(which: EnqueueTarget, { reason = "requested", after }: EnqueueOptions = {}): boolean {
    const at = this.#dependencies.clock.now();
    const delay = after === undefined ? 0 : duration(after);
    const trigger: Trigger = { type: "manual", text: reason, at, ...(delay > 0 && { due: at + delay }) };
    const { queue } = this.#activeLoop();
    const key = this.#keyOf(which);
    if (!this.#dependencies.ownership.owns(key)) return false;
    queue.add(key, trigger, { after: delay, type: "MANUAL" });
    return true;
  }

  /** Key of an object by reference or uid. */
  #keyOf(which: EnqueueTarget): string {
    return isUid(which) ? this.#keyOfUid(which.uid) : this.#key(which);
  }

  /**
   * Triggers a run of every object by hand, except for those that the controller's predicate excludes. New changes are handled
   * first. Returns the number of objects.
   */
  enqueueAll({ reason = "full reconciliation" }: { readonly reason?: string | undefined } = {}): number {
    const at = this.#dependencies.clock.now();
    return this.#activeLoop().enqueueAll({ type: "manual", text: reason, at });
  }

  /**
   * Starts no more runs of this object, or of any, until `resume`; triggers are kept. Ends with the process: the annotation
   * `fettle.dev/paused` of an object, and `fettle pause`, outlive it.
   */
  pause(which?: ObjectRef): void {
    const key = which === undefined ? undefined : this.#key(which);
    this.#paused.add(key);
    this.#applyPause(key);
  }

  /** Ends a pause by `pause`. */
  resume(which?: ObjectRef): void {
    const key = which === undefined ? undefined : this.#key(which);
    this.#paused.delete(key);
    this.#applyPause(key);
  }

  /** Whether an object is paused, by itself or with all others; without one, whether all are. */
  isPaused(which?: ObjectRef): boolean {
    return this.#isHeld(undefined) || (which !== undefined && this.#isHeld(this.#key(which)));
  }

  /** Replaces the pauses that are stored outside of the objects. */
  setStoredPauses(keys: ReadonlySet<string | undefined>): void {
    const changed = [...this.#stored, ...keys];
    this.#stored = keys;
    for (const key of changed) this.#applyPause(key);
  }

  /** True when a pause of a key, or of all objects, is stored outside of the objects. */
  isStoredPause(key: string | undefined): boolean {
    return this.#stored.has(key);
  }

  /** Notes whether the annotation of an object pauses it. */
  noteAnnotation(key: string, isPaused: boolean): void {
    // A key that is paused otherwise is held again: the queue forgets objects that are gone.
    if (this.#annotated.has(key) === isPaused && !this.#paused.has(key) && !this.#stored.has(key)) return;
    if (isPaused) this.#annotated.add(key);
    else this.#annotated.delete(key);
    this.#applyPause(key);
  }

  #isHeld(key: string | undefined): boolean {
    return this.#paused.has(key) || this.#stored.has(key) || (key !== undefined && this.#annotated.has(key));
  }

  #applyPause(key: string | undefined): void {
    const queue = this.#loop?.queue;
    if (this.#isHeld(key)) queue?.pause(key);
    else queue?.resume(key);
  }

  /** Dead letters: objects whose retries are used up. */
  dead(): readonly DeadLetter<Trigger>[] {
    return this.#loop?.queue.dead() ?? [];
  }

  /** Retries a dead letter, or all. Returns how many. */
  retry(which?: ObjectRef, reason = "tried again on request"): number {
    const trigger: Trigger = { type: "manual", text: reason, at: this.#dependencies.clock.now() };
    const key = which === undefined ? undefined : this.#key(which);
    return this.#activeLoop().queue.revive(key, trigger, { type: "MANUAL" });
  }

  /** Resets the backoff of an object that waits for its next retry. False if it has not failed. */
  resetBackoff(which: ObjectRef): boolean {
    return this.#activeLoop().queue.resetFailures(this.#key(which));
  }

  /** Plans a run for an object that exists, or for a manifest. */
  async plan(object: KubeObject, signal?: AbortSignal): Promise<Plan> {
    const { clock, random, namespace } = this.#dependencies;
    const { transport, clientOver } = this.#dependencies.accessOf(this.name);
    const opened = this.#loop?.isStarted ? undefined : await this.#openSources(signal);
    const sources = opened ?? this.#activeLoop().sources;
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

  /** Resolves when no run is active and none is due. */
  async idle(): Promise<void> {
    await this.#loop?.idle();
  }

  async start(signal: AbortSignal): Promise<void> {
    this.#annotated.clear();
    const note = (key: string, isPaused: boolean): void => this.noteAnnotation(key, isPaused);
    const loop = new ControllerLoop(this.controller, this.#dependencies, this.#lingering, note);
    this.#loop = loop;
    for (const key of [...this.#paused, ...this.#stored]) loop.queue.pause(key);
    await loop.start(signal);
  }

  async stop(deadline: AbortSignal, reason: string): Promise<void> {
    const loop = this.#loop;
    await loop?.stop(deadline, reason);
    if (this.#loop === loop) this.#loop = undefined;
  }

  /** Starts work on keys that this process has gained. */
  gain(isGained: (key: string) => boolean): void {
    for (const key of this.pausedKeys()) if (isGained(key)) this.#loop?.queue.pause(key);
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

  /** Opens sources to read from, when this process does not work itself. */
  async #openSources(signal: AbortSignal = new AbortController().signal): Promise<Sources> {
    return Sources.open(this.controller, this.#dependencies, signal);
  }

  #activeLoop(): ControllerLoop {
    if (this.#loop !== undefined) return this.#loop;
    throw new Error(
      `controller ${this.name} is not at work in this process: it has not started, has stopped, or another process leads`,
    );
  }

  #keyOfUid(uid: string): string {
    const key = this.#activeLoop().sources.keyOfUid(uid);
    if (key !== undefined) return key;
    throw new RangeError(
      `controller ${this.name} sees no ${this.controller.options.for.kind} with the uid ${JSON.stringify(uid)}: it was deleted, or is outside of the controller's scope`,
    );
  }

  /** Key of an object. Default namespace: the client's, or none for objects of a poller. */
  #key(which: ObjectRef): string {
    const { for: kind, from } = this.controller.options;
    const fallback = from === undefined ? this.#dependencies.namespace : "";
    const { name, namespace } = targetOf(kind, which, fallback);
    return joinKey(namespace, name);
  }
}

function isUid(which: EnqueueTarget): which is { readonly uid: string } {
  return typeof which === "object" && "uid" in which;
}
