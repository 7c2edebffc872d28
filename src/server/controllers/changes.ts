import { sleep, type Clock } from "../../model/core.js";
import {
  Compacted,
  SlowWatcher,
  StoreClosed,
  type Entry,
  type Store,
  type WatchEvent,
} from "../../store/index.js";

/** How many entries are told of in one go when everything is read. */
const stride = 500;

/** How long to leave a store alone that cannot be read. */
const patience = 1000;

/** Is told of everything in the store: what is there, and every change in order. */
export interface ChangeListener {
  changed(event: WatchEvent): void;
  /** Something that is there, told of once unless it was told of as changed. */
  present?(entry: Entry): void;
  /** All that was there when the reading began has been told of. */
  complete?(): void;
  /** Some changes were missed, so what is known may be wrong; everything is told of anew. */
  missed?(): void;
}

/**
 * One stream of all changes, and one reading of all there is, for everybody in the server who wants to know.
 *
 * The reading goes on in the background while changes come in. A page of it is as new as the moment it was asked for,
 * or newer, so only keys that changed since then (`#touched`) can be out of date in it, and these are left out.
 */
export class Changes {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #listeners: ChangeListener[] = [];
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #reading: Promise<void> = Promise.resolve();
  /** Counts readings: one that is no longer the newest gives up. */
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

  /** Everything after `revision` is told from now on, and what is there in the background. */
  start(revision: number): void {
    this.#seen = revision;
    this.#running = this.#follow();
    this.#reading = this.#readAll();
  }

  /** Resolves when all listeners have been told of all changes up to a revision. */
  async reached(revision: number): Promise<void> {
    if (this.#seen >= revision || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => this.#waiting.push({ revision, resolve }));
  }

  /** Resolves when all listeners have been told of what was there. */
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
        if (lost) await this.#startAnew();
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
        this.#tell((listener) => listener.changed(event));
      }
      this.#seen = revision;
      this.#release();
    }
  }

  async #startAnew(): Promise<void> {
    this.#seen = (await this.#store.status()).revision;
    this.#tell((listener) => listener.missed?.());
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
        const { entries, more } = await this.#store.range({ prefix: "/", after, limit: stride });
        if (isOver()) return;
        for (const entry of entries) {
          if (!touched.has(entry.key)) this.#tell((listener) => listener.present?.(entry));
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
    this.#tell((listener) => listener.complete?.());
  }

  /** What one listener cannot cope with is no reason to keep the others waiting. */
  #tell(what: (listener: ChangeListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        what(listener);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  async #pause(error: unknown): Promise<void> {
    this.#onError(error);
    try {
      await sleep(this.#clock, patience, this.#stop.signal);
    } catch {
      // Stopped: whoever called looks for that next.
    }
  }

  #release(): void {
    if (this.#waiting.length === 0) return;
    for (const { revision, resolve } of this.#waiting) if (revision <= this.#seen) resolve();
    this.#waiting = this.#waiting.filter(({ revision }) => revision > this.#seen);
  }
}
