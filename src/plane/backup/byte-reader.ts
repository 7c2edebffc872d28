import { BackupDamaged, maxLineLength } from "./format.js";

/** Maximum length of a value; no store has longer ones. */
const maxValueLength = 2 ** 30;

/** Reads lines and byte ranges from a stream of chunks. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line with its newline; undefined at the end of the stream, even if a line without newline is left. */
  async line(): Promise<Uint8Array | undefined> {
    for (let from = 0; ;) {
      const end = this.#rest.indexOf(0x0a, from);
      if (end >= 0) return this.#take(end + 1);
      if (this.#rest.length > maxLineLength)
        throw new BackupDamaged("the backup is damaged: a line has no end");
      from = this.#rest.length;
      if (!(await this.#more(1))) return undefined;
    }
  }

  /** The next `count` bytes; undefined when there are fewer. */
  async bytes(count: number): Promise<Uint8Array | undefined> {
    if (count > maxValueLength) throw new BackupDamaged("the backup is damaged: a value is too long");
    const missing = count - this.#rest.length;
    if (missing > 0 && !(await this.#more(missing))) return undefined;
    return this.#take(count);
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  /** Reads at least `count` more bytes; returns false at the end of the stream. */
  async #more(count: number): Promise<boolean> {
    const parts: Uint8Array[] = [this.#rest];
    let got = 0;
    while (got < count) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      parts.push(value);
      got += value.length;
    }
    this.#rest = Buffer.concat(parts);
    return true;
  }
}
