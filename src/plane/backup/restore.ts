import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "../../model/core.js";
import { ensureFolder, unusable } from "../../store/sqlite/folder.js";
import { lockDirectory } from "../../store/sqlite/directory.js";
import { EntryWriter, revisionGap } from "./entry-writer.js";
import type { BackupHeader } from "./format.js";
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

/** The folder cannot be restored into or salvaged. Nothing was changed. */
export class RestoreRefused extends Error {
  override readonly name = "RestoreRefused";
}

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
  const createdFolder = await createFolder(data);
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

/** Creates a data folder and its parents; returns the highest that did not exist. @throws {StoreUnusable} */
export async function createFolder(data: string): Promise<string | undefined> {
  try {
    const created = await mkdir(data, { recursive: true, mode: 0o700 });
    ensureFolder(data);
    return created;
  } catch (error) {
    throw unusable(data, error);
  }
}

async function fill(
  directory: string,
  stream: AsyncIterable<Uint8Array | string>,
  { clock = systemClock, signal, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  let header: BackupHeader | undefined;
  let writer: EntryWriter | undefined;
  try {
    for await (const part of readBackup(stream)) {
      signal?.throwIfAborted();
      if (part.type === "header") {
        ({ header } = part);
        await writer?.close();
        await rm(directory, { recursive: true });
        await mkdir(directory, { mode: 0o700 });
        writer = await EntryWriter.create(directory, header.revision + revisionGap, clock);
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

async function sync(directory: string): Promise<void> {
  const folder = await open(directory, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
