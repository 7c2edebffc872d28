import type { AnyKind, ContentOf, ExternalKind, ObjectOf } from "../../client/kinds/kind.js";
import type { Client } from "../../client/client.js";
import type { ObjectRef } from "../../client/object-ref.js";
import type { ConditionStatus, Duration, ObjectMeta } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { Resource, Status } from "../../model/resource/resource-types.js";
import type { Requeue, Failed, Wait } from "./outcome.js";
import type { Log } from "../log/log.js";

/** A kind with a static type: made by `resource()`, or one of Kubernetes' own. */
export type TypedKind = Resource | ExternalKind;

/** The kind itself if it is owned, otherwise the text of a compile error. */
type Owned<C extends TypedKind, Owns extends TypedKind> =
  C extends Distinct<Owns>
    ? C
    : `${string extends C["kind"] ? "this kind" : C["kind"]} is not in "owns" of this controller: add it to owns: [ … ]`;

/** Keeps kinds made by `resource()` from passing for external ones, whose properties they all have. */
type Distinct<K extends TypedKind> = K extends Resource ? K : K & { readonly versions?: undefined };

/** The object of a run: frozen, with its name and namespace as properties. */
export type Observed<K extends AnyKind> = ObjectOf<K> & {
  readonly name: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
};

/** Reference to an object whose run is triggered by hand: as for a client, or by its uid. */
export type EnqueueTarget = ObjectRef | { readonly uid: string };

/** Fields of a status; null removes a field. */
export type StatusPatch<K extends AnyKind> = K extends Resource
  ? {
      readonly [Field in Exclude<keyof Status<K>, "conditions" | "observedGeneration">]?:
        | Status<K>[Field]
        | null;
    }
  : Readonly<Record<string, unknown>>;

export interface EnsureOptions {
  /** Namespace of the child. Default: that of its owner. */
  readonly namespace?: string | undefined;
  readonly labels?: ObjectMeta["labels"];
  readonly annotations?: ObjectMeta["annotations"];
  /** Takes over an existing object of that name that has no owner; without this option, that is an error. */
  readonly adopt?: boolean | undefined;
}

/** Options of a step. */
export interface StepOptions<T> {
  /** Time limit of one attempt. */
  readonly timeout?: Duration | undefined;
  /** Attempts after a failed one, within this run. Default 0. */
  readonly retries?: number | undefined;
  /** Delay before the first retry. Default 100 ms. */
  readonly retryDelay?: Duration | undefined;
  /** Number by which the delay is multiplied each time, 1 or more. Default 2. */
  readonly retryFactor?: number | undefined;
  /** Longest delay before a retry. Default: unlimited. */
  readonly maxRetryDelay?: Duration | undefined;
  /** Checks that the effect took place; false or a throw is a failure, and the effect is undone. */
  readonly verify?:
    | ((result: T, signal: AbortSignal) => boolean | void | Promise<boolean | void>)
    | undefined;
  /** Skips the effect if it returns true. Must not change anything: plans call it, too. */
  readonly unless?: ((signal: AbortSignal) => boolean | Promise<boolean>) | undefined;
  /**
   * Reverses the effect when a later critical step fails, or when the last attempt could not be verified. `result` is that of
   * the last effect that returned.
   */
  readonly undo?: ((signal: AbortSignal, result: T) => unknown) | undefined;
  /** If true, a failure ends the run and undoes the steps before it. Default true. */
  readonly critical?: boolean | undefined;
  /** Name of a circuit breaker, shared by all steps that name it: after too many failures, calls fail at once for a while. */
  readonly breaker?: string | undefined;
  /** Result of the step in a plan, which runs no effects. */
  readonly planned?: T | undefined;
  /** Text for a plan that says what the effect would be, such as a diff of files. Computed only there. */
  readonly detail?: ((signal: AbortSignal) => string | Promise<string>) | undefined;
}

export type Effect<T> = (signal: AbortSignal) => T | Promise<T>;

/**
 * Second argument of `reconcile`: everything a reconciler can do. Functions need no `this`, so that it can be destructured.
 *
 * @example
 * async reconcile(site, { ensure, report, ready }) { … }
 */
export interface ReconcileContext<
  K extends TypedKind,
  Owns extends TypedKind,
  Phase extends string = string,
> {
  /** Client for any objects; its writes are part of the run's record. */
  readonly client: Client;
  /** Aborts on the run's timeout, when this process loses the object to another one, and when it stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Identifies this run in logs, traces and `fettle why`. */
  readonly runId: string;
  /** Milliseconds since 1970, by the runtime's clock. */
  now(this: void): number;
  /** An object from the cache; the controller must own or watch its kind. */
  read<K extends AnyKind>(
    this: void,
    kind: K,
    which: string | { name: string; namespace?: string },
  ): ObjectOf<K> | undefined;
  /** Objects from the cache: all, those of a namespace, or those with a value in an index. */
  readAll<K extends AnyKind>(
    this: void,
    kind: K,
    by?: { readonly index: string; readonly value: string } | { readonly namespace: string },
  ): readonly ObjectOf<K>[];
  /** Records an event on the object, which `kubectl describe` shows. */
  recordEvent(this: void, reason: string, message: string, type?: "Normal" | "Warning"): void;
  /**
   * Emits an event about the object. It is published after the writes of the run, and not if the run fails. `fettle debug events` shows it.
   *
   * @example
   * emit("io.example.device.started", { watts: 7 });
   */
  emit(this: void, type: string, data?: unknown): void;
  emit(this: void, event: EventInput): void;
  /**
   * Triggers a run of another object, of a kind that a controller in this process reconciles.
   *
   * @example
   * enqueue(Node, "node-1", { reason: "its cluster was upgraded", after: "10s" });
   */
  enqueue(
    this: void,
    kind: { readonly apiVersion: string; readonly kind: string },
    which: EnqueueTarget,
    options?: { readonly reason?: string; readonly after?: Duration },
  ): void;
  /**
   * Performs an effect on the outside world.
   *
   * @example
   * await step("publish", { timeout: "10s", retries: 3, undo: unpublish }, (signal) => publish(site, signal));
   */
  step<T>(this: void, name: string, effect: Effect<T>): Promise<T>;
  step<T>(
    this: void,
    name: string,
    options: StepOptions<T> & { readonly critical?: true | undefined },
    effect: Effect<T>,
  ): Promise<T>;
  /** A step that is not critical returns undefined if it fails. */
  step<T>(this: void, name: string, options: StepOptions<T>, effect: Effect<T>): Promise<T | undefined>;
  /** Sets fields of the status, which is written at the end of the run. */
  report(this: void, status: StatusPatch<K>): void;
  /** Sets `status.phase`; throws unless the controller declares a transition to it from the current phase. */
  phase(this: void, phase: Phase): void;
  condition(
    this: void,
    type: string,
    status: ConditionStatus | boolean,
    reason: string,
    message?: string,
  ): void;
  /** Sets the Ready condition to True. */
  ready(this: void, reason?: string, message?: string): void;
  /** Return it when something is missing: the object is reconciled again when what it watches changes, or after the given time. */
  wait(this: void, reason: string, message?: string, after?: Duration): Wait;
  /** Return it to reconcile again after the given time. */
  requeue(this: void, after: Duration, reason?: string): Requeue;
  /** Return it for a permanent failure: not retried until something changes. */
  fail(this: void, reason: string, message: string): Failed;
  /**
   * Stages a child: after the function has returned, it is created or updated if it differs, and children that were not staged
   * are deleted. Returns the child from the cache, if it exists.
   */
  ensure<C extends TypedKind>(
    this: void,
    kind: Owned<C, Owns>,
    name: string,
    content: ContentOf<C>,
    options?: EnsureOptions,
  ): ObjectOf<C> | undefined;
  /** The children of this kind in the cache. */
  children<C extends TypedKind>(this: void, kind: Owned<C, Owns>): readonly ObjectOf<C>[];
  /**
   * Writes the children staged and the status reported so far: when what follows depends on the children, or takes long and
   * people should see how far it is.
   */
  flush(this: void): Promise<void>;
}

/** Second argument of `cleanup`: everything but children, which are deleted with their owner. */
export interface CleanupContext<K extends TypedKind, Phase extends string = string> extends Omit<
  ReconcileContext<K, never, Phase>,
  "ensure" | "children"
> {}

/** Second argument of a plain reconciler. */
export interface PlainContext extends Pick<
  ReconcileContext<TypedKind, never>,
  "client" | "signal" | "log" | "runId" | "now" | "read" | "readAll" | "recordEvent" | "emit" | "enqueue"
> {}
