import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { deferred, type Deferred } from "../../client/async/deferred.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { FileSinkOptions } from "./sink-options.js";

/*
 * Appends events to a file, one JSON document per line. Lines that wait are written together. If a write fails, its events are
 * tried again by the subscription; a line that was cut off, by that or by a crash, is ended first, so that it spoils no other.
 */

interface OpenFile {
  readonly handle: FileHandle;
  size: number;
}

interface Line {
  readonly text: string;
  readonly done: Deferred<void>;
}

/** Appends events to a file, with rotation by size. */
export class FileSink {
  readonly #options: FileSinkOptions;
  #file: OpenFile | undefined;
  #waiting: Line[] = [];
  #writing: Promise<void> | undefined;

  constructor(options: FileSinkOptions) {
    this.#options = options;
  }

  handle(event: CloudEvent): Promise<void> {
    const line: Line = { text: `${JSON.stringify(event)}\n`, done: deferred() };
    this.#waiting.push(line);
    this.#writing ??= this.#write();
    return line.done.promise;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#closeFile();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(lines.map(({ text }) => text).join(""));
        for (const { done } of lines) done.resolve();
      } catch (error) {
        // The next attempt opens the file anew, and looks at its end.
        await this.#file?.handle.close().catch(() => {});
        this.#file = undefined;
        for (const { done } of lines) done.reject(error);
      }
    }
    // In the same turn as the test above, so that no line waits without a writer.
    this.#writing = undefined;
  }

  async #append(text: string): Promise<void> {
    const { maxSize, fsync } = this.#options;
    const bytes = Buffer.from(text);
    this.#file ??= await openFile(this.#options.path);
    if (this.#file.size > 0 && this.#file.size + bytes.length > maxSize) this.#file = await this.#rotate();
    await this.#file.handle.appendFile(bytes);
    this.#file.size += bytes.length;
    if (fsync === "each") await this.#file.handle.datasync();
  }

  /** Renames `events.jsonl` to `events.jsonl.1`, that to `events.jsonl.2`, and so on. */
  async #rotate(): Promise<OpenFile> {
    const { path, keep } = this.#options;
    await this.#closeFile();
    await rm(keep === 0 ? path : `${path}.${keep}`, { force: true });
    for (let number = keep - 1; number >= 0; number--) {
      const from = number === 0 ? path : `${path}.${number}`;
      await rename(from, `${path}.${number + 1}`).catch(ignoreMissing);
    }
    return openFile(path);
  }

  async #closeFile(): Promise<void> {
    const { handle } = this.#file ?? {};
    this.#file = undefined;
    try {
      await handle?.sync();
    } finally {
      await handle?.close();
    }
  }
}

async function openFile(path: string): Promise<OpenFile> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, "a+", 0o600);
  try {
    const { size } = await handle.stat();
    if (size === 0) return { handle, size };
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    const isCutOff = buffer[0] !== 0x0a;
    if (isCutOff) await handle.appendFile("\n");
    return { handle, size: isCutOff ? size + 1 : size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
