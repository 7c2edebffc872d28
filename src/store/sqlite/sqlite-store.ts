import { resolve } from "node:path";
import { systemClock, type Clock } from "../../model/time/clock.js";
import { Conflict, FutureRevision, readableRevision, StoreClosed, StoreFailed } from "../errors.js";
import { Expiry, type ExpiryIndex } from "../expiry.js";
import { checkMutations } from "../keys.js";
import { Retention, type Retained, type RetentionPolicy } from "../retention.js";
import type {
  Mutation,
  Entry,
  RangeOptions,
  RangeResult,
  Store,
  StoreStatus,
  StoreWatch,
  StoreEvent,
  StoreWatchOptions,
} from "../store.js";
import { WatchHub, type HistoryPage, type HistoryReader, type HistoryRequest } from "../watch/hub.js";
import { openDirectory, type DataDirectory } from "./directory.js";
import type { Committed, CommitOutcome, Refused } from "./protocol.js";
import { resultCodeOf } from "./engine.js";
import { unusable } from "./folder.js";
import { storeDamaged } from "./integrity/damage.js";
import { compareWithMark, examineFiles } from "./integrity/examine-files.js";
import type { HighWaterMark } from "./integrity/high-water-mark.js";
import { Reader } from "./reader.js";
import { RecentEntries } from "./recent-entries.js";
import { idOf, revisionOf } from "./schema.js";
import { WriterClient, type PendingCommit } from "./writer-client.js";

export interface SqliteStoreOptions {
  readonly clock?: Clock | undefined;
  readonly retention?: RetentionPolicy | undefined;
  /** Size of the cache of recently used entries. Default 32 MiB; 0 turns it off. */
  readonly cacheBytes?: number | undefined;
  /**
   * Number of mutations kept in memory before they are added to the index by key. Default 16,384. A larger number makes
   * commits cheaper when there are many objects, and opening the store after a crash slower.
   */
  readonly indexAfter?: number | undefined;
}

/** Entries and bytes, roughly, that a range reads before it yields to the event loop. */
const rangePage = { first: 100, most: 1000, bytes: 2 ** 21 };

const defaultCacheBytes = 2 ** 25;

const defaultIndexAfter = 2 ** 14;

/**
 * Opens the embedded durable store in a data directory, which is created if it does not exist.
 *
 * @throws {StoreUnusable} when the directory is a file or cannot be written.
 * @throws {StoreInUse} when the directory is already open.
 * @throws {StoreForeign} when the file in it is not a Fettle store, or has the format of another version.
 * @throws {StoreDamaged} when files are damaged or missing. In none of these cases is anything changed.
 *
 * @example
 * const store = await openSqliteStore("./data");
 * const { revision } = await store.commit([{ type: "put", key: "/a", value, expect: 0 }]);
 */
export async function openSqliteStore(directory: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const opened = openDirectory(resolve(directory));
  let reader: Reader | undefined;
  try {
    const mark = await checkFiles(opened);
    reader = new Reader(opened.database);
    const problem = compareWithMark(mark, reader.newest());
    if (problem !== undefined) throw storeDamaged(opened.path, [problem]);
    // The constructor reads it, too: better an error now than when the thread that writes has been started.
    reader.nextExpiry();
    return new SqliteStore(opened, reader, options);
  } catch (error) {
    reader?.close();
    opened.release();
    throw resultCodeOf(error) === undefined ? unusable(opened.path, error) : unreadable(opened.path, error);
  }
}

/** Error of SQLite that is not about damage, such as one of the disk. */
function unreadable(path: string, error: unknown): StoreFailed {
  const message = error instanceof Error ? error.message : String(error);
  return new StoreFailed(`the store in ${path} cannot be opened (${message}); look at the disk`, {
    cause: error,
  });
}

/** Milliseconds of work between two turns of the event loop. */
const checkTurn = 20;

/** @throws {StoreDamaged} */
async function checkFiles({ path, database }: DataDirectory): Promise<HighWaterMark> {
  const steps = examineFiles(database);
  let until = performance.now() + checkTurn;
  for (;;) {
    const step = steps.next();
    if (step.done) {
      const { problems, intact, mark } = step.value;
      if (problems.length > 0 || mark === undefined) throw storeDamaged(path, problems, intact);
      return mark;
    }
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + checkTurn;
  }
}

/**
 * Writes in a thread of its own, reads on the caller's thread. A durable commit becomes visible when the writer's reply
 * arrives: in one turn of the event loop `revision` advances, events are published and commits are resolved. Until
 * then reads at `revision` do not see it, although it is in the file.
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
  /** Average size of the values in the latest range, by which the next one estimates how many entries to read at a time. */
  #averageBytes = rangePage.bytes / rangePage.first;
  #revision: number;
  #floor: number;
  #sweeping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #writeError: Error | undefined;

  constructor(directory: DataDirectory, reader: Reader, options: SqliteStoreOptions) {
    this.#directory = directory;
    this.#clock = options.clock ?? systemClock;
    this.#reader = reader;
    this.#recent = new RecentEntries(options.cacheBytes ?? defaultCacheBytes);
    this.#revision = reader.newest().revision;
    this.#floor = this.#reader.floor();
    this.#writer = new WriterClient(
      { path: directory.database, indexAfter: options.indexAfter ?? defaultIndexAfter },
      () => this.#clock.now(),
      {
        replied: (group, outcomes) => this.#publish(group, outcomes),
        indexed: (range) => this.#reader.tail.forget(range),
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
    // The cache holds only newest entries.
    if (entry !== undefined && revision === this.#revision) this.#recent.set(entry);
    return entry;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    const revision = this.#readable(options.revision);
    const { limit = Infinity, bytes: maxBytes = Infinity } = options;
    const entries: Entry[] = [];
    let { after } = options;
    let bytes = 0;
    let unyielded = 0;
    for (;;) {
      // One entry beyond the limit shows that there are more.
      const wanted = Math.min(this.#pageWithin(maxBytes - bytes), limit + 1 - entries.length);
      const read = this.#reader.range({ ...options, after }, revision, wanted);
      for (const each of read.entries) {
        if (entries.length === limit || bytes >= maxBytes) return { entries, revision, more: true };
        if (unyielded >= rangePage.bytes) {
          unyielded = 0;
          await new Promise((resolve) => setImmediate(resolve));
          if (this.#isOutdated(options, revision)) return this.range(options);
        }
        const entry = "id" in each ? this.#reader.existing(each) : each;
        entries.push(entry);
        bytes += entry.value.length;
        unyielded += entry.value.length;
        this.#averageBytes = bytes / entries.length;
      }
      if (read.through === undefined) return { entries, revision, more: false };
      after = read.through;
      if (bytes >= maxBytes) continue;
      unyielded = 0;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#isOutdated(options, revision)) return this.range(options);
    }
  }

  /** Entries to read at once, of which about this many bytes are wanted; one more shows that there are more. */
  #pageWithin(bytes: number): number {
    const average = Math.max(1, this.#averageBytes);
    const page = Math.max(10, Math.min(rangePage.most, Math.floor(rangePage.bytes / average)));
    return Math.min(page, Math.ceil(Math.max(0, bytes) / average) + 1);
  }

  /** Compaction has passed a read of the newest state, which starts over at a newer revision. Throws for other reads. */
  #isOutdated(options: RangeOptions, revision: number): boolean {
    if (options.revision === undefined && revision < this.#floor) return true;
    this.#readable(revision);
    return false;
  }

  async count(options: Omit<RangeOptions, "limit" | "bytes">): Promise<{ count: number; revision: number }> {
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
    const outcome = await this.#write(mutations, expires);
    if (outcome.type === "committed") return { revision: outcome.revision };
    const refused = mutations[outcome.mutation];
    throw new Conflict(refused?.key ?? "", refused?.expect ?? 0, outcome.actual);
  }

  async #write(
    mutations: readonly Mutation[],
    expires: readonly (number | undefined)[],
  ): Promise<Committed | Refused> {
    try {
      const outcome = await this.#writer.commit(mutations, expires);
      // A commit that was refused wrote nothing, so that it proves nothing.
      if (outcome.type === "committed") this.#writeError = undefined;
      return outcome;
    } catch (error) {
      if (error instanceof Error) this.#writeError = error;
      throw error;
    }
  }

  watch(options: StoreWatchOptions): StoreWatch {
    return this.#hub.watch(options);
  }

  async compact(revision: number): Promise<void> {
    if (this.#closing) throw new StoreClosed();
    if (revision > this.#revision) throw new FutureRevision(revision, this.#revision);
    if (revision <= this.#floor) return;
    // From here on nobody reads below the floor, so history can be deleted step by step.
    this.#floor = revision;
    await this.#sweep(revision);
  }

  async status(): Promise<StoreStatus> {
    const writeError = this.#writeError;
    return { revision: this.#revision, floor: this.#floor, ...(writeError !== undefined && { writeError }) };
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
    // Last, because an open reader keeps the writer from truncating the write-ahead log.
    await this.#writer.close();
    this.#directory.release();
  }

  /** Makes the floor durable and deletes a first part of the history below it; the rest follows in the background. */
  async #sweep(floor: number): Promise<void> {
    const more = await this.#writer.sweep(floor);
    if (more) this.#sweeping ??= this.#sweepRest();
  }

  async #sweepRest(): Promise<void> {
    try {
      while (!this.#closing && (await this.#writer.sweep(this.#floor)));
    } catch {
      // A sweep that fails (disk full) continues after the next compaction.
    } finally {
      this.#sweeping = undefined;
    }
  }

  #readable(requested?: number): number {
    if (this.#closing) throw new StoreClosed();
    return readableRevision(requested, this);
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

  #publish(group: readonly PendingCommit[], outcomes: readonly CommitOutcome[]): void {
    const events: StoreEvent[] = [];
    const watched = this.#hub.hasMembers;
    let revision = this.#revision;
    for (const [index, pending] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome?.type !== "committed") continue;
      revision = outcome.revision;
      for (const expires of pending.expires) if (expires !== undefined) this.#expiry.schedule(expires);
      const entries = entriesOf(pending, outcome);
      if (watched) this.#tryAddEvents(events, pending, outcome, entries);
      this.#updateMemory(pending, outcome, entries);
    }
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#hub.publish(events, revision);
  }

  /** Ends the watches when a replaced version cannot be read; the commit itself has succeeded. */
  #tryAddEvents(events: StoreEvent[], pending: PendingCommit, outcome: Committed, entries: Entries): void {
    try {
      this.#addEvents(events, pending, outcome, entries);
    } catch (error) {
      this.#hub.fail(error instanceof Error ? error : new StoreFailed(String(error)));
    }
  }

  #addEvents(events: StoreEvent[], { mutations }: PendingCommit, outcome: Committed, entries: Entries): void {
    const { revision } = outcome;
    mutations.forEach(({ key }, place) => {
      const replaced = outcome.replaced[place] ?? 0;
      const previous = this.#previous(key, replaced);
      const entry = entries[place];
      if (entry !== undefined) events.push({ type: "put", key, revision, entry, previous });
      else if (replaced !== 0) events.push({ type: "delete", key, revision, previous });
    });
  }

  /** Version that an event replaced, if a watcher wants it. */
  #previous(key: string, id: number): Entry | undefined {
    if (id === 0 || !this.#hub.wantsPrevious) return undefined;
    const recent = this.#recent.get(key);
    return recent?.revision === revisionOf(id) ? recent : this.#reader.version(id);
  }

  #updateMemory({ mutations, expires }: PendingCommit, outcome: Committed, entries: Entries): void {
    const { revision } = outcome;
    mutations.forEach(({ key }, place) => {
      const entry = entries[place];
      const deleted = entry === undefined;
      const previous = outcome.replaced[place] ?? 0;
      if (deleted && previous === 0) return;
      const created = outcome.created[place] ?? revision;
      this.#reader.tail.add(key, {
        id: idOf(revision, place),
        previous,
        created,
        expires: expires[place],
        deleted,
      });
      if (deleted) this.#recent.delete(key);
      else this.#recent.set(entry);
    });
  }
}

/** Entries that a commit wrote, in the order of its mutations; undefined for deletes. */
type Entries = readonly (Entry | undefined)[];

function entriesOf({ mutations, expires }: PendingCommit, { revision, created }: Committed): Entries {
  return mutations.map((mutation, place) => {
    if (mutation.type !== "put") return undefined;
    const { key, value } = mutation;
    return { key, value, revision, created: created[place] ?? revision, expires: expires[place] };
  });
}
