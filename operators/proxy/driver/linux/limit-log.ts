import { watch, type FSWatcher } from "node:fs";
import { open, stat, truncate, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { sleep, type Clock } from "fettle/model";
import { z } from "zod";
import { ifExists } from "./durable-files.js";

/** Request that nginx refused because of a rate limit. */
export interface RefusedRequest {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Name of the limit's zone. */
  readonly zone: string;
  /** Address. */
  readonly client: string;
  readonly host: string;
  readonly uri: string;
  readonly method: string;
}

export interface LimitLogOptions {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Receives requests in their order, and the number of malformed lines among them. The next ones are read when it has returned. */
  readonly onLines: (requests: readonly RefusedRequest[], malformed: number) => void | Promise<void>;
  /** Size in bytes above which the file is emptied once it has been read. Default: 16 MB. */
  readonly maxSize?: number | undefined;
}

const blockSize = 64 * 1024;
/** Milliseconds after which the file is read again even without an event. */
const pollInterval = 1000;
/** Milliseconds between two reads, in which lines are collected. */
const minInterval = 100;
const lineFeed = 10;

const lineFormat = z.object({
  /** Seconds since 1970, as nginx writes them. */
  time: z.coerce.number().nonnegative(),
  zone: z.string(),
  client: z.string(),
  host: z.string(),
  uri: z.string(),
  method: z.string(),
});

/**
 * Follows the log of refused requests until the signal aborts. Begins at the end of the file: requests before that are not reported.
 *
 * @example
 * await followLimitLog(driver.paths.limitLog, { signal, clock, onLines: (requests) => count(requests) });
 */
export async function followLimitLog(path: string, options: LimitLogOptions): Promise<void> {
  const { signal, clock, onLines, maxSize = 16 * 1024 * 1024 } = options;
  await using reader = new LimitLogReader(path);
  using events = new FileEvents(path);
  await reader.skipToEnd();
  while (!signal.aborted) {
    const isEvent = events.next(clock, signal);
    for (let lines = await reader.read(); lines !== undefined; lines = await reader.read()) {
      if (lines.requests.length > 0 || lines.malformed > 0) await onLines(lines.requests, lines.malformed);
      if (signal.aborted) return;
    }
    await reader.emptyIfLarger(maxSize);
    await isEvent;
    await sleep(clock, minInterval, signal).catch(() => {});
  }
}

interface Lines {
  readonly requests: readonly RefusedRequest[];
  readonly malformed: number;
}

class LimitLogReader implements AsyncDisposable {
  readonly #path: string;
  #offset = 0;
  /** Kept open, so that a file which replaces this one cannot get its inode. */
  #file: FileHandle | undefined;
  /** Start of a line whose end has not been written yet. */
  #rest = Buffer.alloc(0);
  /** True within a line that is too long. */
  #isSkipping = false;

  constructor(path: string) {
    this.#path = path;
  }

  async skipToEnd(): Promise<void> {
    const file = await this.#open();
    if (file === undefined) return;
    this.#offset = (await file.stat()).size;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, this.#offset - 1));
    // The first line may be one whose start was skipped.
    this.#isSkipping = bytesRead === 1 && buffer[0] !== lineFeed;
  }

  /** Lines of the next block; undefined if there is none. */
  async read(): Promise<Lines | undefined> {
    const file = await this.#open();
    if (file === undefined) return undefined;
    if ((await file.stat()).size < this.#offset) this.#startAgain();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockSize), 0, blockSize, this.#offset);
    if (bytesRead === 0) return undefined;
    this.#offset += bytesRead;
    return this.#split(buffer.subarray(0, bytesRead));
  }

  /** nginx appends, so that it goes on at the beginning of an emptied file. */
  async emptyIfLarger(maxSize: number): Promise<void> {
    const size = (await ifExists(stat(this.#path)))?.size ?? 0;
    if (size <= maxSize || size !== this.#offset) return;
    await ifExists(truncate(this.#path));
    this.#startAgain();
  }

  /** File that has the path now. */
  async #open(): Promise<FileHandle | undefined> {
    const stats = await ifExists(stat(this.#path));
    if (this.#file !== undefined && stats?.ino === (await this.#file.stat()).ino) return this.#file;
    await this[Symbol.asyncDispose]();
    this.#startAgain();
    return (this.#file = await ifExists(open(this.#path, "r")));
  }

  #split(block: Buffer): Lines {
    const bytes = Buffer.concat([this.#rest, block]);
    const requests: RefusedRequest[] = [];
    let malformed = 0;
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      const request = this.#isSkipping ? undefined : parseLine(bytes.toString("utf8", start, end));
      if (request !== undefined) requests.push(request);
      else if (!this.#isSkipping) malformed++;
      this.#isSkipping = false;
      start = end + 1;
    }
    this.#rest = this.#isSkipping ? Buffer.alloc(0) : Buffer.from(bytes.subarray(start));
    if (this.#rest.length > blockSize) {
      this.#rest = Buffer.alloc(0);
      this.#isSkipping = true;
      malformed++;
    }
    return { requests, malformed };
  }

  #startAgain(): void {
    this.#offset = 0;
    this.#rest = Buffer.alloc(0);
    this.#isSkipping = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

function parseLine(line: string): RefusedRequest | undefined {
  try {
    const { time, ...rest } = lineFormat.parse(JSON.parse(line));
    return { time: Math.round(time * 1000), ...rest };
  } catch {
    return undefined;
  }
}

/** Events of the file system about one file, which need not exist. */
class FileEvents implements Disposable {
  #watcher: FSWatcher | undefined;
  #wake = (): void => {};

  constructor(path: string) {
    try {
      this.#watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) this.#wake();
      });
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // No such folder, or no more watches permitted: the file is read at intervals.
    }
  }

  /** Resolves at the next event, after some time, or when the signal aborts. */
  next(clock: Clock, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(pollInterval, () => this.#wake());
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }
}
