import { createHash, type Hash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { systemClock, type Clock } from "../../model/core.js";
import { Compacted, type Entry, type Store } from "../../store/index.js";
import { backupFormat, type End, type EntryLine, type BackupHeader } from "./format.js";

export interface BackupOptions {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page. */
  readonly onProgress?:
    | ((progress: { readonly entries: number; readonly count: number }) => void)
    | undefined;
}

/** Approximate bytes read from the store at a time. */
const pageBytes = 2 ** 20;
const pageEntries = 100;

/** Attempts when the store compacts the revision that is being read. */
const maxAttempts = 5;

/** Faster than the default level, and not much larger since most of a backup is repetition. */
const compression = { level: 3 };

/**
 * Streams all entries of a store at one revision, as gzip that `restore()` reads. Writes go on in the meantime. The store is
 * read only as fast as the stream is consumed.
 *
 * @example
 * await pipeline(backup(store), createWriteStream("fettle.backup.gz"));
 */
export async function* backup(
  store: Store,
  options: BackupOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip(compression);
  // An error of either stream is thrown by the loop below.
  pipeline(Readable.from(snapshots(store, options), { objectMode: false }), gzip, () => {});
  for await (const chunk of gzip) yield chunk as Uint8Array;
}

async function* snapshots(store: Store, options: BackupOptions): AsyncGenerator<Uint8Array, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      yield* snapshot(store, options);
      return;
    } catch (error) {
      if (!(error instanceof Compacted) || attempt === maxAttempts) throw error;
    }
  }
}

async function* snapshot(store: Store, options: BackupOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const { clock = systemClock, signal, onProgress = () => {} } = options;
  const { revision } = await store.status();
  const { count } = await store.count({ prefix: "", revision });
  const time = new Date(clock.now()).toISOString();
  const hash = createHash("sha256");
  yield hashed(hash, line({ fettle: "backup", format: backupFormat, revision, time, count }));
  let entries = 0;
  let after: string | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const page = await store.range({ prefix: "", revision, after, limit: pageEntries, bytes: pageBytes });
    if (page.entries.length > 0) yield hashed(hash, Buffer.concat(page.entries.flatMap(encodeEntry)));
    entries += page.entries.length;
    onProgress({ entries, count });
    if (!page.more) break;
    after = page.entries.at(-1)?.key;
  }
  yield line({ end: true, entries, sha256: hash.digest("hex") });
}

function encodeEntry({ key, value, expires }: Entry): Uint8Array[] {
  return [line({ key, bytes: value.length, ...(expires !== undefined && { expires }) }), value, newline];
}

const newline = Buffer.from("\n");

function line(content: BackupHeader | EntryLine | End): Buffer {
  return Buffer.from(`${JSON.stringify(content)}\n`);
}

function hashed(hash: Hash, bytes: Buffer): Buffer {
  hash.update(bytes);
  return bytes;
}
