import type { Clock, Timer } from "../../model/core.js";

const firstRetry = 50;
const longestRetry = 30_000;

/** How many keys are looked at before others get their turn of the event loop. */
const share = 50;

/**
 * Things to be looked after, each by its key: a key that is added while it waits is looked at once, one that is added
 * while it is being looked at is looked at again afterwards, and one whose work failed is tried again later and later.
 *
 * A key is in at most one of three states: **waiting** in line, **running**, or **resting** until a retry. `again` holds
 * running keys that were added meanwhile.
 */
export class KeyedWork {
  readonly #clock: Clock;
  readonly #handle: (key: string) => Promise<void>;
  readonly #onError: (error: unknown, key: string) => void;
  readonly #concurrency: number;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #again = new Set<string>();
  readonly #resting = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  /** Those who wait for some keys to be looked at, and the keys that are left of them. */
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
      this.#again.add(key);
      return;
    }
    this.#resting.get(key)?.cancel();
    this.#resting.delete(key);
    this.#waiting.add(key);
    this.#run();
  }

  /** Adds a key after a while, unless it is added before. */
  addLater(key: string, milliseconds: number): void {
    if (this.#stopped || this.#waiting.has(key) || this.#resting.has(key)) return;
    this.#resting.set(
      key,
      this.#clock.after(milliseconds, () => {
        this.#resting.delete(key);
        this.add(key);
      }),
    );
  }

  /** Whether nothing waits or runs; what rests until a retry does not count. */
  get isIdle(): boolean {
    return this.#waiting.size + this.#running.size === 0;
  }

  async idle(): Promise<void> {
    if (!this.isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Resolves when every key that was added before now has been looked at, whatever is added meanwhile. */
  async caughtUp(): Promise<void> {
    const keys = new Set([...this.#waiting, ...this.#running]);
    if (keys.size > 0) await new Promise<void>((resolve) => this.#awaited.add({ keys, resolve }));
  }

  /** Takes nothing more, and resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#again.clear();
    for (const timer of this.#resting.values()) timer.cancel();
    this.#resting.clear();
    for (const { resolve } of this.#awaited) resolve();
    this.#awaited.clear();
    this.#tellIdle();
    await this.idle();
  }

  #run(): void {
    if (this.#yielding) return;
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#concurrency) return;
      if (this.#started === share) {
        this.#yield();
        return;
      }
      this.#started++;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#work(key);
    }
  }

  /** A store in memory answers without a turn of the event loop: a long line of keys would let nobody else in. */
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
    if (this.#again.delete(key)) {
      this.add(key);
    } else {
      if (failed) this.#retry(key);
      this.#done(key);
    }
    this.#run();
    this.#tellIdle();
  }

  #tellIdle(): void {
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
