import { resolve } from "node:path";
import { systemClock, type Clock } from "../../model/time/clock.js";
import { Conflict, FutureRevision, StoreClosed, StoreFailed } from "../errors.js";
import { Expiry, type ExpiryIndex } from "../expiry.js";
import { checkMutations } from "../keys.js";
import { readableRevision } from "../readable.js";
import { Retention, type Retained, type RetentionPolicy } from "../retention.js";
import type {
  Mutation,
  Entry,
  RangeOptions,
  RangeResult,
  Store,
  StoreStatus,
  Watch,
  WatchEvent,
  StoreWatchOptions,
} from "../store.js";
import { WatchHub, type HistoryPage, type HistoryReader, type HistoryRequest } from "../watch/hub.js";
import { openDirectory, type DataDirectory } from "./directory.js";
import type { Committed, Outcome } from "./protocol.js";
import { Reader } from "./reader.js";
import { RecentEntries } from "./recent-entries.js";
import { idOf, revisionOf } from "./schema.js";
import { WriterClient, type Pending } from "./writer-client.js";

export interface SqliteStoreOptions {
  readonly clock?: Clock | undefined;
  readonly retention?: RetentionPolicy | undefined;
  /** How much of what was last read and written is kept in memory; 32 MiB unless told, 0 for nothing. */
  readonly cacheBytes?: number | undefined;
  /**
   * How many changes wait in memory before they are put into the index by key, 16,384 unless told. The more, the less a
   * commit costs among many objects, and the longer it takes to open the store after a crash.
   */
  readonly indexAfter?: number | undefined;
}

/** How many entries and bytes a range reads, about, before it lets others have their turn. */
const rangePage = { first: 100, most: 1000, bytes: 2 ** 21 };

/** How much of the newest entries is kept in memory, unless told. */
const defaultCacheBytes = 2 ** 25;

/** How many changes wait to be indexed, unless told. */
const defaultIndexAfter = 2 ** 14;

/**
 * Opens the embedded durable store in a data directory, which is made when it does not exist.
 *
 * @throws {StoreInUse} when another process has it open.
 * @throws {StoreForeign} when the file there is not a Fettle store, or of a newer Fettle.
 * @throws {StoreDamaged} when it is damaged. In none of these cases is anything changed.
 *
 * @example
 * const store = await openSqliteStore("./data");
 * const { revision } = await store.commit([{ type: "put", key: "/a", value, expect: 0 }]);
 */
export async function openSqliteStore(directory: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const opened = openDirectory(resolve(directory));
  try {
    return new SqliteStore(opened, options);
  } catch (error) {
    opened.release();
    throw error;
  }
}

/**
 * One thread writes, this one reads. What the writer has made durable exists for readers and watchers from the
 * moment its answer arrives here: `revision` moves, events are published and commits are resolved in the same
 * turn of the event loop. Until then reads at `revision` do not see it, though it is in the file already.
 */
class SqliteStore implements Store, HistoryReader, ExpiryIndex, Retained {
  readonly #directory: DataDirectory;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #recent: RecentEntries;
  readonly #writer: WriterClient;
  readonly #hub: WatchHub;
  readonly #expiry: Expiry;
  readonly #retention: Retention;
  #revision: number;
  #floor: number;
  #sweeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(directory: DataDirectory, options: SqliteStoreOptions) {
    this.#directory = directory;
    this.#clock = options.clock ?? systemClock;
    this.#reader = new Reader(directory.database);
    this.#recent = new RecentEntries(options.cacheBytes ?? defaultCacheBytes);
    this.#revision = this.#reader.revision();
    this.#floor = this.#reader.floor();
    this.#writer = new WriterClient(
      { path: directory.database, indexAfter: options.indexAfter ?? defaultIndexAfter },
      () => this.#clock.now(),
      {
        answered: (group, outcomes) => this.#publish(group, outcomes),
        indexed: (stretch) => this.#reader.tail.forget(stretch),
      },
    );
    this.#hub = new WatchHub(this, this.#revision);
    this.#expiry = new Expiry(this, this, this.#clock);
    this.#retention = new Retention(this, options.retention ?? {}, this.#clock);
  }

  get revision(): number {
    return this.#revision;
  }

  get floor(): number {
    return this.#floor;
  }

  async get(key: string, options: { revision?: number } = {}): Promise<Entry | undefined> {
    const revision = this.#readable(options.revision);
    const recent = this.#recent.get(key);
    if (recent !== undefined && recent.revision <= revision) return recent;
    const entry = this.#reader.get(key, revision);
    // At the newest revision, what is shown is the newest entry.
    if (entry !== undefined && revision === this.#revision) this.#recent.set(entry);
    return entry;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const revision = this.#readable(options.revision);
    const limit = options.limit ?? Infinity;
    const entries: Entry[] = [];
    let { after } = options;
    let page = rangePage.first;
    let bytes = 0;
    for (;;) {
      // One more than asked for tells whether there is more.
      const wanted = Math.min(page, limit + 1 - entries.length);
      const read = this.#reader.range({ ...options, after }, revision, wanted);
      for (const entry of read.entries) {
        entries.push(entry);
        bytes += entry.value.length;
      }
      if (entries.length > limit) return { entries: entries.slice(0, limit), revision, more: true };
      if (read.through === undefined) return { entries, revision, more: false };
      after = read.through;
      const average = Math.max(1, bytes / Math.max(1, entries.length));
      page = Math.max(10, Math.min(rangePage.most, Math.floor(rangePage.bytes / average)));
      await new Promise((resolve) => setImmediate(resolve));
      // A read of the newest state that compaction has overtaken is as good at a newer revision.
      if (options.revision === undefined && revision < this.#floor) return this.range(options);
      this.#readable(revision);
    }
  }

  async count(options: Omit<RangeOptions, "limit">): Promise<{ count: number; revision: number }> {
    const revision = this.#readable(options.revision);
    return { count: this.#reader.count(options, revision), revision };
  }

  async commit(mutations: readonly Mutation[]): Promise<{ revision: number }> {
    checkMutations(mutations);
    if (this.#closing) throw new StoreClosed();
    const now = this.#clock.now();
    const expires = mutations.map((mutation) =>
      mutation.type === "put" && mutation.ttl !== undefined ? now + mutation.ttl : undefined,
    );
    const outcome = await this.#writer.commit(mutations, expires);
    if (outcome.type === "committed") return { revision: outcome.revision };
    const refused = mutations[outcome.mutation];
    throw new Conflict(refused?.key ?? "", refused?.expect ?? 0, outcome.actual);
  }

  watch(options: StoreWatchOptions): Watch {
    return this.#hub.watch(options);
  }

  async compact(revision: number): Promise<void> {
    if (this.#closing) throw new StoreClosed();
    if (revision > this.#revision) throw new FutureRevision(revision, this.#revision);
    if (revision <= this.#floor) return;
    // From here on nobody reads below the floor, so nobody can see it being cleared away.
    this.#floor = revision;
    await this.#sweepOnce(revision);
  }

  async status(): Promise<StoreStatus> {
    return { revision: this.#revision, floor: this.#floor };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#expiry.stop();
    this.#retention.stop();
    this.#hub.close();
    await this.#sweeping;
    this.#reader.close();
    // The writer closes last, when no reader keeps it from emptying the write-ahead log.
    await this.#writer.close();
    this.#directory.release();
  }

  /** Makes the floor durable and takes the first step of clearing up; the others follow in the background. */
  async #sweepOnce(floor: number): Promise<void> {
    const more = await this.#writer.sweep(floor);
    if (more) this.#sweeping ??= this.#sweepOn();
  }

  async #sweepOn(): Promise<void> {
    try {
      while (!this.#closing && (await this.#writer.sweep(this.#floor)));
    } catch {
      // What could not be cleared away now (disk full) is cleared away after the next compaction.
    } finally {
      this.#sweeping = undefined;
    }
  }

  #readable(asked?: number): number {
    if (this.#closing) throw new StoreClosed();
    return readableRevision(asked, this);
  }

  read(request: HistoryRequest): HistoryPage {
    return this.#reader.history(request);
  }

  nextExpiry(): number | undefined {
    return this.#reader.nextExpiry();
  }

  expired(now: number): { key: string; revision: number }[] {
    return this.#reader.expired(now);
  }

  revisionAt(time: number): number {
    return this.#reader.revisionAt(time, this.#floor, this.#revision);
  }

  #publish(group: readonly Pending[], outcomes: readonly Outcome[]): void {
    const events: WatchEvent[] = [];
    const seen = this.#hub.hasMembers;
    let revision = this.#revision;
    for (const [index, pending] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome?.type !== "committed") continue;
      revision = outcome.revision;
      for (const expires of pending.expires) if (expires !== undefined) this.#expiry.noticed(expires);
      const entries = entriesOf(pending, outcome);
      if (seen) this.#tryAddEvents(events, pending, outcome, entries);
      this.#remember(pending, outcome, entries);
    }
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#hub.publish(events, revision);
  }

  /** What was committed stays committed, also when what it replaced cannot be read for the watchers. */
  #tryAddEvents(events: WatchEvent[], pending: Pending, outcome: Committed, entries: Entries): void {
    try {
      this.#addEvents(events, pending, outcome, entries);
    } catch (error) {
      this.#hub.fail(error instanceof Error ? error : new StoreFailed(String(error)));
    }
  }

  #addEvents(events: WatchEvent[], { mutations }: Pending, outcome: Committed, entries: Entries): void {
    const { revision } = outcome;
    mutations.forEach(({ key }, place) => {
      const replaced = outcome.replaced[place] ?? 0;
      const previous = this.#previous(key, replaced);
      const entry = entries[place];
      if (entry !== undefined) events.push({ type: "put", key, revision, entry, previous });
      else if (replaced !== 0) events.push({ type: "delete", key, revision, previous });
    });
  }

  /** The version an event replaced, read only when a watcher wants it. */
  #previous(key: string, id: number): Entry | undefined {
    if (id === 0 || !this.#hub.wantsPrevious) return undefined;
    const recent = this.#recent.get(key);
    return recent?.revision === revisionOf(id) ? recent : this.#reader.version(id);
  }

  #remember({ mutations, expires }: Pending, outcome: Committed, entries: Entries): void {
    const { revision } = outcome;
    mutations.forEach(({ key }, place) => {
      const entry = entries[place];
      const gone = entry === undefined;
      const previous = outcome.replaced[place] ?? 0;
      if (gone && previous === 0) return;
      const created = outcome.created[place] ?? revision;
      this.#reader.tail.add(key, {
        id: idOf(revision, place),
        previous,
        created,
        expires: expires[place],
        gone,
      });
      if (gone) this.#recent.delete(key);
      else this.#recent.set(entry);
    });
  }
}

/** What a commit left at the keys that it changed, in the order of its changes; undefined where it deleted. */
type Entries = readonly (Entry | undefined)[];

function entriesOf({ mutations, expires }: Pending, { revision, created }: Committed): Entries {
  return mutations.map((mutation, place) => {
    if (mutation.type !== "put") return undefined;
    const { key, value } = mutation;
    return { key, value, revision, created: created[place] ?? revision, expires: expires[place] };
  });
}
