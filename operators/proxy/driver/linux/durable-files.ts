import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ProxyDriverError } from "../driver.js";
import { failpoint } from "./failpoint.js";

/** Prefix of names of files that are not complete, or no longer; whatever has it can be deleted. */
const unfinishedPrefix = ".fettle-";

export function unfinishedName(): string {
  return `${unfinishedPrefix}${randomBytes(8).toString("hex")}`;
}

export function isUnfinished(name: string): boolean {
  return name.startsWith(unfinishedPrefix);
}

/** Writes a new file and waits until the disk has it. */
export async function writeDurably(path: string, content: string, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until the disk has the names in a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Creates a folder for the owner only, or leaves an existing one as it is. */
export async function createFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Creates a symbolic link, or replaces a file by it in one step. */
export async function moveLink(path: string, target: string): Promise<void> {
  const folder = dirname(path);
  const unfinished = join(folder, unfinishedName());
  try {
    await symlink(target, unfinished);
    failpoint("link-created");
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  failpoint("link-moved");
  await syncFolder(folder);
}

/** Runs a step on the disk; its failures become a {@link ProxyDriverError} that says what could not be done. */
export async function onDisk<T>(purpose: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw diskError(purpose, error);
  }
}

function diskError(purpose: string, error: unknown): unknown {
  if (error instanceof ProxyDriverError) return error;
  const code = errorCode(error);
  const detail = error instanceof Error ? error.message : String(error);
  if (code === "ENOSPC" || code === "EDQUOT")
    return new ProxyDriverError("DiskFull", `${purpose}: the disk is full; free some space (${detail})`, {
      cause: error,
    });
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new ProxyDriverError(
      "NotPermitted",
      `${purpose}: not permitted; give the user of Fettle access (${detail})`,
      { cause: error },
    );
  return code === undefined
    ? error
    : new ProxyDriverError("Unreadable", `${purpose}: ${detail}`, { cause: error });
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Result of a read; undefined if there is no such file. */
export async function ifExists<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ESRCH"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
