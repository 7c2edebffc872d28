import { ApiError, isNotFound, parseApiVersion, systemClock, type Clock } from "../model/core.js";
import { builtInKinds } from "../model/built-in-kinds.js";
import { failureStatus } from "../model/errors/status.js";
import type { CallOptions, Transport } from "./transport/transport.js";
import type { AnyKind, KindInfo, KindReference } from "./kinds/kind.js";
import { withTimeout } from "./async/time-left.js";
import { untilAborted } from "./async/until-aborted.js";

const builtIn = new Map<string, KindInfo>(Object.values(builtInKinds).map((info) => [keyOf(info), info]));

/**
 * Resolves kinds to plural name and scope: from kinds that were passed in full, Kubernetes' own, and discovery. Definitions
 * come and go, so a missing kind is not cached, and a cached one is requested again when the server no longer serves it.
 */
export class KindResolver {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #cache = new Map<string, KindInfo>();
  readonly #registered = new WeakSet<KindInfo>();
  /** Pending discovery requests, shared by concurrent callers. */
  readonly #pending = new Map<string, Promise<readonly KindInfo[]>>();

  constructor(transport: Transport, clock: Clock = systemClock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** Kind without a request; undefined when discovery is needed. */
  cached(kind: AnyKind): KindInfo | undefined {
    if (isInfo(kind)) {
      if (!this.#registered.has(kind)) {
        this.#registered.add(kind);
        this.#cache.set(keyOf(kind), kind);
      }
      return kind;
    }
    const key = keyOf(referenceOf(kind));
    return this.#cache.get(key) ?? builtIn.get(key);
  }

  /** @throws {ApiError} 404 that lists the kinds that are served. */
  async find(kind: AnyKind, options: CallOptions = {}): Promise<KindInfo> {
    const cached = this.cached(kind);
    if (cached !== undefined) return cached;
    const reference = referenceOf(kind);
    const served = await this.#served(reference.apiVersion, options);
    const found = served?.find((info) => info.kind === reference.kind);
    if (found === undefined) throw notServed(reference, served);
    return found;
  }

  /**
   * Resolves a kind again after a 404 for its path. Returns the new plural and scope if the kind was given by name only;
   * otherwise throws the most helpful error.
   */
  async reconsider(
    kind: AnyKind,
    tried: KindInfo,
    error: unknown,
    options: CallOptions = {},
  ): Promise<KindInfo> {
    const reference = { apiVersion: tried.apiVersion, kind: tried.kind };
    const served = await this.#served(tried.apiVersion, options, error);
    const found = served?.find((info) => info.kind === tried.kind);
    if (found === undefined) {
      this.#cache.delete(keyOf(tried));
      throw notServed(reference, served, error);
    }
    if (found.plural === tried.plural && found.scope === tried.scope) throw error;
    if (!isInfo(kind)) return found;
    throw kindNotFound(
      reference,
      `the server has ${tried.kind} in ${tried.apiVersion} as ${found.plural} (${found.scope}), not as ${tried.plural} (${tried.scope})`,
      error,
    );
  }

  /**
   * Kinds of a group and version, within the timeout of one caller; undefined when it is not served. If discovery fails,
   * `error` is thrown instead.
   */
  #served(
    apiVersion: string,
    { signal, timeout }: CallOptions,
    error?: unknown,
  ): Promise<readonly KindInfo[] | undefined> {
    const kinds = this.#discover(apiVersion).catch((failure: unknown) => {
      throw error ?? failure;
    });
    const doing = `waiting for the discovery of ${apiVersion}`;
    return untilAborted(withTimeout(this.#clock, kinds, timeout, doing), signal);
  }

  /** Discovery shared by concurrent callers: it has the timeout of the transport, not of the first caller. */
  async #discover(apiVersion: string): Promise<readonly KindInfo[] | undefined> {
    let pending = this.#pending.get(apiVersion);
    if (pending === undefined) {
      pending = this.#transport.discover(apiVersion).finally(() => this.#pending.delete(apiVersion));
      this.#pending.set(apiVersion, pending);
    }
    try {
      const served = await pending;
      for (const info of served) this.#cache.set(keyOf(info), info);
      return served;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

function isInfo(kind: AnyKind): kind is KindInfo {
  return typeof kind === "object" && "plural" in kind && "scope" in kind && !("metadata" in kind);
}

/** Reference of a kind. */
function referenceOf(kind: AnyKind): KindReference {
  if (typeof kind !== "string") return kind;
  const slash = kind.lastIndexOf("/");
  if (slash > 0 && slash < kind.length - 1) {
    return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1) };
  }
  throw new TypeError(`${JSON.stringify(kind)} is not a kind; use "v1/ConfigMap" or "apps/v1/Deployment"`);
}

function keyOf({ apiVersion, kind }: KindReference): string {
  return `${apiVersion}/${kind}`;
}

function notServed(
  reference: KindReference,
  served: readonly KindInfo[] | undefined,
  cause?: unknown,
): ApiError {
  const { apiVersion, kind } = reference;
  if (served === undefined || served.length === 0) {
    const why = `the server has no ${kind} in ${apiVersion}: that API version is not served`;
    return kindNotFound(reference, `${why}; is the kind's CustomResourceDefinition installed?`, cause);
  }
  const kinds = [...new Set(served.map((info) => info.kind))].sort();
  return kindNotFound(
    reference,
    `the server has no ${kind} in ${apiVersion}, only ${kinds.join(", ")}`,
    cause,
  );
}

function kindNotFound({ apiVersion, kind }: KindReference, message: string, cause: unknown): ApiError {
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return new ApiError(failureStatus("NotFound", message, { group, kind }), { cause });
}
