import type {
  GatewayResult,
  PolicyResult,
  RouteResult,
  Translation,
  TranslationInput,
} from "./translate/translation.js";

/** Outcome of the last attempt to configure the nginx of a class. */
export interface Programming {
  /** Number of the configuration that nginx serves. */
  readonly generation: number | undefined;
  /** Undefined if nginx serves the configuration of the translation; otherwise why not. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
}

/** Result for one object, with the state of nginx. */
export interface Result<T> {
  readonly className: string;
  readonly result: T;
  readonly programming: Programming;
}

type AnyResult = GatewayResult | RouteResult | PolicyResult;
type ResultKind = "Gateway" | "HTTPRoute" | "RateLimitPolicy";

/** An object whose result has changed. */
export interface ChangedResult {
  readonly kind: ResultKind;
  readonly name: string;
  readonly namespace: string;
}

/** Last attempt to configure the nginx of a class. */
export interface ClassResult {
  readonly input: TranslationInput;
  readonly translation: Translation;
  /** Files of the configuration, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly programming: Programming;
}

/**
 * Results of the last translation of every class, from which the controllers of gateways, routes and policies write their status.
 * Kept in memory: after a restart, each class is translated again.
 */
export class Results {
  readonly #classes = new Map<string, ClassResult>();
  /** Generation of each object that nginx serves, by class and uid. */
  readonly #served = new Map<string, ReadonlyMap<string, number>>();
  /** By kind and uid; a route can have results of several classes. */
  readonly #byObject = new Map<string, Map<string, Result<AnyResult>>>();
  readonly #listeners = new Set<(changed: ChangedResult) => void>();
  #isKnown = false;

  /** Replaces the results of a class, and tells listeners which objects are concerned. */
  set(className: string, result: ClassResult): void {
    const before = this.#classes.get(className);
    const { translation, programming } = result;
    this.#classes.set(className, result);
    this.#isKnown = true;
    if (programming.problem === undefined) this.#served.set(className, generationsOf(translation));
    const kinds = [
      ["Gateway", translation.gateways, before?.translation.gateways ?? []],
      ["HTTPRoute", translation.routes, before?.translation.routes ?? []],
      ["RateLimitPolicy", translation.policies, before?.translation.policies ?? []],
    ] as const;
    for (const [kind, now, old] of kinds) this.#replace(kind, className, now, old, programming);
  }

  /** Forgets a class that was deleted. */
  delete(className: string): void {
    const before = this.#classes.get(className);
    if (before === undefined) return;
    this.#classes.delete(className);
    this.#served.delete(className);
    const { gateways, routes, policies } = before.translation;
    this.#replace("Gateway", className, [], gateways, before.programming);
    this.#replace("HTTPRoute", className, [], routes, before.programming);
    this.#replace("RateLimitPolicy", className, [], policies, before.programming);
  }

  gateway(uid: string): Result<GatewayResult> | undefined {
    return this.#of("Gateway", uid)[0] as Result<GatewayResult> | undefined;
  }

  route(uid: string): readonly Result<RouteResult>[] {
    return this.#of("HTTPRoute", uid) as readonly Result<RouteResult>[];
  }

  policy(uid: string): readonly Result<PolicyResult>[] {
    return this.#of("RateLimitPolicy", uid) as readonly Result<PolicyResult>[];
  }

  /** Last results, by the name of the class. */
  get classes(): ReadonlyMap<string, ClassResult> {
    return this.#classes;
  }

  /** False until the first translation: what an object's status says may still be true then. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  onChange(listener: (changed: ChangedResult) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #of(kind: ResultKind, uid: string): readonly Result<AnyResult>[] {
    return [...(this.#byObject.get(`${kind} ${uid}`)?.values() ?? [])];
  }

  #replace(
    kind: ResultKind,
    className: string,
    now: readonly AnyResult[],
    old: readonly AnyResult[],
    programming: Programming,
  ): void {
    const present = new Set(now.map(({ uid }) => uid));
    for (const result of old) {
      if (present.has(result.uid)) continue;
      const key = `${kind} ${result.uid}`;
      const results = this.#byObject.get(key);
      results?.delete(className);
      if (results?.size === 0) this.#byObject.delete(key);
      this.#tell(kind, result);
    }
    const served = this.#served.get(className);
    for (const result of now) {
      const key = `${kind} ${result.uid}`;
      // What nginx serves already goes on, whatever is wrong with a later configuration, unless nginx itself is gone.
      const isRunning = programming.problem?.reason !== "NotRunning";
      const isServed = isRunning && served?.get(result.uid) === result.generation;
      const state = isServed ? { ...programming, problem: undefined } : programming;
      const next = { className, result, programming: state };
      const results = this.#byObject.get(key) ?? new Map<string, Result<AnyResult>>();
      const before = results.get(className);
      this.#byObject.set(key, results.set(className, next));
      if (before === undefined || !isSame(before, next)) this.#tell(kind, result);
    }
  }

  #tell(kind: ResultKind, { name, namespace }: AnyResult): void {
    for (const listener of this.#listeners) listener({ kind, name, namespace });
  }
}

function generationsOf({ gateways, routes, policies }: Translation): ReadonlyMap<string, number> {
  return new Map([...gateways, ...routes, ...policies].map(({ uid, generation }) => [uid, generation]));
}

/** The number of the served configuration alone is no news for an object. */
function isSame(one: Result<AnyResult>, other: Result<AnyResult>): boolean {
  const shown = ({ result, programming }: Result<AnyResult>): string =>
    JSON.stringify([result, programming.problem ?? null]);
  return shown(one) === shown(other);
}
