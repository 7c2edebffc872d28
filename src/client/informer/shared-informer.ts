import type { Clock, Random } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import type { Transport } from "../transport/transport.js";
import { InformerView } from "./cache/view.js";
import type { InformerState } from "./informers.js";
import { Reflector } from "./reflector/reflector.js";
import type { WatchLists } from "./reflector/watch-lists.js";
import type { CheckedScope } from "./scope.js";
import type { IndexFunction } from "../source/source.js";

export interface SharedInformerOptions {
  readonly transport: Transport;
  readonly kind: KindInfo;
  readonly scope: CheckedScope;
  readonly clock: Clock;
  readonly random: Random;
  readonly watchLists: WatchLists;
  readonly report: (error: unknown, doing: string) => void;
}

/** The informer was stopped before its first list arrived. */
export class InformerStopped extends Error {
  override readonly name = "InformerStopped";
}

/** One list, one watch and one cache, shared by all handles of a scope. Runs from its creation until it is stopped. */
export class SharedInformer {
  readonly kind: KindInfo;
  readonly scope: CheckedScope;
  readonly view: InformerView;
  readonly #reflector: Reflector;
  readonly #controller = new AbortController();
  readonly #running: Promise<void>;
  readonly #synced: Promise<void>;
  readonly #indexUses = new Map<IndexFunction, number>();
  users = 0;

  constructor(options: SharedInformerOptions) {
    const { kind, scope, report } = options;
    const { namespace, labelSelector, fieldSelector, metadataOnly, transform, includes } = scope;
    this.kind = kind;
    this.scope = scope;
    this.view = new InformerView({ clock: options.clock, metadataOnly, transform, includes, report });
    const { signal } = this.#controller;
    let onSynced = (): void => {};
    this.#synced = new Promise((resolve, reject) => {
      onSynced = resolve;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // `ready()` may never be called.
    this.#synced.catch(() => {});
    this.#reflector = new Reflector({
      ...options,
      scope: { namespace },
      labelSelector,
      fieldSelector,
      metadataOnly,
      view: this.view,
      onSynced,
    });
    this.#running = this.#reflector.run(signal);
  }

  get synced(): Promise<void> {
    return this.#synced;
  }

  get state(): InformerState {
    const { namespace, labelSelector, fieldSelector, metadataOnly } = this.scope;
    const { synced, cache, version } = this.view;
    return {
      ...this.#reflector.state,
      kind: this.kind,
      scope: { namespace, labelSelector, fieldSelector, metadataOnly },
      users: this.users,
      synced,
      size: cache.size,
      resourceVersion: version,
    };
  }

  /** Adds an index, shared by function; removed with its last user. */
  useIndex(index: IndexFunction): void {
    this.#indexUses.set(index, (this.#indexUses.get(index) ?? 0) + 1);
    this.view.cache.addIndex(index);
  }

  leaveIndex(index: IndexFunction): void {
    const left = (this.#indexUses.get(index) ?? 0) - 1;
    if (left > 0) this.#indexUses.set(index, left);
    else {
      this.#indexUses.delete(index);
      this.view.cache.removeIndex(index);
    }
  }

  /** Stops all requests; resolves when the pending ones have ended. */
  stop(): Promise<void> {
    if (!this.#controller.signal.aborted) {
      const { plural } = this.kind;
      this.#controller.abort(
        new InformerStopped(`the informer of ${plural} was stopped before its first list arrived`),
      );
      this.view.close();
    }
    return this.#running;
  }
}
