import { sleep, type Clock } from "../../model/core.js";
import {
  Compacted,
  SlowWatcher,
  StoreClosed,
  type Entry,
  type Store,
  type StoreEvent,
} from "../../store/index.js";
import { isObjectKey } from "../registry/keys.js";

/** Entries and bytes per page of the initial read. */
const page = { limit: 500, bytes: 2 ** 20 };

/** Milliseconds between attempts to read a store that fails. */
const retryDelay = 1000;

/** Receives all objects in the store: every entry once, and every change in order. */
export interface ChangeListener {
  changed(event: StoreEvent): void;
  /** An entry of the initial read; entries that changed meanwhile are reported by `changed` alone. */
  present?(entry: Entry): void;
  /** The initial read is complete. */
  complete?(): void;
  /** Changes were missed, so derived state may be wrong; a new initial read follows. */
  missed?(): void;
}

/**
 * One watch and one initial read of the whole store, shared by all controllers of the server.
 *
 * The read goes on in the background while changes arrive. A page is at least as new as the moment at which it was requested, so
 * only keys that changed since then (`#touched`) can be out of date in it, and these are skipped.
 */
export class Changes {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: ChangeListener[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  /** Counts initial reads: a read that is no longer the newest stops. */
  #pass = 0;
  #touched: Set<string> | undefined;
  #seen = 0;
  #waiting: { revision: number; resolve: () => void }[] = [];

  constructor(options: { store: Store; clock: Clock; onError: (error: unknown) => void }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#onError = options.onError;
  }

  add(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Reports changes after `revision`, and the present entries in the background. */
  start(revision: number): void {
    this.#seen = revision;
    this.#running = this.#follow();
    this.#reading = this.#readAll();
  }

  /** Resolves when all listeners have received all changes up to a revision. */
  async reached(revision: number): Promise<void> {
    if (this.#seen >= revision || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => this.#waiting.push({ revision, resolve }));
  }

  /** Resolves when the initial read is complete. */
  async complete(): Promise<void> {
    const reading = this.#reading;
    await reading;
    if (reading !== this.#reading) await this.complete();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#running, this.complete()]);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    for (let lost = false; !signal.aborted;) {
      try {
        if (lost) await this.#restart();
        lost = false;
        await this.#followFrom(this.#seen);
      } catch (error) {
        if (error instanceof StoreClosed) break;
        if (error instanceof Compacted) lost = true;
        else if (!(error instanceof SlowWatcher)) await this.#pause(error);
      }
    }
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #followFrom(from: number): Promise<void> {
    const { signal } = this.#stop;
    for await (const { events, revision } of this.#store.watch({
      prefix: "/",
      from,
      previous: true,
      signal,
    })) {
      for (const event of events) {
        this.#touched?.add(event.key);
        if (isObjectKey(event.key)) this.#notify((listener) => listener.changed(event));
      }
      this.#seen = revision;
      this.#release();
    }
  }

  async #restart(): Promise<void> {
    this.#seen = (await this.#store.status()).revision;
    this.#notify((listener) => listener.missed?.());
    this.#reading = this.#readAll();
    this.#release();
  }

  async #readAll(): Promise<void> {
    const pass = ++this.#pass;
    const isOver = (): boolean => this.#stop.signal.aborted || pass !== this.#pass;
    let after: string | undefined;
    while (!isOver()) {
      const touched = new Set<string>();
      this.#touched = touched;
      try {
        const { entries, more } = await this.#store.range({ prefix: "/", after, ...page });
        if (isOver()) return;
        for (const entry of entries) {
          if (!isObjectKey(entry.key)) continue;
          if (!touched.has(entry.key)) this.#notify((listener) => listener.present?.(entry));
        }
        after = entries.at(-1)?.key;
        if (!more) break;
        await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        if (error instanceof StoreClosed) return;
        await this.#pause(error);
      }
    }
    if (isOver()) return;
    this.#touched = undefined;
    this.#notify((listener) => listener.complete?.());
  }

  /** An exception in one listener does not affect the others. */
  #notify(call: (listener: ChangeListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  async #pause(error: unknown): Promise<void> {
    this.#onError(error);
    try {
      await sleep(this.#clock, retryDelay, this.#stop.signal);
    } catch {
      // Stopped; callers check for that.
    }
  }

  #release(): void {
    if (this.#waiting.length === 0) return;
    for (const { revision, resolve } of this.#waiting) if (revision <= this.#seen) resolve();
    this.#waiting = this.#waiting.filter(({ revision }) => revision > this.#seen);
  }
}
