import type { Clock } from "../../model/core.js";
import { maxMutations, openSqliteStore, type Put, type Store } from "../../store/index.js";
import { openDirectory } from "../../store/sqlite/directory.js";

/**
 * Gap between the newest known revision of a lost store and the first one of the store that replaces it. Clients may have
 * seen revisions that are newer; these must not be reused. A watch from one of them gets 410 (Expired) and an update with
 * one of them gets 409 (Conflict).
 */
export const revisionGap = 1_000_000_000;

/** Approximate bytes written in one commit. */
const batchBytes = 4 * 2 ** 20;

/** Writes entries in large commits; the next one is assembled while one is written. */
export class EntryWriter {
  readonly #store: Store;
  #batch: Put[] = [];
  #bytes = 0;
  #entries = 0;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(store: Store) {
    this.#store = store;
  }

  /** Creates a store in an empty folder that begins at a revision. */
  static async create(directory: string, revision: number, clock: Clock): Promise<EntryWriter> {
    openDirectory(directory, { beginning: { revision, time: clock.now() } }).release();
    return new EntryWriter(await openSqliteStore(directory));
  }

  /** Returns the number of entries so far after a commit, else undefined. */
  async add(put: Put): Promise<number | undefined> {
    this.#batch.push(put);
    this.#bytes += put.value.length;
    this.#entries++;
    if (this.#batch.length < maxMutations && this.#bytes < batchBytes) return undefined;
    await this.#flush();
    return this.#entries;
  }

  /** Writes the rest and compacts, so that history starts with the restored entries. */
  async finish(): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#store.compact((await this.#store.status()).revision);
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#store.close();
  }

  async #flush(): Promise<void> {
    await this.#writing;
    if (this.#batch.length === 0) return;
    this.#writing = this.#store.commit(this.#batch);
    // The error is thrown where it is awaited next.
    this.#writing.catch(() => {});
    this.#batch = [];
    this.#bytes = 0;
  }
}
