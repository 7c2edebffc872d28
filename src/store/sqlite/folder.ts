import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreUnusable } from "../errors.js";

/**
 * Creates a folder that only its owner may enter, with its parents, and checks that files can be written there. Leaves
 * the permissions of an existing folder.
 *
 * @throws {StoreUnusable}
 */
export function ensureFolder(path: string): void {
  try {
    // Node says ENOENT when a folder cannot be created on a read-only file system; asking for access tells.
    checkAccess(nearestExisting(path), constants.W_OK | constants.X_OK);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    checkAccess(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // What is wrong with the folder above is wrong with this one.
    if (code === "EROFS" || code === "EACCES") throw unusable(path, Object.assign(error as Error, { path }));
    throw unusable(path, error);
  }
}

/**
 * Refuses a data folder that everybody may change, and returns a warning about one that other users may read or change. A group
 * may: volumes of containers are often shared with one.
 *
 * @throws {StoreUnusable}
 */
export function checkPrivacy(path: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const { mode } = statSync(path);
  const wayOut = `run: chmod 700 ${path}`;
  if (mode & 0o002)
    throw new StoreUnusable(`${path} can be changed by every user of this machine; ${wayOut}`);
  if (mode & 0o077) return `${path} can be read by other users of this machine; ${wayOut}`;
  return undefined;
}

function nearestExisting(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? path : nearestExisting(parent);
}

function checkAccess(path: string, mode: number): void {
  if (!statSync(path).isDirectory()) throw Object.assign(new Error("not a folder"), { code: "EEXIST", path });
  accessSync(path, mode);
}

/** Error of the file system about a data folder as one that says what to do; other errors stay as they are. */
export function unusable(folder: string, error: unknown): unknown {
  const { code = "", path = folder } = error as NodeJS.ErrnoException;
  const reason = reasons.get(code);
  if (reason === undefined) return error;
  const where = path === folder ? folder : `${folder} cannot be used: ${path}`;
  return new StoreUnusable(`${where} ${reason} choose another data folder`, { cause: error });
}

const change = "change its owner or mode, or";

const reasons = new Map([
  ["EEXIST", "is a file, not a folder;"],
  ["ENOTDIR", "is below a file, not a folder;"],
  ["EACCES", `may not be read and written by this user (permission denied); ${change}`],
  ["EPERM", `may not be read and written by this user (operation not permitted); ${change}`],
  ["EROFS", "is on a read-only file system; mount it for writing, or"],
  ["ENOSPC", "is on a full disk; free some space, or"],
  ["EDQUOT", "exceeds the disk quota of this user; free some space, or"],
  ["ENAMETOOLONG", "is too long a path;"],
  ["ELOOP", "has a symbolic link that leads to itself;"],
  ["EISDIR", "is a folder, not a file;"],
]);
