import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "../../model/core.js";
import { maxMutations, openSqliteStore, type Put, type Store } from "../../store/index.js";
import { lockDirectory, openDirectory } from "../../store/sqlite/directory.js";
import type { Header } from "./format.js";
import { readBackup } from "./read-backup.js";

export interface RestoreOptions {
  /** Restores into a folder that is not empty: its store is renamed, other files stay. */
  readonly force?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?:
    | ((progress: { readonly entries: number; readonly count: number }) => void)
    | undefined;
}

/** Result of a restore. */
export interface Restored {
  readonly entries: number;
  /** Time of the backup. */
  readonly time: string;
  /** Revision of the backup. */
  readonly revision: number;
  /** New path of the store that was replaced. */
  readonly replaced?: string | undefined;
}

/** The folder cannot be restored into. Nothing was changed. */
export class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

/**
 * Gap between the revision of the backup and the first one of the restored store. Clients may have seen revisions of the lost
 * store that are newer than the backup; these must not be reused. A watch from one of them gets 410 (Expired) and an update
 * with one of them gets 409 (Conflict).
 */
const revisionGap = 1_000_000_000;

/** Approximate bytes written in one commit. */
const batchBytes = 4 * 2 ** 20;

/**
 * Creates the data folder of a control plane from a backup. All entries get new revisions, greater than any that the
 * original store can have reached. The store is written to a temporary folder and renamed after the checksum has been
 * verified, so a folder has either all of a backup or nothing.
 *
 * A backup has the store only. Tokens and certificates of the data folder are not in it; new ones are created.
 *
 * @throws {BackupDamaged} @throws {RestoreRefused} @throws {StoreInUse}
 *
 * @example
 * await restore(createReadStream("fettle.backup.gz"), ".fettle");
 */
export async function restore(
  stream: AsyncIterable<Uint8Array | string>,
  directory: string,
  options: RestoreOptions = {},
): Promise<Restored> {
  const { clock = systemClock, force = false } = options;
  const data = resolve(directory);
  const target = join(data, "store");
  const createdFolder = await mkdir(data, { recursive: true });
  let lock: { release(): void } | undefined;
  let temporary: string | undefined;
  try {
    if (!force && (await readdir(data)).length > 0) {
      throw new RestoreRefused(
        `${data} is not empty; choose another folder, or use force (--force), which renames the store in it`,
      );
    }
    if (existsSync(target)) lock = lockDirectory(target);
    temporary = await mkdtemp(join(data, "store.restoring-"));
    const restored = await fill(temporary, stream, options);
    let replaced: string | undefined;
    if (existsSync(target)) {
      replaced = join(data, `store.replaced-${new Date(clock.now()).toISOString().replaceAll(":", "-")}`);
      await rename(target, replaced);
    }
    await rename(temporary, target);
    await sync(data);
    return { ...restored, replaced };
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    if (createdFolder !== undefined) await rm(createdFolder, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.release();
  }
}

async function fill(
  directory: string,
  stream: AsyncIterable<Uint8Array | string>,
  { clock = systemClock, signal, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  let header: Header | undefined;
  let writer: EntryWriter | undefined;
  try {
    for await (const part of readBackup(stream)) {
      signal?.throwIfAborted();
      if (part.type === "header") {
        ({ header } = part);
        await writer?.close();
        await rm(directory, { recursive: true });
        await mkdir(directory, { mode: 0o700 });
        const beginning = { revision: header.revision + revisionGap, time: clock.now() };
        openDirectory(directory, { beginning }).release();
        writer = new EntryWriter(await openSqliteStore(directory));
      } else if (part.type === "entry") {
        const { key, value, expires } = part;
        // Entries that have expired in the meantime expire at once.
        const ttl = expires === undefined ? undefined : Math.max(1, expires - clock.now());
        const entries = await writer?.add({ type: "put", key, value, ttl });
        if (entries !== undefined) onProgress({ entries, count: header?.count ?? 0 });
      } else await writer?.finish();
    }
  } finally {
    await writer?.close();
  }
  const { count = 0, time = "", revision = 0 } = header ?? {};
  return { entries: count, time, revision };
}

/** Writes entries in large commits; the next one is assembled while one is written. */
class EntryWriter {
  readonly #store: Store;
  #batch: Put[] = [];
  #bytes = 0;
  #entries = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
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

async function sync(directory: string): Promise<void> {
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
