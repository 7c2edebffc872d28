import { type Clock, type KubeObject, type Random, systemClock, systemRandom } from "../../model/core.js";
import type { AnyKind, KindInfo, ObjectOf } from "../kinds/kind.js";
import type { Transport } from "../transport/transport.js";
import { cacheKey } from "../source/source-cache.js";
import { InformerUse } from "./informer-use.js";
import type { Informer, InformerProblem, Informers, InformerScope, InformerState } from "./informers.js";
import { WatchLists } from "./reflector/watch-lists.js";
import { checkScope } from "./scope.js";
import { InformerStopped, SharedInformer } from "./shared-informer.js";

export interface InformersOptions {
  readonly transport: Transport;
  /** Resolves a kind, such as `client.kind`. */
  readonly resolve: (kind: AnyKind) => Promise<KindInfo>;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /**
   * Called for errors: failed lists and watches, listeners that throw, invalid objects. Informers recover by themselves.
   * Default: Node warnings.
   */
  readonly onError?: ((error: unknown, where: InformerProblem) => void) | undefined;
  /** Use streaming lists (WatchList) where the server supports them. Default: true. */
  readonly watchLists?: boolean | undefined;
}

/**
 * Creates informers: caches that follow the objects of a kind and scope, shared by all users of the same scope.
 *
 * @example
 * const informers = createInformers({ transport, resolve: (kind) => client.kind(kind) });
 * using pages = await informers.open(Page, { namespace: "default" });
 * pages.addIndex("owner", byOwner);
 * await pages.ready();
 * pages.subscribe(({ type, object }) => console.log(type, object.metadata.name));
 */
export function createInformers(options: InformersOptions): Informers {
  return new OpenInformers(options);
}

class OpenInformers implements Informers {
  readonly #options: InformersOptions;
  readonly #watchLists: WatchLists;
  /** By kind, then by scope. No map is empty. */
  readonly #kinds = new Map<string, Map<string, SharedInformer>>();
  readonly #stopping = new Set<Promise<void>>();
  /** Ids of transform functions, as a part of keys. */
  readonly #transforms = new WeakMap<object, number>();
  #transformsSeen = 0;
  #closed = false;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#watchLists = new WatchLists(options.watchLists ?? true);
  }

  async open<K extends AnyKind>(kind: K, scope: InformerScope = {}): Promise<Informer<ObjectOf<K>>> {
    this.#checkOpen();
    const info = await this.#options.resolve(kind);
    this.#checkOpen();
    const shared = this.#shared(info, scope);
    shared.users++;
    const use: Informer = new InformerUse(shared, () => {
      if (--shared.users === 0) this.#stop(shared);
    });
    // The type parameter is not checked at run time.
    return use as unknown as Informer<ObjectOf<K>>;
  }

  wrote(kind: KindInfo, object: KubeObject): void {
    for (const { view } of this.#of(kind)) view.wrote(object);
  }

  removed(
    kind: KindInfo,
    object: {
      readonly namespace?: string | undefined;
      readonly name: string;
      readonly uid?: string | undefined;
    },
  ): void {
    const namespace = kind.scope === "Cluster" ? undefined : object.namespace;
    for (const { view } of this.#of(kind)) view.removed(cacheKey(namespace, object.name), object.uid);
  }

  follows(kind: KindInfo): boolean {
    return this.#kinds.has(kindKey(kind));
  }

  states(): readonly InformerState[] {
    return this.#all().map((shared) => shared.state);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const shared of this.#all()) this.#stop(shared);
    await Promise.all(this.#stopping);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #shared(kind: KindInfo, asked: InformerScope): SharedInformer {
    const scope = checkScope(kind, asked);
    const scopes = this.#kinds.get(kindKey(kind)) ?? new Map<string, SharedInformer>();
    const key = this.#scopeKey(scope.key, asked.transform);
    let shared = scopes.get(key);
    if (shared === undefined) {
      const { transport, clock = systemClock, random = systemRandom } = this.#options;
      const report = (error: unknown, doing: string): void =>
        this.#report(error, { kind, scope: asked, doing });
      const watchLists = this.#watchLists;
      shared = new SharedInformer({ transport, kind, scope, clock, random, watchLists, report });
      scopes.set(key, shared);
      this.#kinds.set(kindKey(kind), scopes);
    }
    return shared;
  }

  #scopeKey(key: string, transform: InformerScope["transform"]): string {
    if (transform === undefined) return key;
    let number = this.#transforms.get(transform);
    if (number === undefined) this.#transforms.set(transform, (number = ++this.#transformsSeen));
    return `${key} ${number}`;
  }

  #stop(shared: SharedInformer): void {
    const scopes = this.#kinds.get(kindKey(shared.kind));
    for (const [key, other] of scopes ?? []) if (other === shared) scopes?.delete(key);
    if (scopes?.size === 0) this.#kinds.delete(kindKey(shared.kind));
    const stopped = shared.stop().finally(() => this.#stopping.delete(stopped));
    this.#stopping.add(stopped);
  }

  #of(kind: KindInfo): Iterable<SharedInformer> {
    return this.#kinds.get(kindKey(kind))?.values() ?? [];
  }

  #all(): SharedInformer[] {
    return [...this.#kinds.values()].flatMap((scopes) => Array.from(scopes.values()));
  }

  #report(error: unknown, where: InformerProblem): void {
    const { onError = warn } = this.#options;
    try {
      onError(error, where);
    } catch (failure) {
      warn(failure, { ...where, doing: "reporting an error" });
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new InformerStopped("the informers are closed; create new ones");
  }
}

function kindKey({ apiVersion, plural }: KindInfo): string {
  return `${apiVersion}/${plural}`;
}

function warn(error: unknown, { kind, doing }: InformerProblem): void {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  process.emitWarning(`informer of ${kind.plural}, ${doing}: ${text}`, "InformerWarning");
}
