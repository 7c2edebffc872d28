import { createReadStream, existsSync } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readBackup } from "../../../plane/backup/read-backup.js";

export interface SavedBackup {
  readonly entries: number;
  readonly revision: number;
  readonly bytes: number;
}

export interface SaveOptions {
  /** Replaces an existing file. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Writes a backup to a file that only its owner may read. The backup is written under a temporary name and renamed once
 * it has been read back and its checksum verified. An existing file stays until then, and is replaced only if `force`
 * is set.
 */
export async function saveBackup(
  stream: AsyncIterable<Uint8Array>,
  file: string,
  { force, signal, onProgress }: SaveOptions,
): Promise<SavedBackup> {
  // Others may make one of the same name at the same time.
  const part = `${file}.${process.pid}.part`;
  await removeAbandoned(file);
  try {
    const bytes = await write(stream, part, { signal, onProgress });
    let entries = 0;
    let revision = 0;
    for await (const found of readBackup(createReadStream(part))) {
      signal.throwIfAborted();
      if (found.type === "header") ({ revision } = found.header);
      else if (found.type === "end") ({ entries } = found);
    }
    if (!force && existsSync(file))
      throw new Error(`${file} was created by someone else meanwhile; replace it with --force`);
    await rename(part, file);
    return { entries, revision, bytes };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Removes what a backup of the same name left behind that was killed. */
async function removeAbandoned(file: string): Promise<void> {
  const start = `${basename(file)}.`;
  const names = await readdir(dirname(file));
  for (const name of names.filter((each) => each.startsWith(start) && each.endsWith(".part"))) {
    const pid = Number(name.slice(start.length, -".part".length));
    if (Number.isSafeInteger(pid) && !isRunning(pid)) await rm(join(dirname(file), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function write(
  stream: AsyncIterable<Uint8Array>,
  file: string,
  { signal, onProgress }: Omit<SaveOptions, "force">,
): Promise<number> {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      signal.throwIfAborted();
      // Open the file only when data arrives, so that an unreachable server leaves no file behind.
      handle ??= await open(file, "w", 0o600);
      for (let written = 0; written < chunk.length;) {
        written += (await handle.write(chunk, written)).bytesWritten;
      }
      bytes += chunk.length;
      onProgress(bytes);
    }
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  if (handle === undefined) throw new Error("the server sent an empty backup; try again");
  return bytes;
}
