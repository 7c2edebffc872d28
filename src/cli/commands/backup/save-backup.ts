import { createReadStream, existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { readBackup } from "../../../plane/backup/read-backup.js";

export interface SavedBackup {
  readonly entries: number;
  readonly revision: number;
  readonly bytes: number;
}

export interface SaveOptions {
  /** Whether a file of that name is replaced. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number) => void;
}

/**
 * Writes a backup to a file that only its owner may read. It gets its name when it is whole: it has been read again, and
 * its checksum is right. A file that was there before stays until then; unless `force` is set, it stays for good.
 */
export async function saveBackup(
  stream: AsyncIterable<Uint8Array>,
  file: string,
  { force, signal, onProgress }: SaveOptions,
): Promise<SavedBackup> {
  // Others may make one of the same name at the same time.
  const part = `${file}.${process.pid}.part`;
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
      // Not before something comes: a server that is not there leaves no file.
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
