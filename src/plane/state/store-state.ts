import type { StateBackend, StateListener, StateRecord } from "../../events/state/state-backend.js";
import { sleep, systemClock, type Clock } from "../../model/core.js";
import type { Glob } from "../../model/glob/glob.js";
import {
  Compacted,
  SlowWatcher,
  StoreClosed,
  type Entry,
  type Store,
  type StoreWatch,
} from "../../store/index.js";

/** Prefix of the keys of the state in a store. */
const prefix = "/fettle/state/";

/** Entries and bytes read at a time. */
const pageSize = 1000;
const pageBytes = 2 ** 20;

/** Milliseconds until a watch that failed is opened again. */
const reopenDelay = 1000;

/**
 * State in the store of a control plane, beside its objects: as durable as these, and part of backups. The store stays open when the
 * state is closed.
 */
export function storeState(
  store: Store,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): StateBackend {
  return new StoreState(store, clock);
}

class StoreState implements StateBackend {
  readonly name = "store";
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async get(key: string): Promise<StateRecord | undefined> {
    const entry = await this.#store.get(prefix + key);
    if (entry === undefined || this.#isExpired(entry)) return undefined;
    const { value, expires } = entry;
    return { json: textOf(value), ...(expires !== undefined && { expires }) };
  }

  async set(key: string, json: string, ttl: number | undefined): Promise<void> {
    await this.#store.commit([{ type: "put", key: prefix + key, value: Buffer.from(json), ttl }]);
  }

  async delete(key: string): Promise<void> {
    await this.#store.commit([{ type: "delete", key: prefix + key }]);
  }

  async keys(glob: Glob, limit: number): Promise<readonly string[]> {
    const found: string[] = [];
    let after: string | undefined;
    let revision: number | undefined;
    for (;;) {
      const page = await this.#store.range({
        prefix: prefix + glob.prefix,
        after,
        limit: pageSize,
        bytes: pageBytes,
        revision,
      });
      revision = page.revision;
      for (const entry of page.entries) {
        const key = entry.key.slice(prefix.length);
        if (glob.matches(key) && !this.#isExpired(entry)) found.push(key);
        if (found.length >= limit) return found;
      }
      if (!page.more) return found;
      after = page.entries.at(-1)?.key;
    }
  }

  subscribe(listener: StateListener): () => void {
    const ends = new AbortController();
    const { signal } = ends;
    // Opened here rather than in `#follow`, since it delivers what is committed from now on.
    const watch = this.#store.watch({ prefix, signal });
    listener.resumed();
    void this.#follow(watch, listener, signal);
    return () => ends.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #follow(first: StoreWatch, listener: StateListener, signal: AbortSignal): Promise<void> {
    let watch = first;
    let from = first.revision;
    while (!signal.aborted) {
      try {
        for await (const { events, revision } of watch) {
          for (const event of events) {
            const json = event.type === "put" ? textOf(event.entry.value) : undefined;
            listener.changed(event.key.slice(prefix.length), json);
          }
          from = revision;
        }
        return;
      } catch (error) {
        if (error instanceof StoreClosed || signal.aborted) return;
        // Resumes where it was dropped, without a gap.
        if (error instanceof SlowWatcher) watch = this.#store.watch({ prefix, from, signal });
        else {
          listener.interrupted();
          if (!(error instanceof Compacted)) {
            await sleep(this.#clock, reopenDelay, signal).catch(() => {});
          }
          if (signal.aborted) return;
          watch = this.#store.watch({ prefix, signal });
          from = watch.revision;
          listener.resumed();
        }
      }
    }
  }

  /** True for an entry that the store has not deleted yet, although its time is over. */
  #isExpired({ expires }: Entry): boolean {
    return expires !== undefined && expires <= this.#clock.now();
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
