import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const headerBytes = 32;
const frameHeaderBytes = 24;

/** First word of the file: the order of bytes in which checksums are computed. */
const magic = { littleEndian: 0x377f0682, bigEndian: 0x377f0683 };

const hostIsLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * Transactions that may be in the write-ahead log without a sync between them. Commits are synced; the steps of indexing
 * before one are not: two between commits, up to six while a store closes. When the power fails, pages of these may be on
 * disk in any combination.
 */
const maxUnsynced = 8;

/** Frame of a write-ahead log: one version of one page. */
interface WalFrame {
  readonly page: number;
  /** Pages of the database after this transaction; 0 unless the frame is the last of its transaction. */
  readonly databasePages: number;
  /** The frame belongs to this log and has the right checksum, given the one before it. */
  readonly isValid: boolean;
}

/** Content of a write-ahead log. */
export interface WalScan {
  /** All frames in the file; those after the end of the log are from before it was last restarted. */
  readonly frames: readonly WalFrame[];
  /** Frames that SQLite will use: up to the last commit before the first invalid frame. */
  readonly committed: number;
  /** Pages of the database after the last commit; 0 without one. */
  readonly databasePages: number;
  /** Pages that SQLite will read from this log, with the index of their frame. */
  readonly pages: ReadonlyMap<number, number>;
  /** First invalid frame, if so many transactions after it are valid that it cannot be the start of a torn tail. */
  readonly damage: { readonly firstInvalid: number; readonly transactionsAfter: number } | undefined;
}

const empty: WalScan = { frames: [], committed: 0, databasePages: 0, pages: new Map(), damage: undefined };

/**
 * Reads a write-ahead log as SQLite will when it opens the database, and beyond: SQLite stops at the first invalid frame,
 * which is right at the torn end of a log after a crash and loses commits when it is in the middle.
 *
 * A crash leaves at most the transactions invalid that were not synced. So valid frames of many later transactions after
 * an invalid frame mean that it was valid once.
 */
export function scanWal(path: string, pageSize: number): WalScan {
  const file = openIfExists(path);
  if (file === undefined) return empty;
  try {
    const header = Buffer.alloc(headerBytes);
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return empty;
    const checksum = checksumOf(header);
    if (checksum === undefined || header.readUInt32BE(8) !== pageSize) return empty;
    return summarize(readFrames(file, header, checksum, pageSize));
  } finally {
    closeSync(file);
  }
}

/** Frames read at a time: few enough to stay in the cache of the processor. */
const framesPerRead = 16;

/** Calls `visit` with every page among the first `count` frames of a log, with its newest version. */
export function visitWalPages(
  path: string,
  count: number,
  pageSize: number,
  visit: (page: number, content: Buffer) => void,
): void {
  const frameBytes = frameHeaderBytes + pageSize;
  const seen = new Set<number>();
  const buffer = Buffer.alloc(framesPerRead * frameBytes);
  const file = openSync(path, "r");
  try {
    for (let end = count; end > 0; end -= framesPerRead) {
      const start = Math.max(0, end - framesPerRead);
      readSync(file, buffer, 0, (end - start) * frameBytes, frameOffset(start, pageSize));
      for (let offset = (end - start - 1) * frameBytes; offset >= 0; offset -= frameBytes) {
        const page = buffer.readUInt32BE(offset);
        if (seen.has(page)) continue;
        seen.add(page);
        visit(page, buffer.subarray(offset + frameHeaderBytes, offset + frameBytes));
      }
    }
  } finally {
    closeSync(file);
  }
}

/** Offset of the page of a frame. */
export function framePageOffset(frame: number, pageSize: number): number {
  return frameOffset(frame, pageSize) + frameHeaderBytes;
}

function frameOffset(frame: number, pageSize: number): number {
  return headerBytes + frame * (frameHeaderBytes + pageSize);
}

function openIfExists(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

type Checksum = (bytes: Buffer, start: number, end: number, seed: Sum) => Sum;
type Sum = readonly [number, number];

/** Checksum function of the log; undefined when its header is invalid. */
function checksumOf(header: Buffer): Checksum | undefined {
  const first = header.readUInt32BE(0);
  if (first !== magic.littleEndian && first !== magic.bigEndian) return undefined;
  const checksum = first === magic.littleEndian ? checksumLittleEndian : checksumBigEndian;
  const [one, two] = checksum(header, 0, 24, [0, 0]);
  return one === header.readUInt32BE(24) && two === header.readUInt32BE(28) ? checksum : undefined;
}

function checksumLittleEndian(bytes: Buffer, start: number, end: number, [first, second]: Sum): Sum {
  let [one, two] = [first | 0, second | 0];
  if (hostIsLittleEndian && (bytes.byteOffset + start) % 4 === 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + start, (end - start) / 4);
    for (let at = 0; at < words.length; at += 2) {
      one = (one + (words[at] ?? 0) + two) | 0;
      two = (two + (words[at + 1] ?? 0) + one) | 0;
    }
  } else {
    for (let at = start; at < end; at += 8) {
      one = (one + bytes.readInt32LE(at) + two) | 0;
      two = (two + bytes.readInt32LE(at + 4) + one) | 0;
    }
  }
  return [one >>> 0, two >>> 0];
}

function checksumBigEndian(bytes: Buffer, start: number, end: number, [first, second]: Sum): Sum {
  let [one, two] = [first | 0, second | 0];
  for (let at = start; at < end; at += 8) {
    one = (one + bytes.readInt32BE(at) + two) | 0;
    two = (two + bytes.readInt32BE(at + 4) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

function readFrames(file: number, header: Buffer, checksum: Checksum, pageSize: number): WalFrame[] {
  const frameBytes = frameHeaderBytes + pageSize;
  const count = Math.floor((fstatSync(file).size - headerBytes) / frameBytes);
  const frames: WalFrame[] = [];
  const frame = Buffer.from(new ArrayBuffer(frameBytes));
  let before: Sum = [header.readUInt32BE(24), header.readUInt32BE(28)];
  for (let index = 0; index < count; index++) {
    readSync(file, frame, 0, frameBytes, frameOffset(index, pageSize));
    const stored: Sum = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    const page = frame.readUInt32BE(0);
    let isValid = page !== 0 && frame.compare(header, 16, 24, 8, 16) === 0;
    if (isValid) {
      const [one, two] = checksum(frame, frameHeaderBytes, frameBytes, checksum(frame, 0, 8, before));
      isValid = one === stored[0] && two === stored[1];
    }
    frames.push({ page, databasePages: frame.readUInt32BE(4), isValid });
    before = stored;
  }
  return frames;
}

function summarize(frames: readonly WalFrame[]): WalScan {
  const invalid = frames.findIndex(({ isValid }) => !isValid);
  const firstInvalid = invalid < 0 ? frames.length : invalid;
  const isEnd = ({ isValid, databasePages }: WalFrame): boolean => isValid && databasePages > 0;
  const committed = frames.slice(0, firstInvalid).findLastIndex(isEnd) + 1;
  const transactionsAfter = frames.slice(firstInvalid).filter(isEnd).length;
  const pages = new Map<number, number>();
  for (const [index, { page }] of frames.slice(0, committed).entries()) pages.set(page, index);
  return {
    frames,
    committed,
    databasePages: frames[committed - 1]?.databasePages ?? 0,
    pages,
    damage: transactionsAfter > maxUnsynced ? { firstInvalid, transactionsAfter } : undefined,
  };
}
