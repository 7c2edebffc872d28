import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "../../model/core.js";
import {
  maxChanges,
  openSqliteStore,
  StoreDamaged,
  StoreForeign,
  type Put,
  type Store,
} from "../../store/index.js";
import { openDirectory } from "../../store/sqlite/directory.js";
import { beginAtRevision } from "../../store/sqlite/begin-at-revision.js";
import type { Header } from "./format.js";
import { readBackup } from "./read-backup.js";

export interface RestoreOptions {
  /** Also into a folder that has something in it: a store there is moved aside, the rest stays. */
  readonly force?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?:
    | ((progress: { readonly entries: number; readonly count: number }) => void)
    | undefined;
}

/** What was restored. */
export interface Restored {
  readonly entries: number;
  /** Of the backup: when it was made, and at which revision. */
  readonly time: string;
  readonly revision: number;
  /** Where a store that was there before is now. */
  readonly replaced?: string | undefined;
}

/** The folder is not one to restore into. Nothing was changed. */
export class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

/**
 * How far revisions jump. The clients of the lost store may have seen revisions that the backup does not have, and those
 * numbers must not come again with another meaning: in a store that starts behind all of them, a watch from one of them
 * is told that it is too old (410) and lists anew, and an update of a version that is lost conflicts.
 */
const jump = 1_000_000_000;

/** About how much is written in one commit. */
const batchBytes = 4 * 2 ** 20;

/**
 * Makes the data folder of a control plane from a backup. All entries get new revisions, greater than any that the store
 * the backup is of can have reached. It is written aside and moved to its place when all of it has been read and its
 * checksum is right, so a folder has all of a backup or nothing of it.
 *
 * Only what the store has is in a backup: the tokens and certificates of a data folder are not, and are made anew.
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
  const made = await mkdir(data, { recursive: true });
  let lock: { release(): void } | undefined;
  let aside: string | undefined;
  try {
    if (!force && (await readdir(data)).length > 0) {
      throw new RestoreRefused(
        `${data} is not empty; choose another folder, or use force (--force): then the store in it is moved aside`,
      );
    }
    if (existsSync(join(target, "store.db"))) lock = lockOf(target);
    aside = await mkdtemp(join(data, "store.restoring-"));
    const restored = await fill(aside, stream, options);
    let replaced: string | undefined;
    if (existsSync(target)) {
      replaced = join(data, `store.replaced-${new Date(clock.now()).toISOString().replaceAll(":", "-")}`);
      await rename(target, replaced);
    }
    await rename(aside, target);
    await sync(data);
    return { ...restored, replaced };
  } catch (error) {
    if (aside !== undefined) await rm(aside, { recursive: true, force: true });
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.release();
  }
}

/** Keeps others out of the store that is replaced; one that cannot be opened may be why somebody restores a backup. */
function lockOf(directory: string): { release(): void } | undefined {
  try {
    return openDirectory(directory);
  } catch (error) {
    if (error instanceof StoreDamaged || error instanceof StoreForeign) return undefined;
    throw error;
  }
}

async function fill(
  directory: string,
  stream: AsyncIterable<Uint8Array | string>,
  { clock = systemClock, signal, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  let header: Header | undefined;
  let filling: Filling | undefined;
  try {
    for await (const part of readBackup(stream)) {
      signal?.throwIfAborted();
      if (part.type === "header") {
        ({ header } = part);
        await filling?.close();
        await rm(directory, { recursive: true });
        await mkdir(directory, { mode: 0o700 });
        beginAtRevision(directory, header.revision + jump, clock.now());
        filling = new Filling(await openSqliteStore(directory));
      } else if (part.type === "entry") {
        const { key, value, expires } = part;
        // What would have gone in the meantime goes at once, as it should.
        const ttl = expires === undefined ? undefined : Math.max(1, expires - clock.now());
        const entries = await filling?.add({ type: "put", key, value, ttl });
        if (entries !== undefined) onProgress({ entries, count: header?.count ?? 0 });
      } else await filling?.finish();
    }
  } finally {
    await filling?.close();
  }
  const { count = 0, time = "", revision = 0 } = header ?? {};
  return { entries: count, time, revision };
}

/** Writes entries in large commits: one is written while the next is put together. */
class Filling {
  readonly #store: Store;
  #batch: Put[] = [];
  #bytes = 0;
  #entries = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** How many have been handed over, whenever there is something new to tell. */
  async add(put: Put): Promise<number | undefined> {
    this.#batch.push(put);
    this.#bytes += put.value.length;
    this.#entries++;
    if (this.#batch.length < maxChanges && this.#bytes < batchBytes) return undefined;
    await this.#flush();
    return this.#entries;
  }

  /** Makes all of it the beginning of history. */
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
    // Whoever waits for it next is told.
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
