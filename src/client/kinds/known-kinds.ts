import { ApiError, isNotFound, parseApiVersion, systemClock, type Clock } from "../../model/core.js";
import { builtInKinds } from "../../model/built-in-kinds.js";
import { failureStatus } from "../../model/errors/status.js";
import type { CallOptions, Transport } from "../transport/transport.js";
import type { AnyKind, KindInfo, KindReference } from "./kind.js";
import { inTime } from "../time-left.js";
import { untilAborted } from "../until-aborted.js";

const builtIn = new Map<string, KindInfo>(Object.values(builtInKinds).map((info) => [keyOf(info), info]));

/**
 * What a client knows of kinds: those it was given in full, Kubernetes' own, and those the server told of. Kinds come
 * and go with their definitions, so nothing is remembered of what was not there, and what was is asked for again when
 * the server no longer knows it.
 */
export class KnownKinds {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #known = new Map<string, KindInfo>();
  readonly #seen = new WeakSet<KindInfo>();
  /** Questions under way: who asks meanwhile waits for the same answer. */
  readonly #asking = new Map<string, Promise<readonly KindInfo[]>>();

  constructor(transport: Transport, clock: Clock = systemClock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /** What is known without asking. */
  known(kind: AnyKind): KindInfo | undefined {
    if (isInfo(kind)) {
      if (!this.#seen.has(kind)) {
        this.#seen.add(kind);
        this.#known.set(keyOf(kind), kind);
      }
      return kind;
    }
    const key = keyOf(referenceOf(kind));
    return this.#known.get(key) ?? builtIn.get(key);
  }

  /** @throws {ApiError} 404 that says what there is instead. */
  async find(kind: AnyKind, options: CallOptions = {}): Promise<KindInfo> {
    const known = this.known(kind);
    if (known !== undefined) return known;
    const reference = referenceOf(kind);
    const served = await this.#served(reference.apiVersion, options);
    const found = served?.find((info) => info.kind === reference.kind);
    if (found === undefined) throw notServed(reference, served);
    return found;
  }

  /**
   * The server did not know a kind under the name in URLs that it was believed to have. Returns what it has by now for
   * those who named no more than the kind; else throws what says best why.
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
      this.#known.delete(keyOf(tried));
      throw notServed(reference, served, error);
    }
    if (found.plural === tried.plural && found.scope === tried.scope) throw error;
    if (!isInfo(kind)) return found;
    throw missing(
      reference,
      `the server has ${tried.kind} in ${tried.apiVersion} as ${found.plural} (${found.scope}), and not as ${tried.plural} (${tried.scope})`,
      error,
    );
  }

  /**
   * All kinds of a group and version, for one who has so much time; undefined when it is not served. `error` is thrown
   * when the server does not say.
   */
  #served(
    apiVersion: string,
    { signal, timeout }: CallOptions,
    error?: unknown,
  ): Promise<readonly KindInfo[] | undefined> {
    const answer = this.#discover(apiVersion).catch((own: unknown) => {
      throw error ?? own;
    });
    const doing = `waiting for the server to say which kinds ${apiVersion} has`;
    return untilAborted(inTime(this.#clock, answer, timeout, doing), signal);
  }

  /** The same for all who ask meanwhile: it has the transport's time, and not that of the first of them. */
  async #discover(apiVersion: string): Promise<readonly KindInfo[] | undefined> {
    let asking = this.#asking.get(apiVersion);
    if (asking === undefined) {
      asking = this.#transport.discover(apiVersion).finally(() => this.#asking.delete(apiVersion));
      this.#asking.set(apiVersion, asking);
    }
    try {
      const served = await asking;
      for (const info of served) this.#known.set(keyOf(info), info);
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

/** The apiVersion and kind that somebody means. */
function referenceOf(kind: AnyKind): KindReference {
  if (typeof kind !== "string") return kind;
  const slash = kind.lastIndexOf("/");
  if (slash > 0 && slash < kind.length - 1) {
    return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1) };
  }
  throw new TypeError(
    `${JSON.stringify(kind)} names no kind; write it as "v1/ConfigMap" or "apps/v1/Deployment"`,
  );
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
    const why = `the server has no ${kind} in ${apiVersion}: nothing is served there`;
    return missing(reference, `${why}; is the kind's CustomResourceDefinition installed?`, cause);
  }
  const kinds = [...new Set(served.map((info) => info.kind))].sort();
  return missing(reference, `the server has no ${kind} in ${apiVersion}, only ${kinds.join(", ")}`, cause);
}

function missing({ apiVersion, kind }: KindReference, message: string, cause: unknown): ApiError {
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return new ApiError(failureStatus("NotFound", message, { group, kind }), { cause });
}
