import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { backupFormat, BackupDamaged, type End, type EntryLine, type BackupHeader } from "./format.js";
import { ByteReader } from "./byte-reader.js";

/** Parts of a backup in the order in which they are read; another header discards everything before it. */
export type BackupPart =
  | { readonly type: "header"; readonly header: BackupHeader }
  | {
      readonly type: "entry";
      readonly key: string;
      readonly value: Uint8Array;
      readonly expires: number | undefined;
    }
  | { readonly type: "end"; readonly entries: number };

const remedy = "take another backup, or copy this one again";

/**
 * Reads a backup. Parts may be damaged until the end has been read, since only then the checksum is verified.
 *
 * @throws {BackupDamaged}
 */
export async function* readBackup(
  stream: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<BackupPart, void, undefined> {
  const gunzip = createGunzip();
  pipeline(Readable.from(bytesOf(stream), { objectMode: false }), gunzip, () => {});
  const reader = new ByteReader(translated(gunzip));
  let hash = createHash("sha256");
  let header: BackupHeader | undefined;
  let entries = 0;
  for (;;) {
    const read = await reader.line();
    if (read === undefined) throw new BackupDamaged(`the backup is incomplete; ${remedy}`);
    const content = parse(read);
    if (header === undefined && !isHeader(content)) throw notABackup();
    if (isHeader(content)) {
      if (content.format > backupFormat) throw newerFormat(content.format);
      header = content;
      hash = createHash("sha256").update(read);
      entries = 0;
      yield { type: "header", header };
    } else if (isEntry(content)) {
      const value = await reader.bytes(content.bytes + 1);
      if (value === undefined) throw new BackupDamaged(`the backup is incomplete; ${remedy}`);
      hash.update(read).update(value);
      entries++;
      yield {
        type: "entry",
        key: content.key,
        value: value.subarray(0, content.bytes),
        expires: content.expires,
      };
    } else {
      const { sha256, entries: count } = content as End;
      if (
        content.end !== true ||
        sha256 !== hash.digest("hex") ||
        count !== entries ||
        header?.count !== entries
      ) {
        throw new BackupDamaged(`the backup is damaged: its checksum does not match; ${remedy}`);
      }
      if ((await reader.line()) !== undefined) {
        throw new BackupDamaged(`the backup is damaged: there is data after its end; ${remedy}`);
      }
      yield { type: "end", entries };
      return;
    }
  }
}

async function* bytesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** Translates errors of zlib. */
async function* translated(gunzip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* gunzip;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === "Z_BUF_ERROR") throw new BackupDamaged(`the backup is incomplete; ${remedy}`);
    if (code !== "Z_DATA_ERROR") throw error;
    const { message } = error as Error;
    if (message === "incorrect header check") throw notABackup();
    throw new BackupDamaged(`the backup is damaged (${message}); ${remedy}`, { cause: error });
  }
}

function notABackup(): BackupDamaged {
  return new BackupDamaged("not a Fettle backup; choose a file that fettle backup created");
}

function newerFormat(format: number): BackupDamaged {
  return new BackupDamaged(
    `the backup has format ${format} of a newer Fettle, and this one reads formats up to ${backupFormat}; upgrade Fettle`,
  );
}

function parse(line: Uint8Array): Partial<BackupHeader & EntryLine & End> {
  try {
    const content: unknown = JSON.parse(Buffer.from(line).toString());
    if (typeof content === "object" && content !== null) return content;
  } catch {
    // Reported below.
  }
  throw new BackupDamaged(`the backup is damaged: a line is not JSON; ${remedy}`);
}

function isHeader(content: Partial<BackupHeader>): content is BackupHeader {
  return content.fettle === "backup" && [content.format, content.revision, content.count].every(isCount);
}

function isEntry(content: Partial<EntryLine>): content is EntryLine {
  return typeof content.key === "string" && isCount(content.bytes);
}

function isCount(value: number | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
