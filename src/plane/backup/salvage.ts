import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemClock, type Clock } from "../../model/core.js";
import { StoreUnusable } from "../../store/index.js";
import { lockDirectory } from "../../store/sqlite/directory.js";
import { isComplete, type SalvagePlan } from "../../store/sqlite/salvage/plan.js";
import { salvagedEntries, salvageSteps, type SalvageProgress } from "../../store/sqlite/salvage/salvage.js";
import { storeFolder } from "./data-folder.js";
import { drain } from "./drain.js";
import { EntryWriter, revisionGap } from "./entry-writer.js";
import { createFolder, RestoreRefused } from "./restore.js";

export interface SalvageOptions {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SalvageProgress) => void) | undefined;
}

/** Result of a salvage: entries that were kept, and those that were lost. */
export interface SalvageSummary extends Omit<SalvagePlan, "kept"> {
  /** Number of objects that were kept. */
  readonly entries: number;
  /** Everything that was committed was kept. */
  readonly isComplete: boolean;
}

/** Name of the file in the new folder that lists what is lost. */
export const salvageReport = "salvage.json";

/**
 * Writes what a damaged data folder still proves to a new one: the newest version of every object whose checksum is right.
 * Other files (tokens, certificates, records of runs) are copied as they are. Revisions continue far after those that were
 * used. The damaged folder is not changed.
 *
 * @throws {RestoreRefused} when the new folder is not empty, or nothing can be proven.
 *
 * @example
 * const { entries, lost } = await salvage(".fettle", "salvaged");
 */
export async function salvage(
  damaged: string,
  target: string,
  options: SalvageOptions = {},
): Promise<SalvageSummary> {
  const source = storeFolder(damaged);
  const data = resolve(target);
  if (!existsSync(source))
    throw new RestoreRefused(`${damaged} is not a data folder: ${source} does not exist`);
  if (existsSync(data) && (await readdir(data)).length > 0)
    throw new RestoreRefused(`${data} is not empty; choose another folder`);
  const lock = tryLock(source);
  let createdFolder: string | undefined;
  let temporary: string | undefined;
  try {
    const plan = await drain(salvageSteps(source), options);
    if (plan.kept.length === 0 && plan.revision === 0)
      throw new RestoreRefused(`nothing in ${source} can be proven; restore a backup`);
    createdFolder = await createFolder(data);
    temporary = await mkdtemp(join(data, "store.salvaging-"));
    await fill(temporary, source, plan, options);
    if (source !== resolve(damaged)) await copyOthers(resolve(damaged), data);
    const salvaged = summarize(plan);
    await writeFile(join(data, salvageReport), `${JSON.stringify(salvaged, undefined, 2)}\n`, {
      mode: 0o600,
    });
    await rename(temporary, join(data, "store"));
    return salvaged;
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
    if (createdFolder !== undefined) await rm(createdFolder, { recursive: true, force: true });
    throw error;
  } finally {
    lock?.release();
  }
}

/** A damaged disk is often mounted read-only, and nobody can write to it then. */
function tryLock(folder: string): { release(): void } | undefined {
  try {
    return lockDirectory(folder);
  } catch (error) {
    if (error instanceof StoreUnusable) return undefined;
    throw error;
  }
}

export function summarize(plan: SalvagePlan): SalvageSummary {
  const { kept, ...rest } = plan;
  return { entries: kept.length, isComplete: isComplete(plan), ...rest };
}

async function fill(
  folder: string,
  source: string,
  plan: SalvagePlan,
  { clock = systemClock, signal }: SalvageOptions,
): Promise<void> {
  const writer = await EntryWriter.create(folder, plan.revision + revisionGap, clock);
  try {
    for (const { key, value, expires } of salvagedEntries(source, plan)) {
      signal?.throwIfAborted();
      const ttl = expires === undefined ? undefined : Math.max(1, expires - clock.now());
      await writer.add({ type: "put", key, value, ttl });
    }
    await writer.finish();
  } finally {
    await writer.close();
  }
}

/** Copies what is not a store: tokens, certificates, records of runs. */
async function copyOthers(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (name === "store" || name.startsWith("store.")) continue;
    await cp(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
  }
}
