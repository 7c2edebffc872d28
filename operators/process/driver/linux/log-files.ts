import { closeSync, openSync, readSync, fstatSync } from "node:fs";
import { join } from "node:path";
import type { LogLine } from "../driver.js";
import { namesIn } from "./attempt-folder.js";
import { errorCode } from "./identity.js";

/** Place in the log of an attempt. */
export interface LogPosition {
  /** Number of the file. */
  readonly number: number;
  readonly offset: number;
}

const blockSize = 64 * 1024;
const lineFeed = 10;
/** `2026-01-02T03:04:05.678901Z stdout F `: all parts have a fixed length. */
const layout = { time: 27, stream: 28, flag: 35, text: 37 } as const;

/** Parses an entry (`shim/log.pl`); undefined if it is not one. */
function parseEntry(entry: Buffer): LogLine | undefined {
  if (entry.length < layout.text) return undefined;
  const time = Date.parse(entry.toString("latin1", 0, layout.time));
  const stream = entry.toString("latin1", layout.stream, layout.flag - 1);
  if (Number.isNaN(time) || (stream !== "stdout" && stream !== "stderr")) return undefined;
  return { time, stream, text: entry.subarray(layout.text), partial: isPartial(entry) };
}

function isPartial(entry: Buffer): boolean {
  return entry[layout.flag] === "P".charCodeAt(0);
}

/** Numbers of the files of a log, oldest first. */
function logNumbers(folder: string): number[] {
  return namesIn(folder)
    .filter((name) => /^log\.\d+$/.test(name))
    .map((name) => Number(name.slice("log.".length)))
    .toSorted((one, other) => one - other);
}

/** Reads a log from a position on, file after file, as far as it was written. */
export class LogReader implements Disposable {
  readonly #folder: string;
  readonly #block = Buffer.allocUnsafe(blockSize);
  #number: number;
  #offset: number;
  #descriptor: number | undefined;
  #missedFiles = false;

  constructor(folder: string, { number, offset }: LogPosition = { number: 0, offset: 0 }) {
    this.#folder = folder;
    this.#number = number;
    this.#offset = offset;
  }

  /** Returns the next entries; none at the present end. */
  read(): LogLine[] {
    for (;;) {
      const isOpen = this.#descriptor !== undefined || this.#open();
      if (!isOpen && !this.#next()) return [];
      const lines = this.#readBlock();
      if (lines.length > 0) return lines;
      // The shim does not write to a file after it has begun the next one. So if there is a next one, the present one is complete, and
      // is read to its end before going on.
      if (!logNumbers(this.#folder).some((number) => number > this.#number)) return [];
      const last = this.#readBlock();
      if (last.length > 0) return last;
      if (!this.#next()) return [];
    }
  }

  /** Reports once that files were deleted by rotation before the last lines that were read. */
  takeGap(): boolean {
    const missed = this.#missedFiles;
    this.#missedFiles = false;
    return missed;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): boolean {
    if (this.#number === 0) return false;
    this.#descriptor = openLog(this.#folder, this.#number);
    return this.#descriptor !== undefined;
  }

  /** Goes to the next file that still exists. */
  #next(): boolean {
    for (const number of logNumbers(this.#folder)) {
      if (number <= this.#number) continue;
      this[Symbol.dispose]();
      this.#missedFiles ||= this.#number !== 0 && number > this.#number + 1;
      this.#number = number;
      this.#offset = 0;
      if (this.#open()) return true;
    }
    return false;
  }

  /** Entries that are complete. The rest is read again: the shim may cut it off if the disk is full. */
  #readBlock(): LogLine[] {
    if (this.#descriptor === undefined) return [];
    const count = readSync(this.#descriptor, this.#block, 0, blockSize, this.#offset);
    const bytes = Buffer.from(this.#block.subarray(0, count));
    const lines: LogLine[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      const line = parseEntry(bytes.subarray(start, end));
      if (line) lines.push(line);
      start = end + 1;
    }
    this.#offset += start;
    return lines;
  }
}

function openLog(folder: string, number: number): number | undefined {
  try {
    return openSync(join(folder, `log.${number}`), "r");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Position from which so many lines follow; pieces of a line count as one. */
export function tailPosition(folder: string, count: number): LogPosition {
  let missing = count;
  const numbers = logNumbers(folder);
  for (const number of numbers.toReversed()) {
    const descriptor = openLog(folder, number);
    // Deleted by rotation since it was listed: the lines before are gone.
    if (descriptor === undefined) break;
    try {
      for (const { end, partial } of entriesBackwards(descriptor)) {
        if (!partial && missing-- === 0) return { number, offset: end };
      }
    } finally {
      closeSync(descriptor);
    }
  }
  return { number: numbers[0] ?? 0, offset: 0 };
}

/** File in which the first entry of a time can be. */
export function positionSince(folder: string, since: number): LogPosition {
  let found = 0;
  for (const number of logNumbers(folder)) {
    using reader = new LogReader(folder, { number, offset: 0 });
    const [first] = reader.read();
    if (found !== 0 && (!first || first.time >= since)) break;
    found = number;
  }
  return { number: found, offset: 0 };
}

/** Entries of a file, last one first. */
function* entriesBackwards(
  descriptor: number,
): Generator<{ readonly end: number; readonly partial: boolean }> {
  let end = fstatSync(descriptor).size;
  /** Beginning of an entry whose start is in the block before. */
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  while (end > 0) {
    const start = Math.max(0, end - blockSize);
    const block = Buffer.alloc(end - start);
    readSync(descriptor, block, 0, block.length, start);
    let bytes: Buffer = Buffer.concat([block, rest]);
    // The last entry may not be complete yet.
    if (isFirst) bytes = bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1);
    isFirst = bytes.length === 0;
    let stop = bytes.length;
    while (stop > 1) {
      const before = bytes.lastIndexOf(lineFeed, stop - 2);
      if (before < 0 && start > 0) break;
      yield { end: start + stop, partial: isPartial(bytes.subarray(before + 1, stop)) };
      stop = before + 1;
    }
    rest = bytes.subarray(0, stop);
    end = start;
  }
}
