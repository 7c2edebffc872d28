import type { KubeObject } from "../../model/core.js";
import type { KindInfo } from "../kinds/kind.js";
import { untilAborted } from "../async/until-aborted.js";
import type { Informer } from "./informers.js";
import { InformerStopped, type SharedInformer } from "./shared-informer.js";
import type { ObjectChange, IndexFunction, Subscription } from "../source/source.js";

/** Handle of a shared informer, with its own index names and subscriptions. */
export class InformerUse implements Informer {
  readonly #shared: SharedInformer;
  readonly #leave: () => void;
  readonly #indexes = new Map<string, IndexFunction>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #released = new AbortController();

  constructor(shared: SharedInformer, leave: () => void) {
    this.#shared = shared;
    this.#leave = leave;
  }

  get kind(): KindInfo {
    return this.#shared.kind;
  }

  get resourceVersion(): string {
    return this.#shared.view.version;
  }

  get synced(): boolean {
    return this.#shared.view.synced;
  }

  async ready(signal?: AbortSignal): Promise<void> {
    if (this.synced) return;
    await untilAborted(untilAborted(this.#shared.synced, this.#released.signal), signal);
  }

  get(key: string): KubeObject | undefined {
    return this.#shared.view.cache.get(key);
  }

  list(namespace?: string): Iterable<KubeObject> {
    return this.#shared.view.cache.list(namespace);
  }

  get size(): number {
    return this.#shared.view.cache.size;
  }

  byIndex(name: string, value: string): readonly KubeObject[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const existing = [...this.#indexes.keys()].join(", ") || "none";
      throw new RangeError(
        `the informer of ${this.kind.plural} has no index "${name}" (existing indexes: ${existing}); add it with addIndex() first`,
      );
    }
    return this.#shared.view.cache.byIndex(index, value);
  }

  addIndex(name: string, index: IndexFunction): void {
    const before = this.#indexes.get(name);
    if (before === index) return;
    if (before !== undefined) {
      throw new RangeError(
        `the informer of ${this.kind.plural} already has another index "${name}"; choose another name, or pass the same function`,
      );
    }
    this.#checkInUse();
    this.#indexes.set(name, index);
    this.#shared.useIndex(index);
  }

  subscribe(listener: (change: ObjectChange) => void): Subscription {
    this.#checkInUse();
    const subscription = this.#shared.view.subscribe(listener);
    const release = (): void => {
      this.#subscriptions.delete(own);
      subscription.release();
    };
    const own: Subscription = { release, [Symbol.dispose]: release };
    this.#subscriptions.add(own);
    return own;
  }

  release(): void {
    if (this.#released.signal.aborted) return;
    this.#released.abort(
      new InformerStopped(`the informer of ${this.kind.plural} was released before its first list arrived`),
    );
    for (const subscription of this.#subscriptions) subscription.release();
    for (const index of this.#indexes.values()) this.#shared.leaveIndex(index);
    this.#indexes.clear();
    this.#leave();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #checkInUse(): void {
    if (!this.#released.signal.aborted) return;
    throw new InformerStopped(`this informer of ${this.kind.plural} was released; open another one`);
  }
}
