import {
  jitter,
  duration,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type KubeObject,
  type Random,
  type Timer,
  within,
} from "../../model/core.js";
import { deferred } from "../async/deferred.js";
import { untilAborted } from "../async/until-aborted.js";
import { cacheKey } from "../source/source-cache.js";
import type { ObjectChange, IndexFunction, Source, Subscription } from "../source/source.js";
import { Rows, type RowMapping } from "./rows.js";
import { noChanges, PollCounters, type PollReport, type PollStats } from "./stats.js";
import { PollerView } from "./view.js";

/** Complete list of rows, as an iterable or a stream. */
export type Listed<Row> =
  | Iterable<Row>
  | AsyncIterable<Row>
  | PromiseLike<Iterable<Row> | AsyncIterable<Row>>;

interface PollerOptions<T extends KubeObject> {
  /** Name for errors and metrics. */
  readonly name: string;
  /** Time between the end of a list and the start of the next. */
  readonly interval: Duration;
  /** Timeout of a list. Default: 30s. */
  readonly timeout?: Duration | undefined;
  /** Maximum interval; the interval doubles with each consecutive failure. Default: 5m. */
  readonly longestInterval?: Duration | undefined;
  /** Random share by which waits are longer, so that pollers do not list in step. Default: 0.1. */
  readonly jitter?: number | undefined;
  /** Returns true for versions that count as equal. Default: compare field by field. */
  readonly equal?: ((old: T, now: T) => boolean) | undefined;
  /** Called for errors: of a list, of a row that cannot be converted, of a listener. The poller continues. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** First subscriber. */
  readonly onChange?: ((change: ObjectChange<T>) => void) | undefined;
  /** Called after each poll, for metrics. */
  readonly onPoll?: ((report: PollReport) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** Options of a poller that lists objects. The objects get frozen. */
export interface PollOptions<T extends KubeObject> extends PollerOptions<T> {
  readonly list: (signal: AbortSignal) => Listed<T>;
  readonly toObject?: undefined;
  /** Version of an object; equal versions are not compared. Default: its resourceVersion. */
  readonly version?: ((object: T) => string | number | undefined) | undefined;
}

/** Options of a poller that lists rows (of a table, of another API, files) and converts them to objects. */
export interface PollRowsOptions<Row, T extends KubeObject> extends PollerOptions<T> {
  readonly list: (signal: AbortSignal) => Listed<Row>;
  /** Converts a row to an object with a stable name. */
  readonly toObject: (row: Row) => T;
  /** Key of a row. With keys, a row that cannot be converted keeps its last object and does not fail the list. */
  readonly key?: ((row: Row) => string) | undefined;
  /** Version of a row (a counter, a modification time, an ETag); unchanged rows are not converted. Needs `key`. */
  readonly version?: ((row: Row) => string | number | undefined) | undefined;
}

/**
 * {@link Source} that polls. It starts with `start()`, `subscribe()` or `ready()`.
 */
export interface Poller<T extends KubeObject = KubeObject> extends Source<T>, AsyncDisposable {
  readonly name: string;
  start(): void;
  /** Stops the poller for good and aborts a pending list. The last objects can still be read. */
  stop(): Promise<void>;
  /**
   * Polls at once; rejects when that fails. A pending list may have missed the latest change, so another one starts right
   * after it, shared by concurrent callers.
   */
  refresh(): Promise<void>;
  stats(): PollStats;
}

/**
 * Creates a source for anything that can be listed but not watched: lists it at intervals and reports the differences.
 *
 * @example
 * const machines = poll({
 *   name: "machines",
 *   interval: "10s",
 *   list: (signal) => database.query("select * from machines", { signal }),
 *   toObject: (row) => ({
 *     apiVersion: "racks.dev/v1",
 *     kind: "Machine",
 *     metadata: { name: row.id },
 *     spec: { image: row.image },
 *     status: { power: row.power },
 *   }),
 * });
 * machines.subscribe(({ type, object }) => console.log(type, object.metadata.name));
 */
export function poll<T extends KubeObject>(options: PollOptions<T>): Poller<T>;
export function poll<Row, T extends KubeObject>(options: PollRowsOptions<Row, T>): Poller<T>;
export function poll<Row, T extends KubeObject>(
  options: PollRowsOptions<Row, T> | PollOptions<T>,
): Poller<T> {
  if (options.toObject !== undefined) {
    if (options.version !== undefined && options.key === undefined) {
      throw new TypeError(
        `poll ${JSON.stringify(options.name)} has "version" but no "key": add "key", which identifies the row of a version`,
      );
    }
    return new PollingSource(options, options);
  }
  const version = options.version ?? ((object: T) => object.metadata.resourceVersion || undefined);
  const key = (object: T): string => cacheKey(object.metadata.namespace, object.metadata.name ?? "");
  return new PollingSource(options, { toObject: (object) => object, key, version });
}

/** Error of a poll; undefined on success. */
type PollResult = { readonly error: unknown } | undefined;

class PollingSource<Row, T extends KubeObject> implements Poller<T> {
  readonly name: string;
  readonly #options: PollerOptions<T> & { readonly list: (signal: AbortSignal) => Listed<Row> };
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #longestInterval: number;
  readonly #timeout: number;
  readonly #rows: Rows<Row, T>;
  readonly #view: PollerView<T>;
  readonly #counters = new PollCounters();
  readonly #stopped = new AbortController();
  readonly #synced = deferred<void>();
  #isSynced = false;
  #started = false;
  #timer: Timer | undefined;
  /** Pending poll, and the one requested to follow it. The second is set only while the first is. */
  #pending: Promise<PollResult> | undefined;
  #next: Promise<PollResult> | undefined;

  constructor(
    options: PollerOptions<T> & { readonly list: (signal: AbortSignal) => Listed<Row> },
    mapping: RowMapping<Row, T>,
  ) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#interval = duration(options.interval);
    if (this.#interval <= 0) {
      throw new RangeError(
        `poll ${JSON.stringify(this.name)} cannot list every 0s: give it an interval such as "10s"`,
      );
    }
    this.#longestInterval = Math.max(this.#interval, duration(options.longestInterval ?? "5m"));
    this.#timeout = duration(options.timeout ?? "30s");
    // `ready()` may never be called.
    this.#synced.promise.catch(() => {});
    const report = (error: unknown): void => this.#call(() => options.onError?.(error));
    this.#rows = new Rows(mapping, report);
    this.#view = new PollerView({ equal: options.equal, report, published: this.#counters.published });
    if (options.onChange !== undefined) this.#view.subscribe(options.onChange);
  }

  get synced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#view.size;
  }

  get(key: string): T | undefined {
    return this.#view.get(key);
  }

  list(namespace?: string): Iterable<T> {
    return this.#view.list(namespace);
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#view.byIndex(index, value);
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    this.#view.addIndex(name, index);
  }

  subscribe(listener: (change: ObjectChange<T>) => void): Subscription {
    const subscription = this.#view.subscribe(listener);
    this.start();
    return subscription;
  }

  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.start();
    await untilAborted(this.#synced.promise, signal);
  }

  stats(): PollStats {
    return this.#counters.stats();
  }

  start(): void {
    if (this.#started || this.#stopped.signal.aborted) return;
    this.#started = true;
    if (this.#pending === undefined) void this.#poll();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    const reason = this.#stoppedError();
    this.#stopped.abort(reason);
    this.#synced.reject(reason);
    await this.#pending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async refresh(): Promise<void> {
    this.#throwIfStopped();
    if (this.#pending !== undefined) {
      this.#next ??= this.#pending.then(() => {
        this.#next = undefined;
        this.#throwIfStopped();
        return this.#poll();
      });
    }
    const result = await (this.#next ?? this.#poll());
    if (result !== undefined) throw result.error;
  }

  /** Polls once and schedules the next poll. Never rejects; never called while a poll is pending. */
  #poll(): Promise<PollResult> {
    this.#timer?.cancel();
    const pending = this.#listOnce().then((result) => {
      this.#pending = undefined;
      if (this.#started && !this.#stopped.signal.aborted) {
        this.#timer = this.#clock.after(this.#pause(), () => void this.#poll());
      }
      return result;
    });
    this.#pending = pending;
    return pending;
  }

  async #listOnce(): Promise<PollResult> {
    const clock = this.#clock;
    const started = clock.now();
    const report = { name: this.name, started, listed: 0, unchanged: 0, changes: noChanges() };
    try {
      const what = `the list of poll ${JSON.stringify(this.name)}`;
      const { signal } = this.#stopped;
      const rows = await within({ clock, limit: this.#timeout, signal, what }, (signal) =>
        collect(this.#options.list(signal), signal),
      );
      const duration = clock.now() - started;
      const objects = this.#rows.objects(rows);
      const initial = !this.#isSynced;
      const update = this.#view.update(objects, initial);
      this.#isSynced = true;
      this.#done({ ...report, ...update, duration, listed: objects.size });
      this.#synced.resolve();
      return undefined;
    } catch (error) {
      if (this.#stopped.signal.aborted) return { error: this.#stoppedError() };
      this.#call(() => this.#options.onError?.(error));
      this.#done({ ...report, duration: clock.now() - started, error });
      return { error };
    }
  }

  #done(report: PollReport): void {
    this.#counters.add(report);
    this.#call(() => this.#options.onPoll?.(report));
  }

  #pause(): number {
    const failures = Math.max(0, this.#counters.consecutiveErrors - 1);
    const wait = Math.min(this.#longestInterval, this.#interval * 2 ** Math.min(failures, 30));
    return jitter(this.#options.random ?? systemRandom, wait, this.#options.jitter ?? 0.1);
  }

  /** Errors of a listener do not stop the poller. */
  #call(call: () => void): void {
    try {
      call();
    } catch {
      // onError itself failed.
    }
  }

  #throwIfStopped(): void {
    if (this.#stopped.signal.aborted) throw this.#stoppedError();
  }

  #stoppedError(): Error {
    return new Error(`poll ${JSON.stringify(this.name)} was stopped`);
  }
}

async function collect<Row>(listed: Listed<Row>, signal: AbortSignal): Promise<Iterable<Row>> {
  const rows = await listed;
  if (Symbol.iterator in rows) return rows;
  const all: Row[] = [];
  for await (const row of rows) {
    signal.throwIfAborted();
    all.push(row);
  }
  return all;
}
