import { duration, systemClock, type Clock, type Duration } from "../../model/core.js";
import { compileGlob, type Glob } from "../../model/glob/glob.js";
import type { Json } from "../../model/object/json.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { memoize } from "./memoize.js";
import type { StateBackend, StateListener } from "./state-backend.js";
import { checkStateKey } from "./state-key.js";
import { decodeStateValue, encodeStateValue } from "./state-value.js";
import { StateWatchQueue, type StateWatch, type StateWatchOptions } from "./state-watch.js";
import type { State } from "./state.js";
import { ValueCache } from "./value-cache.js";

/** A state that has to be closed. Made by {@link openState}. */
export interface OpenState extends State, AsyncDisposable {}

export interface OpenStateOptions {
  /** Backend, or a function that creates it with the first use. It is closed together with the state. */
  readonly backend: StateBackend | (() => StateBackend);
  /** Values in the cache; 0 for none. Default: 1,000. */
  readonly cache?: number | undefined;
  /** Time to live of keys that are set without one. Default: they are permanent. */
  readonly ttl?: Duration | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** Default number of values in the cache. */
export const defaultStateCache = 1000;

/**
 * Opens a state on a backend.
 *
 * @example
 * await using state = openState({ backend: memoryState() });
 */
export function openState(options: OpenStateOptions): OpenState {
  const { cache = defaultStateCache, ttl } = options;
  if (!Number.isInteger(cache) || cache < 0) {
    throw new RangeError(`state: cache must be an integer from 0, not ${cache}`);
  }
  const core = new StateCore(options, cache, ttl === undefined ? undefined : lifetime(ttl));
  return Object.assign(core.view(""), { [Symbol.asyncDispose]: () => core.close() });
}

/** A read in progress. Its result is not cached if the key has changed since it began. */
interface PendingRead {
  readonly value: Promise<Json | undefined>;
}

interface WatchedKeys {
  readonly glob: Glob;
  /** Length of the prefix that the reader's keys do not have. */
  readonly skip: number;
}

/**
 * Cache and watches above a backend. One subscription to the backend serves both: a change removes the key from the cache first, so
 * that a reader of a watch who reads the key gets that value or a later one.
 *
 * Invariant: the cache is empty unless the subscription is live. Values enter it only by reads that began while it was live, and
 * during which their key has not changed.
 */
class StateCore implements StateListener {
  readonly #create: StateBackend | (() => StateBackend);
  readonly #cache: ValueCache | undefined;
  readonly #ttl: number | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #reads = new Map<string, PendingRead>();
  readonly #watches = new Map<StateWatchQueue, WatchedKeys>();
  #backend: StateBackend | undefined;
  #unsubscribe: (() => void) | undefined;
  #isLive = false;
  #hasBeenLive = false;
  #isClosed = false;
  #becameLive: { readonly promise: Promise<void>; readonly resolve: () => void } = deferred();

  constructor(
    { backend, clock = systemClock, log = silent }: OpenStateOptions,
    cache: number,
    ttl: number | undefined,
  ) {
    this.#create = backend;
    this.#cache = cache === 0 ? undefined : new ValueCache(cache);
    this.#ttl = ttl;
    this.#clock = clock;
    this.#log = log;
  }

  /** The keys below a prefix. */
  view(prefix: string): State {
    const full = (key: string): string => {
      // Checked alone too, so that an empty key is refused.
      checkStateKey(key);
      const whole = `${prefix}${key}`;
      if (prefix !== "") checkStateKey(whole);
      return whole;
    };
    return {
      get: async <T>(key: string) => this.get(full(key)) as Promise<T | undefined>,
      set: async (key, value, { ttl } = {}) => this.set(full(key), value, ttl),
      delete: async (key) => this.delete(full(key)),
      keys: async (pattern = "*", { limit = Infinity } = {}) => {
        if (!(limit >= 1)) throw new RangeError(`the limit of keys must be at least 1, not ${limit}`);
        const keys = await this.#open().keys(below(prefix, pattern), limit);
        return prefix === "" ? keys : keys.map((key) => key.slice(prefix.length));
      },
      watch: (pattern = "*", options = {}) => this.watch(below(prefix, pattern), prefix.length, options),
      memoize: (fn, options = {}) => memoize(fn, options, this.#clock),
      below: (more) => {
        const deeper = `${prefix}${more}`;
        checkStateKey(deeper);
        return this.view(deeper);
      },
    };
  }

  async get(key: string): Promise<Json | undefined> {
    const backend = this.#open();
    const cached = this.#cache?.get(key, this.#clock.now());
    if (cached !== undefined) return cached;
    if (this.#cache !== undefined) this.#subscribe();
    const pending = this.#reads.get(key);
    if (pending !== undefined) return pending.value;
    const read: PendingRead = { value: this.#read(backend, key, () => this.#reads.get(key) === read) };
    this.#reads.set(key, read);
    try {
      return await read.value;
    } finally {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    }
  }

  async set(key: string, value: unknown, ttl: Duration | false | undefined): Promise<void> {
    const json = encodeStateValue(key, value);
    const time = ttl === undefined ? this.#ttl : ttl === false ? undefined : lifetime(ttl);
    try {
      await this.#open().set(key, json, time);
    } finally {
      // A write that failed may have been made.
      this.#invalidate(key);
    }
  }

  async delete(key: string): Promise<void> {
    try {
      await this.#open().delete(key);
    } finally {
      this.#invalidate(key);
    }
  }

  watch(glob: Glob, skip: number, options: StateWatchOptions): StateWatch {
    this.#open();
    this.#subscribe();
    const queue = new StateWatchQueue(this.#becameLive.promise, options, (ended) =>
      this.#watches.delete(ended),
    );
    if (!queue.isEnded) this.#watches.set(queue, { glob, skip });
    return queue;
  }

  changed(key: string, json: string | undefined): void {
    this.#invalidate(key);
    const watches = [...this.#watches].filter(([, { glob }]) => glob.matches(key));
    if (watches.length === 0) return;
    try {
      const value = json === undefined ? undefined : this.#decode(key, json);
      for (const [queue, { skip }] of watches) queue.push({ key: key.slice(skip), value }, json?.length ?? 0);
    } catch (error) {
      this.#log.error({ err: error, key }, "a change of the state was not delivered");
    }
  }

  interrupted(): void {
    if (this.#isLive) this.#becameLive = deferred();
    this.#isLive = false;
    this.#reads.clear();
    this.#cache?.clear();
  }

  resumed(): void {
    const isGap = !this.#isLive && this.#hasBeenLive;
    this.#isLive = true;
    this.#hasBeenLive = true;
    this.#becameLive.resolve();
    if (!isGap) return;
    for (const queue of this.#watches.keys()) {
      try {
        queue.onGap?.();
      } catch (error) {
        this.#log.error({ err: error }, "onGap of a state watch failed");
      }
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const queue of this.#watches.keys()) queue.end();
    this.#becameLive.resolve();
    this.#unsubscribe?.();
    this.interrupted();
    await this.#backend?.[Symbol.asyncDispose]();
  }

  #open(): StateBackend {
    if (this.#isClosed) throw new Error("the state is closed: its control plane or operator has stopped");
    this.#backend ??= typeof this.#create === "function" ? this.#create() : this.#create;
    return this.#backend;
  }

  #subscribe(): void {
    if (this.#unsubscribe !== undefined) return;
    // Set before, since a backend may call back at once.
    this.#unsubscribe = () => {};
    this.#unsubscribe = this.#open().subscribe(this);
  }

  async #read(backend: StateBackend, key: string, isCurrent: () => boolean): Promise<Json | undefined> {
    const wasLive = this.#isLive;
    const record = await backend.get(key);
    if (record === undefined) return undefined;
    const { json, expires } = record;
    if (expires !== undefined && expires <= this.#clock.now()) return undefined;
    const value = this.#decode(key, json);
    if (wasLive && this.#isLive && isCurrent())
      this.#cache?.set(key, value, { length: json.length, expires });
    return value;
  }

  #decode(key: string, json: string): Json {
    try {
      return decodeStateValue(json);
    } catch (error) {
      throw new Error(
        `the value of ${key} in ${this.#open().name} is not JSON; delete the key, or set it anew`,
        {
          cause: error,
        },
      );
    }
  }

  #invalidate(key: string): void {
    this.#cache?.delete(key);
    // Those who ask from now on get a new read; this one is not cached.
    this.#reads.delete(key);
  }
}

/** Pattern for keys below a prefix. */
function below(prefix: string, pattern: string): Glob {
  const glob = compileGlob(pattern);
  if (prefix === "") return glob;
  return {
    prefix: `${prefix}${glob.prefix}`,
    matches: (key) => key.startsWith(prefix) && glob.matches(key.slice(prefix.length)),
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Longest time to live: more would not fit into a timestamp. */
const maxLifetime = 100 * 365 * 86_400_000;

/** Milliseconds of a time to live, as an integer. */
function lifetime(ttl: Duration): number {
  const milliseconds = Math.ceil(duration(ttl));
  if (milliseconds < 1)
    throw new RangeError("the ttl of the state must be longer than 0; use delete to remove a key");
  return Math.min(milliseconds, maxLifetime);
}
