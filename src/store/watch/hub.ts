import { Compacted, FutureRevision, SlowWatcher, StoreClosed } from "../errors.js";
import type { Watch, WatchBatch, WatchBuffer, WatchEvent, StoreWatchOptions } from "../store.js";
import type { LiveBatch, WatchFeed } from "./feed.js";
import { createWatch } from "./feed.js";

/** What a hub needs to know of its store to let watches start in the past. */
export interface History {
  /** The newest revision that has been published to the hub. */
  revision(): number;
  floor(): number;
  /**
   * The events below `prefix` after revision `after`, from a bounded stretch of history; `through` says how
   * far that stretch went, at most to `revision()`, and never into the middle of a commit.
   */
  changes(prefix: string, after: number, previous: boolean): { events: WatchEvent[]; through: number };
}

const defaultBuffer = { events: 10_000, bytes: 16 * 2 ** 20 };

/**
 * Hands published changes to all live watches of one process.
 *
 * Watches with the same prefix form a group, and groups are found by the length of their prefix: an event
 * costs one look-up per distinct length, and a watcher costs one pointer per batch, whatever else is watched.
 *
 * Invariant: a feed is in a group exactly when it has been handed everything up to the newest revision. It joins
 * in the same turn of the event loop in which it found history to be read to its end, so nothing can be
 * published in between.
 */
export class WatchHub {
  readonly #history: History;
  readonly #groups = new Map<number, Map<string, Set<WatchFeed>>>();
  readonly #feeds = new Set<WatchFeed>();
  #wantingPrevious = 0;
  #published: number;
  #closed = false;

  constructor(history: History) {
    this.#history = history;
    this.#published = history.revision();
  }

  /** Whether anybody would see what is published now. */
  get hasLive(): boolean {
    return this.#groups.size > 0;
  }

  /** Whether somebody live wants to know what events replaced; if nobody does, a store need not look it up. */
  get wantsPrevious(): boolean {
    return this.#wantingPrevious > 0;
  }

  watch(options: StoreWatchOptions): Watch {
    const from = options.from ?? this.#history.revision();
    const limits = limitsOf(options.buffer);
    const feed: WatchFeed = {
      prefix: options.prefix,
      previous: options.previous === true,
      handed: from,
      live: false,
      queue: [],
      waiting: { events: 0, bytes: 0 },
      limits,
      failure: undefined,
      wake: undefined,
    };
    return createWatch(feed, this.#history, {
      start: () => {
        if (this.#closed) throw new StoreClosed();
        const newest = this.#history.revision();
        if (from > newest) throw new FutureRevision(from, newest);
        // Only now: a watch that nobody ever reads from leaves nothing behind.
        this.#feeds.add(feed);
      },
      catchUp: () => this.#catchUp(feed),
      leave: () => this.#leave(feed),
      signal: options.signal,
    });
  }

  /**
   * Hands on what one or more commits changed. `revision` is the newest of them. To be called for every commit, if
   * only with no events when {@link hasLive} says that nobody is there to see them.
   */
  publish(events: readonly WatchEvent[], revision: number): void {
    const since = this.#published;
    this.#published = revision;
    for (const [length, prefixes] of this.#groups) {
      for (const [prefix, matching] of partition(events, length, prefixes)) {
        const batch = liveBatch(matching, since, revision);
        for (const feed of prefixes.get(prefix) ?? []) this.#push(feed, batch);
      }
    }
  }

  /** Ends all watches with an error: what they should see next cannot be had. */
  fail(failure: Error): void {
    for (const feed of this.#feeds) this.#fail(feed, failure);
  }

  close(): void {
    this.#closed = true;
    this.fail(new StoreClosed());
  }

  /** The next stretch of history for a feed that is not live yet; it joins the live ones at the end of history. */
  #catchUp(feed: WatchFeed): WatchBatch | undefined {
    const floor = this.#history.floor();
    if (feed.handed < floor) throw new Compacted(feed.handed, floor);
    if (feed.handed === this.#history.revision()) {
      this.#join(feed);
      return undefined;
    }
    const { events, through } = this.#history.changes(feed.prefix, feed.handed, feed.previous);
    feed.handed = through;
    if (through === this.#history.revision()) this.#join(feed);
    return events.length > 0 ? { events, revision: through } : undefined;
  }

  #join(feed: WatchFeed): void {
    const prefixes = this.#groups.get(feed.prefix.length) ?? new Map<string, Set<WatchFeed>>();
    this.#groups.set(feed.prefix.length, prefixes);
    const group = prefixes.get(feed.prefix) ?? new Set();
    prefixes.set(feed.prefix, group);
    group.add(feed);
    feed.live = true;
    if (feed.previous) this.#wantingPrevious++;
  }

  #leave(feed: WatchFeed): void {
    this.#feeds.delete(feed);
    if (!feed.live) return;
    feed.live = false;
    if (feed.previous) this.#wantingPrevious--;
    const prefixes = this.#groups.get(feed.prefix.length);
    const group = prefixes?.get(feed.prefix);
    group?.delete(feed);
    if (group?.size === 0) prefixes?.delete(feed.prefix);
    if (prefixes?.size === 0) this.#groups.delete(feed.prefix.length);
  }

  #push(feed: WatchFeed, batch: LiveBatch): void {
    const { waiting, limits } = feed;
    waiting.events += batch.events.length;
    waiting.bytes += batch.bytes;
    // A single batch is always taken, so that no commit is too large to be watched.
    const over = waiting.events > limits.events ? `${limits.events} events` : `${limits.bytes} bytes`;
    if (feed.queue.length > 0 && (waiting.events > limits.events || waiting.bytes > limits.bytes)) {
      this.#fail(feed, new SlowWatcher(feed.handed, over));
      return;
    }
    if (feed.queue.length === 0) feed.handed = batch.since;
    feed.queue.push(batch);
    feed.wake?.();
  }

  #fail(feed: WatchFeed, failure: Error): void {
    this.#leave(feed);
    feed.failure = failure;
    feed.queue.length = 0;
    feed.wake?.();
  }
}

/** The events of each watched prefix of one length, in order. */
function partition(
  events: readonly WatchEvent[],
  length: number,
  prefixes: ReadonlyMap<string, unknown>,
): Map<string, WatchEvent[]> {
  const found = new Map<string, WatchEvent[]>();
  for (const event of events) {
    const prefix = event.key.slice(0, length);
    const list = found.get(prefix);
    if (list) list.push(event);
    else if (prefixes.has(prefix)) found.set(prefix, [event]);
  }
  return found;
}

function liveBatch(events: readonly WatchEvent[], since: number, revision: number): LiveBatch {
  let bytes = 0;
  for (const event of events) if (event.type === "put") bytes += event.entry.value.byteLength;
  return { events, since, revision, bytes };
}

function limitsOf(buffer: WatchBuffer = {}): { events: number; bytes: number } {
  return { events: buffer.events ?? defaultBuffer.events, bytes: buffer.bytes ?? defaultBuffer.bytes };
}
