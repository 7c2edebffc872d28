import { accessSync, constants, mkdirSync } from "node:fs";
import { StoreUnusable } from "../errors.js";

/**
 * Creates a folder that only its owner may enter, with its parents, and checks that files can be written there. Leaves
 * the permissions of an existing folder.
 *
 * @throws {StoreUnusable}
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Error of the file system as one that says what to do; other errors stay as they are. */
export function unusable(path: string, error: unknown): unknown {
  const reason = reasons.get((error as NodeJS.ErrnoException).code ?? "");
  return reason === undefined ? error : new StoreUnusable(`${path} ${reason}`, { cause: error });
}

const chooseAnother = "choose another data folder";

const reasons = new Map([
  ["EEXIST", `is a file, not a folder; ${chooseAnother}`],
  ["ENOTDIR", `cannot be created: a part of the path is a file, not a folder; ${chooseAnother}`],
  [
    "EACCES",
    `cannot be written by this user: permission denied; change its owner or mode, or ${chooseAnother}`,
  ],
  [
    "EPERM",
    `cannot be written by this user: operation not permitted; change its owner or mode, or ${chooseAnother}`,
  ],
  ["EROFS", `is on a read-only file system; mount it for writing, or ${chooseAnother}`],
  ["ENOSPC", `cannot be written: the disk is full; free some space, or ${chooseAnother}`],
  ["ENAMETOOLONG", `is too long a path; ${chooseAnother}`],
  ["ELOOP", `has a symbolic link that leads to itself; ${chooseAnother}`],
]);
