import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DriverError, type AttemptRecord, type DriverEntry } from "../driver.js";
import { failpoint } from "./failpoint.js";
import { errorCode, readIfExists } from "./identity.js";

/** Data of the driver about an attempt, beside that of the controller. */
export interface StoredRecord {
  /** Instance of the driver that created it. */
  readonly instance: string;
  readonly bootId: string;
  readonly record: AttemptRecord;
}

/** Files of a new attempt. */
export interface NewAttempt {
  readonly stored: StoredRecord;
  /** Absent if nothing is to be started. */
  readonly launch?: string | undefined;
  readonly state: Buffer;
}

/**
 * Folders and files of all attempts:
 *
 *     events, lock              of the driver
 *     UID/owner.json            namespace and name of the object
 *     UID/ATTEMPT/record.json   StoredRecord
 *     UID/ATTEMPT/launch        read and deleted by the shim, since it may have secrets
 *     UID/ATTEMPT/unclaimed     renamed to claim.PID.TICKS by the shim that starts the attempt, or by a driver that cancels it
 *     UID/ATTEMPT/state         written by the shim
 *     UID/ATTEMPT/control       named pipe to the shim
 *     UID/ATTEMPT/log.N         log
 *     UID/ATTEMPT/end.json      the end, if the driver noticed it because the shim could not
 *
 * Folders come and go by one rename, so that one that can be seen is complete. Names with a dot in front are not complete, or no
 * longer.
 */
export class AttemptFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  path(uid: string, attempt: number): string {
    return join(this.root, uid, String(attempt));
  }

  /** Creates the root. */
  prepare(): void {
    mkdirSync(this.root, { recursive: true, mode: 0o700 });
  }

  /** Removes what an earlier instance left unfinished. */
  removeUnfinished(): void {
    for (const name of readdirSync(this.root)) {
      if (name.startsWith(".")) rmSync(join(this.root, name), { recursive: true, force: true });
    }
  }

  uids(): string[] {
    const entries = readdirSync(this.root, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => name);
  }

  /** Numbers of the attempts of an object, ascending. */
  attempts(uid: string): number[] {
    return namesIn(join(this.root, uid))
      .filter((name) => /^[1-9]\d*$/.test(name))
      .map(Number)
      .toSorted((one, other) => one - other);
  }

  owner(uid: string): DriverEntry | undefined {
    const owner = readJson(join(this.root, uid, "owner.json")) as Omit<DriverEntry, "uid"> | undefined;
    return owner && { uid, namespace: owner.namespace, name: owner.name };
  }

  /** Creates an attempt; false if there is one already. */
  create(uid: string, attempt: number, { stored, launch, state }: NewAttempt): boolean {
    const temporary = this.#temporary("new");
    try {
      mkdirSync(temporary, { mode: 0o700 });
      const write = (name: string, content: string | Buffer): void =>
        writeFileSync(join(temporary, name), content, { mode: 0o600 });
      write("record.json", JSON.stringify(stored));
      write("state", state);
      if (launch !== undefined) {
        write("launch", launch);
        write("unclaimed", "");
      }
      failpoint("after-files");
      this.#createOwner(uid, stored.record);
      failpoint("after-owner");
      renameSync(temporary, this.path(uid, attempt));
      return true;
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      if (isTaken(error)) return false;
      throw driverError(error, "The attempt could not be recorded");
    }
  }

  /** Removes an attempt, or everything of an object. */
  remove(uid: string, attempt?: number): void {
    const temporary = this.#temporary("removed");
    const path = attempt === undefined ? join(this.root, uid) : this.path(uid, attempt);
    try {
      renameSync(path, temporary);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return;
      throw driverError(error, `${path} could not be removed`);
    }
    failpoint("after-remove-rename");
    rmSync(temporary, { recursive: true, force: true });
  }

  #createOwner(uid: string, { namespace, name }: AttemptRecord): void {
    if (this.owner(uid) !== undefined) return;
    const temporary = this.#temporary("new");
    try {
      mkdirSync(temporary, { mode: 0o700 });
      writeFileSync(join(temporary, "owner.json"), JSON.stringify({ namespace, name }), { mode: 0o600 });
      try {
        renameSync(temporary, join(this.root, uid));
      } catch (error) {
        if (!isTaken(error)) throw error;
        // The folder has attempts, and its file was lost.
        renameSync(join(temporary, "owner.json"), join(this.root, uid, "owner.json"));
      }
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }

  #temporary(purpose: string): string {
    return join(this.root, `.${purpose}-${randomBytes(8).toString("hex")}`);
  }
}

/** Names in a folder; none if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Content of a JSON file; undefined if it does not exist or is damaged, which a crash of the machine can do. */
export function readJson(path: string): unknown {
  const text = readIfExists(path);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Converts an error of a file operation. */
export function driverError(error: unknown, what: string): DriverError {
  const code = errorCode(error) ?? "";
  const cause = error instanceof Error ? error.message : String(error);
  if (["ENOSPC", "EDQUOT"].includes(code)) {
    return new DriverError("DiskFull", `${what}: no space left on the disk (${cause}); free some`, {
      cause: error,
    });
  }
  if (["EACCES", "EPERM", "EROFS"].includes(code)) {
    return new DriverError("NotPermitted", `${what}: ${cause}`, { cause: error });
  }
  return new DriverError("ShimFailed", `${what}: ${cause}`, { cause: error });
}

function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "");
}
