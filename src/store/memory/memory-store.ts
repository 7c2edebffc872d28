import { systemClock, type Clock } from "../../model/time/clock.js";
import { FutureRevision, readableRevision, StoreClosed } from "../errors.js";
import { Expiry } from "../expiry.js";
import { checkMutations } from "../keys.js";
import { Retention, type RetentionPolicy } from "../retention.js";
import type {
  Entry,
  Mutation,
  RangeOptions,
  RangeResult,
  Store,
  StoreStatus,
  StoreWatchOptions,
  StoreWatch,
  StoreEvent,
} from "../store.js";
import { WatchHub } from "../watch/hub.js";
import { MemoryEngine } from "./memory-engine.js";

export interface MemoryStoreOptions {
  readonly clock?: Clock | undefined;
  readonly retention?: RetentionPolicy | undefined;
}

/**
 * Store in memory, for tests and for control planes whose state may be lost when their process ends. A commit is
 * acknowledged when readers see it.
 *
 * @example
 * const store = new MemoryStore();
 * await store.commit([{ type: "put", key: "/a", value: new TextEncoder().encode("1"), expect: 0 }]);
 */
export class MemoryStore implements Store {
  readonly #engine: MemoryEngine;
  readonly #clock: Clock;
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  readonly #retention: Retention;
  #closed = false;

  constructor(options: MemoryStoreOptions = {}, engine = new MemoryEngine()) {
    this.#engine = engine;
    this.#clock = options.clock ?? systemClock;
    this.#hub = new WatchHub(engine, engine.revision);
    this.#expiry = new Expiry(this, engine, this.#clock);
    this.#retention = new Retention(engine, options.retention ?? {}, this.#clock);
    engine.listeners.add(this.#committed);
  }

  async get(key: string, options: { revision?: number } = {}): Promise<Entry | undefined> {
    return this.#engine.get(key, this.#readable(options.revision));
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const revision = this.#readable(options.revision);
    const limit = options.limit ?? Infinity;
    const entries: Entry[] = [];
    let { bytes: left = Infinity } = options;
    for (const entry of this.#engine.entries(options, revision)) {
      if (entries.length === limit || left <= 0) return { entries, revision, more: true };
      entries.push(entry);
      left -= entry.value.length;
    }
    return { entries, revision, more: false };
  }

  async count(options: Omit<RangeOptions, "limit" | "bytes">): Promise<{ count: number; revision: number }> {
    const revision = this.#readable(options.revision);
    let count = 0;
    for (const _ of this.#engine.entries(options, revision)) count++;
    return { count, revision };
  }

  async commit(mutations: readonly Mutation[]): Promise<{ revision: number }> {
    checkMutations(mutations);
    if (this.#closed) throw new StoreClosed();
    return { revision: this.#engine.commit(mutations, this.#clock.now()) };
  }

  watch(options: StoreWatchOptions): StoreWatch {
    return this.#hub.watch(options);
  }

  async compact(revision: number): Promise<void> {
    if (this.#closed) throw new StoreClosed();
    const newest = this.#engine.revision;
    if (revision > newest) throw new FutureRevision(revision, newest);
    this.#engine.compact(revision);
  }

  async status(): Promise<StoreStatus> {
    return { revision: this.#engine.revision, floor: this.#engine.floor };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#engine.listeners.delete(this.#committed);
    this.#expiry.stop();
    this.#retention.stop();
    this.#hub.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  readonly #committed = (events: readonly StoreEvent[], revision: number): void => {
    for (const event of events) {
      if (event.type === "put" && event.entry.expires !== undefined)
        this.#expiry.schedule(event.entry.expires);
    }
    this.#hub.publish(events, revision);
  };

  #readable(revision: number | undefined): number {
    if (this.#closed) throw new StoreClosed();
    return readableRevision(revision, this.#engine);
  }
}
