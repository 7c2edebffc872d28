import { createHash, type Hash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { systemClock, type Clock } from "../../model/core.js";
import { Compacted, type Entry, type Store } from "../../store/index.js";
import { backupFormat, type End, type EntryLine, type Header } from "./format.js";

export interface BackupOptions {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Is told how far it is, page by page. */
  readonly onProgress?:
    | ((progress: { readonly entries: number; readonly count: number }) => void)
    | undefined;
}

/** How much is read at a time, about. */
const pageBytes = 2 ** 20;
const pageEntries = { first: 100, most: 1000 };

/** How often it begins anew when the store forgets the revision that is being read. */
const mostAttempts = 5;

/** Fast, and not much larger than at the default: most of a backup is repetition. */
const compression = { level: 3 };

/**
 * Everything in a store as it was at one moment, while writes go on: gzip, in the form that `restore()` reads. It is read
 * from the store only as fast as it is taken.
 *
 * @example
 * await pipeline(backup(store), createWriteStream("fettle.backup.gz"));
 */
export async function* backup(
  store: Store,
  options: BackupOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip(compression);
  // The error of one end is that of the other: who reads the last is told of it.
  pipeline(Readable.from(snapshots(store, options), { objectMode: false }), gzip, () => {});
  for await (const chunk of gzip) yield chunk as Uint8Array;
}

async function* snapshots(store: Store, options: BackupOptions): AsyncGenerator<Uint8Array, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      yield* snapshot(store, options);
      return;
    } catch (error) {
      if (!(error instanceof Compacted) || attempt === mostAttempts) throw error;
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
  let bytes = 0;
  let after: string | undefined;
  for (let limit = pageEntries.first; ;) {
    signal?.throwIfAborted();
    const page = await store.range({ prefix: "", revision, after, limit });
    if (page.entries.length > 0) yield hashed(hash, Buffer.concat(page.entries.flatMap(written)));
    entries += page.entries.length;
    for (const { value } of page.entries) bytes += value.length;
    onProgress({ entries, count });
    if (!page.more) break;
    after = page.entries.at(-1)?.key;
    limit = Math.max(10, Math.min(pageEntries.most, Math.floor((pageBytes * entries) / Math.max(1, bytes))));
  }
  yield line({ end: true, entries, sha256: hash.digest("hex") });
}

function written({ key, value, expires }: Entry): Uint8Array[] {
  return [line({ key, bytes: value.length, ...(expires !== undefined && { expires }) }), value, newline];
}

const newline = Buffer.from("\n");

function line(content: Header | EntryLine | End): Buffer {
  return Buffer.from(`${JSON.stringify(content)}\n`);
}

function hashed(hash: Hash, bytes: Buffer): Buffer {
  hash.update(bytes);
  return bytes;
}
