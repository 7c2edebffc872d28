import type { ObjectOf } from "../../client/kinds/kind.js";
import type { IndexFunction, Source } from "../../client/informer/source.js";
import type { InformerScope } from "../../client/informer/informers.js";
import { duration, names, type Duration, type KubeObject } from "../../model/core.js";
import { finalizerOf, nameOf } from "./names.js";
import type { Verdict } from "./outcome.js";
import type { PhaseRules } from "./phases.js";
import type { Predicate } from "./predicates.js";
import type { PlainReconcile } from "./plain.js";
import type { RateLimiter } from "../queue/rate-limiter.js";
import type { Change as StrategyChange, Strategy } from "../queue/strategy.js";
import type { CleanupContext, Observed, ReconcileContext, TypedKind } from "./reconcile-context.js";
import type { Watch } from "./watch.js";

/** How failures are spaced, and when they are given up. */
export interface Backoff {
  /** The first delay; each further one is twice the last. Default 5 ms. */
  readonly base?: Duration | undefined;
  /** Default 1000 s. */
  readonly max?: Duration | undefined;
  /** How often in a row a failed object is tried again before it is put among the dead letters. Default: without end. */
  readonly maxRetries?: number | undefined;
}

/** Defaults of the options of a controller. */
export const defaults = { concurrency: 4, timeout: "1m", resync: "10h", base: "5ms", max: "1000s" } as const;

/** What all styles of controllers have in common. */
export interface CommonOptions<K extends TypedKind> {
  /** The kind whose objects it keeps as they should be. */
  readonly for: K;
  /** Names it in metrics, events, finalizers and managed fields; must not change later. By default `plural.group`. */
  readonly name?: string | undefined;
  /** Which objects it sees at all. */
  readonly scope?: InformerScope | undefined;
  /** Where objects come from instead of a watch on the API: a poller. */
  readonly from?: Source<ObjectOf<K> & KubeObject> | undefined;
  /** Other objects whose changes concern those of `for`. */
  readonly watches?: readonly Watch[] | undefined;
  /** Which changes matter. By default all but those of the status alone. */
  readonly where?: Predicate<ObjectOf<K>> | undefined;
  /** Ways to find objects of `for`, by name. */
  readonly indexes?: Readonly<Record<string, IndexFunction<ObjectOf<K>>>> | undefined;
  /** How many objects are worked on at once. Default 4. */
  readonly concurrency?: number | undefined;
  /** Until a run is cancelled. Default 1 min. */
  readonly timeout?: Duration | undefined;
  readonly backoff?: Backoff | undefined;
  /** Instead of `backoff`: the delay before the next try. */
  readonly limiter?: RateLimiter | undefined;
  /** When work is done: at once, in batches, in a window of time. Default immediate. */
  readonly strategy?: Strategy | ((change: StrategyChange) => Strategy) | undefined;
  /** How urgent a change is; higher goes first. */
  readonly priority?: ((object: ObjectOf<K>) => number) | undefined;
  /** Who gets their turn alike; the namespace by default. The object is as the cache has it, if it does. */
  readonly fairBy?: ((key: string, object: ObjectOf<K> | undefined) => string) | undefined;
  /**
   * An object that is as it should be is looked at again after this time, unless its run asked for another. Default 10 h;
   * `false` for never.
   */
  readonly resync?: Duration | false | undefined;
}

/** What `controller()` is told. */
export interface ControllerOptions<
  K extends TypedKind,
  Owns extends readonly TypedKind[],
  Phase extends string,
> extends CommonOptions<K> {
  /** Kinds whose objects it makes with `ensure`; a change of a child brings its owner back. */
  readonly owns?: Owns | undefined;
  /** The phases of an object and the ways between them. */
  readonly phases?: PhaseRules<Phase> | undefined;
  /** The finalizer that stands for `cleanup`, when another name is already in use. */
  readonly finalizer?: string | undefined;
  /** Makes the world match the object. Called again and again: it must not matter how often. */
  reconcile(
    object: Observed<K>,
    context: ReconcileContext<K, Owns[number], Phase>,
  ): Promise<Verdict> | Verdict;
  /** Takes back what reconcile did outside, before the object goes. Must not mind if reconcile never ran. */
  cleanup?(object: Observed<K>, context: CleanupContext<K, Phase>): Promise<Verdict> | Verdict;
}

/** Options of a declarative controller for any kinds. */
export type DeclarativeOptions = ControllerOptions<TypedKind, readonly TypedKind[], string>;

/** A controller as the runtime takes it: data and functions, nothing running. */
export interface Controller {
  readonly name: string;
  readonly options: CommonOptions<TypedKind>;
  readonly owns: readonly TypedKind[];
  readonly style:
    | { readonly type: "declarative"; readonly options: DeclarativeOptions }
    | { readonly type: "plain"; readonly reconcile: PlainReconcile };
}

/**
 * A controller that reads like prose.
 *
 * @example
 * const sites = controller({
 *   for: Site,
 *   owns: [Page],
 *   reconcile(site, { ensure, report, ready }) {
 *     for (let page = 1; page <= site.spec.pages; page++)
 *       ensure(Page, `${site.name}-${page}`, { html: `<h1>${site.spec.title}</h1>` });
 *     report({ published: site.spec.pages });
 *     ready("Published");
 *   },
 * });
 */
export function controller<
  const K extends TypedKind,
  const Owns extends readonly TypedKind[] = readonly [],
  const Phase extends string = never,
>(options: ControllerOptions<K, Owns, Phase>): Controller {
  // Which kinds there are matters to the compiler only; from here on they are any.
  const any = options as unknown as DeclarativeOptions;
  const name = nameOf(any);
  checkOptions(name, any);
  if (any.cleanup !== undefined) checkFinalizer(finalizerOf(any, name));
  return {
    name,
    options: any,
    owns: any.owns ?? [],
    style: { type: "declarative", options: any },
  };
}

/** What would let nothing run, or everything all the time. */
export function checkOptions(
  name: string,
  { concurrency = 1, resync = false }: Pick<CommonOptions<TypedKind>, "concurrency" | "resync">,
): void {
  if (!(Number.isInteger(concurrency) && concurrency >= 1)) {
    throw new RangeError(
      `the concurrency of controller ${name} cannot be ${concurrency}: give a whole number of at least 1, or pause the controller`,
    );
  }
  if (resync !== false && !(duration(resync) > 0)) {
    throw new RangeError(
      `the resync of controller ${name} cannot be ${resync}: give a time, or false for never`,
    );
  }
}

/** One that the server refuses would keep every object from being reconciled. */
function checkFinalizer(finalizer: string): void {
  const [fault] = names.validateQualifiedName(finalizer);
  if (fault === undefined) return;
  throw new RangeError(
    `"${finalizer}" cannot be the finalizer that stands for cleanup: ${fault}; give the controller another name, or say finalizer: "your.domain/a-short-name"`,
  );
}
