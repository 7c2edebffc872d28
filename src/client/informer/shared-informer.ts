import type { Clock, Random } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import type { Transport } from "../transport/transport.js";
import { View } from "./cache/view.js";
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

/** An informer was stopped while somebody waited for its first list. */
export class InformerStopped extends Error {
  override readonly name = "InformerStopped";
}

/** One list, one watch and one cache, for all who ask for the same. Runs from the moment it is made until it is stopped. */
export class SharedInformer {
  readonly kind: KindInfo;
  readonly scope: CheckedScope;
  readonly view: View;
  readonly #reflector: Reflector;
  readonly #controller = new AbortController();
  readonly #running: Promise<void>;
  readonly #synced: Promise<void>;
  readonly #indexUses = new Map<IndexFunction, number>();
  users = 0;

  constructor(options: SharedInformerOptions) {
    const { kind, scope, report } = options;
    const { namespace, labelSelector, fieldSelector, metadataOnly, transform, shows } = scope;
    this.kind = kind;
    this.scope = scope;
    this.view = new View({ clock: options.clock, metadataOnly, transform, shows, report });
    const { signal } = this.#controller;
    let onSynced = (): void => {};
    this.#synced = new Promise((resolve, reject) => {
      onSynced = resolve;
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    // Not everybody waits for it.
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

  /** Indexes are shared by function, and last as long as somebody uses them. */
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

  /** Asks nothing more of the server from this moment on; resolves when all that was under way is over. */
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
