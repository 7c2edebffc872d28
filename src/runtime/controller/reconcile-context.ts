import type { AnyKind, ContentOf, ExternalKind, ObjectOf } from "../../client/kinds/kind.js";
import type { Client } from "../../client/client.js";
import type { ConditionStatus, Duration, ObjectMeta } from "../../model/core.js";
import type { Resource, Status } from "../../model/schema/resource-types.js";
import type { Requeue, Failed, Wait } from "./outcome.js";
import type { Log } from "../log/log.js";

/** A kind the compiler knows: made by `resource()`, or one of Kubernetes' own. */
export type TypedKind = Resource | ExternalKind;

/** The kind itself if it is owned, otherwise the text of a compile error. */
type Owned<C extends TypedKind, Owns extends TypedKind> =
  C extends Distinct<Owns> ? C : `${C["kind"]} is not in "owns" of this controller: add it to owns: [ … ]`;

/** Keeps kinds made by `resource()` from passing for external ones, whose properties they all have. */
type Distinct<K extends TypedKind> = K extends Resource ? K : K & { readonly versions?: undefined };

/** An object as a reconciler sees it: frozen, with its names at hand. */
export type Observed<K extends AnyKind> = ObjectOf<K> & {
  readonly name: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
};

/** Fields of a status; null takes a field away. */
export type StatusPatch<K extends AnyKind> = K extends Resource
  ? {
      readonly [Field in Exclude<keyof Status<K>, "conditions" | "observedGeneration">]?:
        | Status<K>[Field]
        | null;
    }
  : Readonly<Record<string, unknown>>;

export interface EnsureOptions {
  /** Where the child lives; the namespace of its owner unless told. */
  readonly namespace?: string | undefined;
  readonly labels?: ObjectMeta["labels"];
  readonly annotations?: ObjectMeta["annotations"];
  /** Takes over an object of that name which belongs to nobody; without it, that is an error. */
  readonly adopt?: boolean | undefined;
}

/** How an effect on the outside world is carried out. */
export interface StepOptions<T> {
  /** Until one attempt is given up. */
  readonly timeout?: Duration | undefined;
  /** How many times it is tried again after a failure, within this run. */
  readonly retries?: number | undefined;
  /** The pause before the first of these; each one is twice the last. */
  readonly retryDelay?: Duration | undefined;
  /** Looks whether the effect took place; false or a throw is a failure, and the effect is undone. */
  readonly verify?:
    | ((result: T, signal: AbortSignal) => boolean | void | Promise<boolean | void>)
    | undefined;
  /** Looks, without changing anything, whether there is nothing to do; then the effect is left out. */
  readonly unless?: ((signal: AbortSignal) => boolean | Promise<boolean>) | undefined;
  /**
   * Takes the effect back when a later critical step fails, or when it cannot be verified in the last attempt: then it is
   * given what the last effect gave that returned.
   */
  readonly undo?: ((signal: AbortSignal, result: T) => unknown) | undefined;
  /** Whether its failure ends the run, and undoes the steps before it. Default true. */
  readonly critical?: boolean | undefined;
  /** The dependency it needs: after too many failures it is left alone for a while, by everybody. */
  readonly breaker?: string | undefined;
  /** What a plan, which runs no effects, goes on with. */
  readonly planned?: T | undefined;
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
  /** Reads and writes objects; its writes are part of the run's record. */
  readonly client: Client;
  /** Aborts when the run's time is up, leadership is lost or the process stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Names this run in logs, traces and `fettle why`. */
  readonly runId: string;
  /** Milliseconds since 1970, by the runtime's clock. */
  now(this: void): number;
  /** An object as the cache has it; the kind must be among those the controller watches. */
  read<K extends AnyKind>(
    this: void,
    kind: K,
    which: string | { name: string; namespace?: string },
  ): ObjectOf<K> | undefined;
  /** Objects as the cache has them, all or those that an index has under a value. */
  readAll<K extends AnyKind>(
    this: void,
    kind: K,
    by?: { readonly index: string; readonly value: string } | { readonly namespace: string },
  ): readonly ObjectOf<K>[];
  /** Tells people what happened: an event on the object. */
  recordEvent(this: void, reason: string, message: string, type?: "Normal" | "Warning"): void;
  /**
   * An effect on the outside world, with a name.
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
  /** One that may fail without failing the run gives nothing then. */
  step<T>(this: void, name: string, options: StepOptions<T>, effect: Effect<T>): Promise<T | undefined>;
  /** Fields of the status to be written when the run is over. */
  report(this: void, status: StatusPatch<K>): void;
  /** Moves to a phase that the controller declares; throws when there is no way from the present one. */
  phase(this: void, phase: Phase): void;
  condition(
    this: void,
    type: string,
    status: ConditionStatus | boolean,
    reason: string,
    message?: string,
  ): void;
  /** The object is as it should be: its Ready condition is True. */
  ready(this: void, reason?: string, message?: string): void;
  /** Return it: not there yet. What is missing brings the object back when it changes, and so does the time given. */
  wait(this: void, reason: string, message?: string, after?: Duration): Wait;
  /** Return it: look again after this time. */
  requeue(this: void, after: Duration, reason?: string): Requeue;
  /** Return it: it cannot work like this, and is not tried again until something changes. */
  fail(this: void, reason: string, message: string): Failed;
  /**
   * Stages a child: after the function has returned it is made, changed or left alone, and children that are no longer
   * mentioned are deleted. What it returns is the child as it is now, if it is there.
   */
  ensure<C extends TypedKind>(
    this: void,
    kind: Owned<C, Owns>,
    name: string,
    content: ContentOf<C>,
    options?: EnsureOptions,
  ): ObjectOf<C> | undefined;
  /** The children that are there, as the cache has them. */
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
  "client" | "signal" | "log" | "runId" | "now" | "read" | "readAll" | "recordEvent"
> {}
