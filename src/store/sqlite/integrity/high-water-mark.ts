import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "./checksum.js";

/** Distance of the two slots of the file, a sector each: a write that is cut off leaves the other one whole. */
const slotBytes = 4096;

/** Length of a slot's text, padded with spaces. */
const textBytes = 256;

/** Minimum of what a store has, kept outside of its database. */
export interface HighWaterMark {
  /**
   * - `new`: the store is being created, nothing has been committed.
   * - `open`: the store has at least this revision. A crash leaves it so.
   * - `closed`: the store has exactly this revision, and nothing has been written since.
   */
  readonly state: "new" | "open" | "closed";
  readonly revision: number;
  /** Checksum of the log up to the revision. */
  readonly chain: number;
  /** Of a closed store: number of pages, and the checksum of their checksums. */
  readonly pages?: { readonly count: number; readonly digest: number } | undefined;
}

interface Slot extends HighWaterMark {
  /** Grows with every write; the slot with the greater one counts. */
  readonly sequence: number;
}

/** Mark of a store; `damaged` when neither slot can be read, `missing` without a file. */
export function readHighWaterMark(path: string): HighWaterMark | "damaged" | "missing" {
  return readSlot(path);
}

function readSlot(path: string): Slot | "damaged" | "missing" {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "missing";
    throw error;
  }
  const slots = [0, slotBytes].flatMap((offset) => decode(bytes.subarray(offset, offset + textBytes)) ?? []);
  return slots.toSorted((a, b) => b.sequence - a.sequence)[0] ?? "damaged";
}

/** File with the mark. Written after every commit and synced once in a while, so after a power failure it may trail. */
export class HighWaterFile {
  readonly #file: number;
  #sequence: number;
  #isSynced = true;

  private constructor(file: number, sequence: number) {
    this.#file = file;
    this.#sequence = sequence;
  }

  /** Opens the file; creates it if it does not exist. */
  static open(path: string): HighWaterFile {
    const slot = readSlot(path);
    if (slot === "missing") closeSync(openSync(path, "w", 0o600));
    return new HighWaterFile(openSync(path, "r+"), typeof slot === "string" ? 0 : slot.sequence);
  }

  write(mark: HighWaterMark): void {
    const sequence = this.#sequence + 1;
    const text = encode({ ...mark, sequence });
    writeSync(this.#file, text, 0, textBytes, (sequence % 2) * slotBytes);
    this.#sequence = sequence;
    this.#isSynced = false;
  }

  /** Writes a mark and syncs it, with the size of the file. */
  writeSynced(mark: HighWaterMark): void {
    this.write(mark);
    fsyncSync(this.#file);
    this.#isSynced = true;
  }

  sync(): void {
    if (this.#isSynced) return;
    fdatasyncSync(this.#file);
    this.#isSynced = true;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** A line of JSON, and its checksum. */
function encode(slot: Slot): Buffer {
  const json = JSON.stringify(slot);
  const text = Buffer.alloc(textBytes, " ");
  text.write(`${checksumText(json)} ${json}`, "latin1");
  text.write("\n", textBytes - 1, "latin1");
  return text;
}

function decode(bytes: Buffer): Slot | undefined {
  const text = bytes.toString("latin1");
  const json = text.slice(9).trimEnd();
  // Every byte counts, the padding too.
  if (json === "" || text !== `${checksumText(json)} ${json}`.padEnd(textBytes - 1, " ") + "\n")
    return undefined;
  return JSON.parse(json) as Slot;
}

function checksumText(json: string): string {
  return (crc32(Buffer.from(json, "latin1")) >>> 0).toString(16).padStart(8, "0");
}
