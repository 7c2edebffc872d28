import { objectEvents } from "../../events/object/object-events.js";
import type { EventNaming } from "../../events/object/event-naming.js";
import {
  EventLogExpired,
  type AppendOptions,
  type DeadEvent,
  type EventLog,
  type LogBatch,
  type LogPosition,
  type LogReadOptions,
  type SubscriptionCursor,
} from "../../events/log/event-log.js";
import { duration, type Clock, type KubeObject } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { PatternIndex } from "../../model/cloud-events/pattern-index.js";
import {
  Compacted,
  Conflict,
  FutureRevision,
  SlowWatcher,
  type Entry,
  type Put,
  type Store,
  type StoreEvent,
} from "../../store/index.js";
import { objectOrUndefined } from "../stored/stored.js";
import {
  cursorPrefix,
  deadKey,
  deadPrefix,
  decodeJson,
  encodeJson,
  eventKey,
  eventPrefix,
} from "./stored-events.js";

/** Own keys begin with it; none of them is an object. */
const internalPrefix = "/fettle/";
const deadTtl = duration("7d");
const pageSize = 500;
const pageBytes = 2 ** 20;

export interface StoreEventLogOptions {
  readonly naming: EventNaming;
  /** Source of events about objects. */
  readonly source: string;
  /** Milliseconds for which appended events are kept. */
  readonly ttl: number;
  readonly clock: Clock;
}

type Patterns = PatternIndex<unknown> | undefined;

/**
 * Event log on a store. Its positions are revisions. Events about objects are derived from the store's history when it is read, and
 * cost nothing to write; appended events are keys with a time to live.
 */
export class StoreEventLog implements EventLog {
  readonly #store: Store;
  readonly #options: StoreEventLogOptions;
  /** Live watchers of a store share its events, so that their events are derived once. */
  readonly #derived = new WeakMap<StoreEvent, readonly CloudEvent[]>();
  readonly #parsed = new WeakMap<Entry, KubeObject>();
  /** Beginning of the types of the events of a kind, by the beginning of its keys. */
  readonly #typePrefixes = new Map<string, string>();

  constructor(store: Store, options: StoreEventLogOptions) {
    this.#store = store;
    this.#options = options;
  }

  async append(events: readonly CloudEvent[], options: AppendOptions = {}): Promise<void> {
    const ttl = options.ttl === undefined ? this.#options.ttl : duration(options.ttl);
    const puts = new Map<string, Put>();
    for (const event of events) {
      const key = eventKey(event);
      puts.set(key, { type: "put", key, value: encodeJson(event), expect: 0, ttl });
    }
    if (puts.size === 0) return;
    try {
      await this.#store.commit([...puts.values()]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (puts.size === 1) return;
      for (const put of puts.values()) await ignoreConflict(this.#store.commit([put]));
    }
  }

  async *follow({ from, patterns, only, signal }: LogReadOptions): AsyncGenerator<LogBatch, void, undefined> {
    let position = from === undefined ? undefined : Number(from);
    while (!signal.aborted) {
      const prefix = only === "appended" ? eventPrefix : "/";
      const watch = this.#store.watch({ prefix, from: position, previous: true, signal });
      position ??= watch.revision;
      yield { events: [], position: String(position) };
      try {
        for await (const { events, revision } of watch) {
          position = revision;
          yield { events: this.#eventsOf(events, patterns), position: String(revision) };
        }
        return;
      } catch (error) {
        // The reader was slow, but history still has what it missed.
        if (error instanceof SlowWatcher) continue;
        if (error instanceof Compacted || error instanceof FutureRevision) {
          throw new EventLogExpired(`events after revision ${position} are not available: ${error.message}`, {
            cause: error,
          });
        }
        throw error;
      }
    }
  }

  async *snapshot({
    patterns,
    signal,
  }: Omit<LogReadOptions, "from">): AsyncGenerator<LogBatch, void, undefined> {
    let after: string | undefined;
    let revision: number | undefined;
    const appended: Entry[] = [];
    for (;;) {
      signal.throwIfAborted();
      const page = await this.#store.range({
        prefix: "/",
        after,
        limit: pageSize,
        bytes: pageBytes,
        revision,
      });
      revision = page.revision;
      const events: CloudEvent[] = [];
      for (const entry of page.entries) {
        if (entry.key.startsWith(eventPrefix)) appended.push(entry);
        else if (!entry.key.startsWith(internalPrefix)) events.push(...this.#existing(entry, patterns));
      }
      // Whoever stops here begins again with a snapshot: the position is that of the whole.
      yield { events, position: String(revision) };
      if (!page.more) break;
      after = page.entries.at(-1)?.key;
    }
    appended.sort((one, other) => one.revision - other.revision);
    const events = appended.flatMap((entry) => this.#appended(entry, patterns));
    if (events.length > 0) yield { events, position: String(revision) };
  }

  async position(): Promise<LogPosition> {
    return String((await this.#store.status()).revision);
  }

  distance(from: LogPosition, to: LogPosition): number | undefined {
    return Math.max(0, Number(to) - Number(from));
  }

  async readCursor(name: string): Promise<SubscriptionCursor | undefined> {
    const entry = await this.#store.get(cursorPrefix + name);
    return entry && (decodeJson(entry) as SubscriptionCursor | undefined);
  }

  async writeCursor(name: string, cursor: SubscriptionCursor): Promise<void> {
    await this.#store.commit([{ type: "put", key: cursorPrefix + name, value: encodeJson(cursor) }]);
  }

  async deleteCursor(name: string): Promise<void> {
    await this.#store.commit([{ type: "delete", key: cursorPrefix + name }]);
  }

  async cursors(): Promise<readonly string[]> {
    const { entries } = await this.#store.range({ prefix: cursorPrefix });
    return entries.map(({ key }) => key.slice(cursorPrefix.length));
  }

  async writeDead(letter: DeadEvent): Promise<void> {
    const put: Put = { type: "put", key: deadKey(letter), value: encodeJson(letter), ttl: deadTtl };
    await this.#store.commit([put]);
  }

  async readDead(): Promise<readonly DeadEvent[]> {
    const { entries } = await this.#store.range({ prefix: deadPrefix });
    return entries
      .toSorted((one, other) => one.revision - other.revision)
      .map((entry) => decodeJson(entry) as DeadEvent | undefined)
      .filter((letter) => letter !== undefined);
  }

  async deleteDead(letter: DeadEvent): Promise<void> {
    await this.#store.commit([{ type: "delete", key: deadKey(letter) }]);
  }

  #eventsOf(changes: readonly StoreEvent[], patterns: Patterns): readonly CloudEvent[] {
    const events: CloudEvent[] = [];
    for (const change of changes) {
      if (!this.#mayMatch(change.key, patterns)) continue;
      let derived = this.#derived.get(change);
      if (derived === undefined) this.#derived.set(change, (derived = this.#derive(change)));
      for (const event of derived) if (matches(patterns, event)) events.push(event);
    }
    return events;
  }

  /** False if no event of a key can match, as far as that is known without reading its value. */
  #mayMatch(key: string, patterns: Patterns): boolean {
    if (key.startsWith(internalPrefix)) return key.startsWith(eventPrefix);
    if (patterns === undefined) return true;
    const prefix = this.#typePrefixes.get(kindOfKey(key));
    return prefix === undefined || patterns.mayMatchBelow(prefix);
  }

  #derive(change: StoreEvent): readonly CloudEvent[] {
    const { key, revision, previous } = change;
    if (key.startsWith(eventPrefix))
      return change.type === "put" ? this.#appended(change.entry, undefined) : [];
    const now = change.type === "put" ? this.#objectIn(change.entry) : undefined;
    const old = previous && this.#objectIn(previous);
    return this.#ofObject(key, { now, old, revision: String(revision) });
  }

  #existing(entry: Entry, patterns: Patterns): readonly CloudEvent[] {
    if (!this.#mayMatch(entry.key, patterns)) return [];
    const now = this.#objectIn(entry);
    const events = this.#ofObject(entry.key, {
      now,
      old: undefined,
      revision: String(entry.revision),
      resync: true,
    });
    return events.filter((event) => matches(patterns, event));
  }

  #ofObject(key: string, versions: Parameters<typeof objectEvents>[0]): readonly CloudEvent[] {
    const object = versions.now ?? versions.old;
    if (object === undefined) return [];
    const { naming, source, clock } = this.#options;
    const kindKey = kindOfKey(key);
    this.#typePrefixes.set(kindKey, naming.of(object).prefix);
    const plural = kindKey.split("/")[2] ?? "";
    return objectEvents(versions, { naming, source, plural, now: clock.now() });
  }

  #appended(entry: Entry, patterns: Patterns): readonly CloudEvent[] {
    const event = decodeJson(entry) as CloudEvent | undefined;
    if (event === undefined || !matches(patterns, event)) return [];
    return [{ ...event, revision: String(entry.revision) }];
  }

  #objectIn(entry: Entry): KubeObject | undefined {
    let object = this.#parsed.get(entry);
    if (object === undefined) {
      object = objectOrUndefined(entry, entry.revision);
      if (object !== undefined) this.#parsed.set(entry, object);
    }
    return object;
  }
}

function matches(patterns: Patterns, { type }: CloudEvent): boolean {
  return patterns === undefined || patterns.match(type).length > 0;
}

/** Group and plural of a key: `/demo.dev/sites/` of `/demo.dev/sites/default/hello`. */
function kindOfKey(key: string): string {
  const group = key.indexOf("/", 1);
  return key.slice(0, key.indexOf("/", group + 1) + 1);
}

async function ignoreConflict(commit: Promise<unknown>): Promise<void> {
  try {
    await commit;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
