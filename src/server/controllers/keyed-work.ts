import type { Clock, Timer } from "../../model/core.js";

const firstRetry = 50;
const longestRetry = 30_000;

/** Keys that are started before the event loop gets a turn. */
const startsPerTurn = 50;

/**
 * A small work queue for keys. A key that is added while it waits runs once; one that is added while it runs runs again afterwards;
 * one whose work failed is retried with exponential backoff.
 *
 * A key is in at most one of three states: **waiting** in line, **running**, or **delayed** until a retry. `dirty` holds running keys
 * that were added meanwhile.
 */
export class KeyedWork {
  readonly #clock: Clock;
  readonly #handle: (key: string) => Promise<void>;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #concurrency: number;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #dirty = new Set<string>();
  readonly #delayed = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  /** Callers of {@link caughtUp}, and the keys that they still wait for. */
  readonly #awaited = new Set<{ readonly keys: Set<string>; readonly resolve: () => void }>();
  readonly #idle: (() => void)[] = [];
  #started = 0;
  #yielding = false;
  #stopped = false;

  constructor(options: {
    clock: Clock;
    handle: (key: string) => Promise<void>;
    onError?: ((error: unknown, key: string) => void) | undefined;
    concurrency?: number | undefined;
  }) {
    this.#clock = options.clock;
    this.#handle = options.handle;
    this.#onError = options.onError ?? (() => {});
    this.#concurrency = options.concurrency ?? 8;
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#running.has(key)) {
      this.#dirty.add(key);
      return;
    }
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
    this.#waiting.add(key);
    this.#run();
  }

  /** Adds a key after a delay, unless it is added earlier. */
  addLater(key: string, milliseconds: number): void {
    if (this.#stopped || this.#waiting.has(key) || this.#delayed.has(key)) return;
    this.#delayed.set(
      key,
      this.#clock.after(milliseconds, () => {
        this.#delayed.delete(key);
        this.add(key);
      }),
    );
  }

  /** Nothing waits or runs; delayed keys do not count. */
  get isIdle(): boolean {
    return this.#waiting.size + this.#running.size === 0;
  }

  async idle(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Resolves when every key that was added before this call has run, whatever is added meanwhile. */
  async caughtUp(): Promise<void> {
    const keys = new Set([...this.#waiting, ...this.#running]);
    if (keys.size > 0) await new Promise<void>((resolve) => this.#awaited.add({ keys, resolve }));
  }

  /** Drops all keys, and resolves when running ones have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#dirty.clear();
    for (const timer of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    for (const { resolve } of this.#awaited) resolve();
    this.#awaited.clear();
    this.#resolveIdle();
    await this.idle();
  }

  #run(): void {
    if (this.#yielding) return;
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return;
      if (this.#started === startsPerTurn) {
        this.#yield();
        return;
      }
      this.#started++;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#work(key);
    }
  }

  /** A memory store resolves without a turn of the event loop, so many keys in a row would block everything else. */
  #yield(): void {
    this.#yielding = true;
    setImmediate(() => {
      this.#yielding = false;
      this.#started = 0;
      this.#run();
    });
  }

  async #work(key: string): Promise<void> {
    let failed = false;
    try {
      await this.#handle(key);
      this.#failures.delete(key);
    } catch (error) {
      failed = true;
      if (!this.#stopped) this.#onError(error, key);
    }
    this.#running.delete(key);
    if (this.#dirty.delete(key)) {
      this.add(key);
    } else {
      if (failed) this.#retry(key);
      this.#done(key);
    }
    this.#run();
    this.#resolveIdle();
  }

  #resolveIdle(): void {
    if (this.isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #done(key: string): void {
    for (const awaited of this.#awaited) {
      awaited.keys.delete(key);
      if (awaited.keys.size > 0) continue;
      this.#awaited.delete(awaited);
      awaited.resolve();
    }
  }

  #retry(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addLater(key, Math.min(longestRetry, firstRetry * 2 ** failures));
  }
}
