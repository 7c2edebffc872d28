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
import { keyOf } from "../source/object-cache.js";
import type { ObjectChange, IndexFunction, Source, Subscription } from "../source/source.js";
import { Rows, type RowMapping } from "./rows.js";
import { noChanges, PollCounters, type PollReport, type PollStats } from "./stats.js";
import { View } from "./view.js";

/** All rows there are: at once, or one after the other. */
export type Listed<Row> =
  | Iterable<Row>
  | AsyncIterable<Row>
  | PromiseLike<Iterable<Row> | AsyncIterable<Row>>;

interface Looking<T extends KubeObject> {
  /** Names the source in errors and metrics. */
  readonly name: string;
  /** From the end of one list to the start of the next. */
  readonly interval: Duration;
  /** How long a list may take before it is given up. Default 30 s. */
  readonly timeout?: Duration | undefined;
  /** The interval doubles with every list that fails after another, up to this or the interval. Default 5 min. */
  readonly longestInterval?: Duration | undefined;
  /** By which share, at random, waits are longer, so that many pollers do not all ask at once. Default 0.1. */
  readonly jitter?: number | undefined;
  /** Whether a new version of an object is no change to you. What differs otherwise is found out field by field. */
  readonly equal?: ((old: T, now: T) => boolean) | undefined;
  /** Told what fails: a list, a row that cannot be made into an object, a listener. The poller goes on anyway. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** A first subscriber. */
  readonly onChange?: ((change: ObjectChange<T>) => void) | undefined;
  /** Told of each look, for metrics. */
  readonly onPoll?: ((report: PollReport) => void) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** What is listed are objects already. They are handed over: they get frozen. */
export interface PollOptions<T extends KubeObject> extends Looking<T> {
  readonly list: (signal: AbortSignal) => Listed<T>;
  readonly toObject?: undefined;
  /** An object whose version has not changed is not looked at. Default: its resourceVersion. */
  readonly version?: ((object: T) => string | number | undefined) | undefined;
}

/** What is listed are rows of a table, answers of an API, files, and is made into objects. */
export interface PollRowsOptions<Row, T extends KubeObject> extends Looking<T> {
  readonly list: (signal: AbortSignal) => Listed<Row>;
  /** Makes an object of a row, with a name that stays. */
  readonly toObject: (row: Row) => T;
  /** Names a row, so that one that cannot be made into an object stays what it was, and does not fail the list. */
  readonly key?: ((row: Row) => string) | undefined;
  /** A row whose version (a number that counts, a time of change, an ETag) has not changed is not made anew. Needs `key`. */
  readonly version?: ((row: Row) => string | number | undefined) | undefined;
}

/**
 * A {@link Source} that looks again and again. It begins when it is started, and by itself when somebody subscribes or
 * waits for it to be ready.
 */
export interface Poller<T extends KubeObject = KubeObject> extends Source<T>, AsyncDisposable {
  readonly name: string;
  start(): void;
  /** Ends it for good; a list that is under way is given up. What was seen can still be read. */
  stop(): Promise<void>;
  /**
   * Looks at once, and rejects when that fails. A list that is under way may have missed what just changed, so the next
   * begins right after it; those who ask meanwhile share that one.
   */
  refresh(): Promise<void>;
  stats(): PollStats;
}

/**
 * Follows the changes of anything that can be listed but not watched: lists it at intervals and tells what differs.
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
        `poll ${JSON.stringify(options.name)} has "version" but no "key": without one it is not known whose version that is`,
      );
    }
    return new PollingSource(options, options);
  }
  const version = options.version ?? ((object: T) => object.metadata.resourceVersion || undefined);
  const key = (object: T): string => keyOf(object.metadata.namespace, object.metadata.name ?? "");
  return new PollingSource(options, { toObject: (object) => object, key, version });
}

/** How a poller ended or failed a look. */
type Look = { readonly error: unknown } | undefined;

class PollingSource<Row, T extends KubeObject> implements Poller<T> {
  readonly name: string;
  readonly #options: Looking<T> & { readonly list: (signal: AbortSignal) => Listed<Row> };
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #longestInterval: number;
  readonly #timeout: number;
  readonly #rows: Rows<Row, T>;
  readonly #view: View<T>;
  readonly #counters = new PollCounters();
  readonly #stopped = new AbortController();
  readonly #synced = deferred<void>();
  #isSynced = false;
  #started = false;
  #timer: Timer | undefined;
  /** The look under way, and the one that was asked for to follow it. The second is there only while the first is. */
  #looking: Promise<Look> | undefined;
  #following: Promise<Look> | undefined;

  constructor(
    options: Looking<T> & { readonly list: (signal: AbortSignal) => Listed<Row> },
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
    const report = (error: unknown): void => this.#tell(() => options.onError?.(error));
    this.#rows = new Rows(mapping, report);
    this.#view = new View({ equal: options.equal, report, published: this.#counters.published });
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
    if (this.#looking === undefined) void this.#look();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    const reason = this.#stoppedError();
    this.#stopped.abort(reason);
    this.#synced.reject(reason);
    await this.#looking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async refresh(): Promise<void> {
    this.#throwIfStopped();
    if (this.#looking !== undefined) {
      this.#following ??= this.#looking.then(() => {
        this.#following = undefined;
        this.#throwIfStopped();
        return this.#look();
      });
    }
    const look = await (this.#following ?? this.#look());
    if (look !== undefined) throw look.error;
  }

  /** Looks once, and says when to look again. Never rejects, and is never called while another look is under way. */
  #look(): Promise<Look> {
    this.#timer?.cancel();
    const looking = this.#listOnce().then((look) => {
      this.#looking = undefined;
      if (this.#started && !this.#stopped.signal.aborted) {
        this.#timer = this.#clock.after(this.#pause(), () => void this.#look());
      }
      return look;
    });
    this.#looking = looking;
    return looking;
  }

  async #listOnce(): Promise<Look> {
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
      this.#tell(() => this.#options.onError?.(error));
      this.#done({ ...report, duration: clock.now() - started, error });
      return { error };
    }
  }

  #done(report: PollReport): void {
    this.#counters.add(report);
    this.#tell(() => this.#options.onPoll?.(report));
  }

  #pause(): number {
    const failures = Math.max(0, this.#counters.consecutiveErrors - 1);
    const wait = Math.min(this.#longestInterval, this.#interval * 2 ** Math.min(failures, 30));
    return jitter(this.#options.random ?? systemRandom, wait, this.#options.jitter ?? 0.1);
  }

  /** Somebody who listens cannot end the poller. */
  #tell(call: () => void): void {
    try {
      call();
    } catch {
      // It was told; there is nobody else to tell.
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
