import type { ObjectOf } from "../../client/kinds/kind.js";
import type { IndexFunction, Source } from "../../client/source/source.js";
import type { InformerScope } from "../../client/informer/informers.js";
import { duration, names, type Duration, type KubeObject } from "../../model/core.js";
import { finalizerOf, controllerName } from "./names.js";
import type { Verdict } from "./outcome.js";
import type { PhaseRules } from "./phases.js";
import type { Predicate } from "./predicates.js";
import type { PlainReconcile } from "./plain.js";
import type { RateLimiter } from "../queue/rate-limiter.js";
import type { Strategy } from "../queue/strategy.js";
import type { ObjectStrategyInput } from "./annotation-strategy.js";
import type { CleanupContext, Observed, ReconcileContext, TypedKind } from "./reconcile-context.js";
import type { TriggerSource } from "./triggers.js";
import type { EventWatch } from "./event-watch.js";
import type { Watch } from "./watch.js";

/** Retries of failed objects. */
export interface Backoff {
  /** Delay before the first retry. Default 5 ms. */
  readonly base?: Duration | undefined;
  /** Number by which the delay is multiplied each time, 1 or more. Default 2. */
  readonly factor?: number | undefined;
  /** Longest delay. Default 1000 s. */
  readonly max?: Duration | undefined;
  /** Retries in a row after which a failing object becomes a dead letter. Default: unlimited. */
  readonly maxRetries?: number | undefined;
}

/** Defaults of the options of a controller. */
export const defaults = { concurrency: 4, timeout: "1m", resync: "10h", base: "5ms", max: "1000s" } as const;

/** Options of all controllers. */
export interface CommonOptions<K extends TypedKind> {
  /** Kind whose objects are reconciled. */
  readonly for: K;
  /** Name in metrics, events, finalizers and managed fields; must not change later. Default `plural.group`. */
  readonly name?: string | undefined;
  /** Namespace and selectors of the objects that are watched. Default: all objects. */
  readonly scope?: InformerScope | undefined;
  /** Source of the objects instead of a watch on the API, such as a poller. */
  readonly from?: Source<ObjectOf<K> & KubeObject> | undefined;
  /** Other objects whose changes, and events that, trigger runs: made by `watch()` and `onEvent()`. */
  readonly watches?: readonly (Watch | EventWatch)[] | undefined;
  /** Events from outside of the API that trigger runs, made by `triggers()`. */
  readonly triggers?: readonly TriggerSource[] | undefined;
  /** Filter of changes. Default: all but those of the status alone. */
  readonly where?: Predicate<ObjectOf<K>> | undefined;
  /** Indexes of the objects, by name. */
  readonly indexes?: Readonly<Record<string, IndexFunction<ObjectOf<K>>>> | undefined;
  /** Objects that are reconciled at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** Time after which a run is cancelled. Default 1 min. */
  readonly timeout?: Duration | undefined;
  readonly backoff?: Backoff | undefined;
  /** Computes the delay before a retry, instead of `backoff`. */
  readonly limiter?: RateLimiter | undefined;
  /** When changes are acted upon: at once, in batches, or in a time window. Default: at once. */
  readonly strategy?:
    | Strategy
    | ((change: ObjectStrategyInput<ObjectOf<K> & KubeObject>) => Strategy)
    | undefined;
  /** Priority of an object in the queue; higher goes first. Default 0. */
  readonly priority?: ((object: ObjectOf<K>) => number) | undefined;
  /** Fairness key of an object: keys take turns in the queue. Default: the namespace. `object` is the cached one, if any. */
  readonly fairnessKey?: ((key: string, object: ObjectOf<K> | undefined) => string) | undefined;
  /**
   * Time after which an object is reconciled again after a successful run that did not ask for another time. Default 10 h;
   * `false` for never.
   */
  readonly resync?: Duration | false | undefined;
}

/** Options of `controller()`. */
export interface ControllerOptions<
  K extends TypedKind,
  Owns extends readonly TypedKind[],
  Phase extends string,
> extends CommonOptions<K> {
  /** Kinds of children, made with `ensure`; a change of a child triggers a run of its owner. */
  readonly owns?: Owns | undefined;
  /** Phases of an object and the transitions between them. */
  readonly phases?: PhaseRules<Phase> | undefined;
  /** Finalizer of a controller with a `cleanup`. Default `fettle.dev/` and the controller's name. */
  readonly finalizer?: string | undefined;
  /** Makes the world match the object. Called any number of times, so it must be idempotent. */
  reconcile(
    object: Observed<K>,
    context: ReconcileContext<K, Owns[number], Phase>,
  ): Promise<Verdict> | Verdict;
  /** Undoes what reconcile did outside, before the object is removed. Must work even if reconcile never ran. */
  cleanup?(object: Observed<K>, context: CleanupContext<K, Phase>): Promise<Verdict> | Verdict;
}

/** Options of a declarative controller for any kinds. */
export type DeclarativeOptions = ControllerOptions<TypedKind, readonly TypedKind[], string>;

/** Definition of a controller, made by `controller()` or `plainController()` and run by `startControllers()`. */
export interface Controller {
  readonly name: string;
  readonly options: CommonOptions<TypedKind>;
  readonly owns: readonly TypedKind[];
  readonly style:
    | { readonly type: "declarative"; readonly options: DeclarativeOptions }
    | { readonly type: "plain"; readonly reconcile: PlainReconcile };
}

/**
 * Defines a declarative controller: its reconciler stages children, reports status and returns a verdict.
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
  // The type parameters matter to users only.
  const any = options as unknown as DeclarativeOptions;
  const name = controllerName(any);
  checkOptions(name, any);
  if (any.cleanup !== undefined) checkFinalizer(finalizerOf(any, name));
  return {
    name,
    options: any,
    owns: any.owns ?? [],
    style: { type: "declarative", options: any },
  };
}

/** Throws for a concurrency or resync with which nothing would run, or everything all the time. */
export function checkOptions(
  name: string,
  { concurrency = 1, resync = false }: Pick<CommonOptions<TypedKind>, "concurrency" | "resync">,
): void {
  if (!(Number.isInteger(concurrency) && concurrency >= 1)) {
    throw new RangeError(
      `invalid concurrency ${concurrency} of controller ${name}: use an integer of at least 1, or pause the controller`,
    );
  }
  if (resync !== false && !(duration(resync) > 0)) {
    throw new RangeError(
      `invalid resync ${resync} of controller ${name}: use a duration, or false to disable it`,
    );
  }
}

/** Throws for a finalizer that the server would refuse, with every object. */
function checkFinalizer(finalizer: string): void {
  const [fault] = names.validateQualifiedName(finalizer);
  if (fault === undefined) return;
  throw new RangeError(
    `"${finalizer}" is not a valid finalizer: ${fault}; rename the controller, or set finalizer: "your.domain/a-short-name"`,
  );
}
