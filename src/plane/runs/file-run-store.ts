import { randomBytes } from "node:crypto";
import { callListener } from "../../client/async/call-listener.js";
import { duration, systemClock, type Clock, type Duration, type Timer } from "../../model/core.js";
import { silent, type Log } from "../../runtime/log/log.js";
import type { Run } from "../../runtime/runs/run.js";
import type { RunQuery, RunStore } from "../../runtime/runs/run-store.js";
import { byteSize, defaultMaxAge, defaultMaxSize } from "./limits.js";
import { linesBackward } from "./lines-backward.js";
import { decodeRun, encodeRun } from "./run-lines.js";
import { RunSearch } from "./run-search.js";
import { isMissing, segmentFiles, type Segment, type SegmentFiles } from "./segment-files.js";

export interface RunFilesOptions {
  /** Folder for the files. */
  readonly folder: string;
  /** Age after which runs are deleted. Default: 7 days. */
  readonly maxAge?: Duration | undefined;
  /** Total size of the files in bytes, or text such as `"256Mi"`; beyond it the oldest runs are deleted. Default: 256Mi. */
  readonly maxSize?: number | string | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** File operations. Default: those of the file system. */
  readonly files?: SegmentFiles | undefined;
}

/** Record of runs on disk. */
export interface FileRunStore extends RunStore {
  /** Number of lines and files that could not be read since the store was opened. */
  readonly unreadable: number;
  /** Writes what is still in memory. Logs what cannot be written. */
  close(): Promise<void>;
}

/** Milliseconds for which runs are gathered before they are written: a crash loses no more than these. */
const writeInterval = 500;
/** Milliseconds until another attempt after a failed write. */
const retryInterval = 5000;
/** Characters handed to the file system at a time. */
const maxWrite = 1024 * 1024;
/** Characters of one run. Longer runs are stored without their large parts, so that one run cannot displace all others. */
const maxLine = 1024 * 1024;
/** A maximum size that is too small for anything else still has room for runs without details. */
const minLine = 4096;
/** Characters held in memory while they cannot be written: about 15,000 runs. */
const maxPending = 16 * 1024 * 1024;
/** A segment is full at this fraction of the maximum size, or after this fraction of the maximum age. */
const segmentFraction = 1 / 16;
/** A process that is restarted again and again must not leave files without bound. */
const maxSegments = 200;
/** Milliseconds by which the clocks of processes that share a folder may differ. */
const maxClockSkew = 60_000;

/**
 * Stores runs in a folder: append-only segments of JSON lines, of which the oldest are deleted by age and total size. Runs are
 * written in batches, so that a run never waits for the disk. A query scans the segments, the newest first. Every
 * process has segments of its own, so several processes can use the same folder.
 *
 * @example
 * const runs = fileRunStore({ folder: "/var/lib/sites/runs" });
 * const running = startControllers({ controllers: [sites], client, runs });
 * await running.stop();
 * await runs.close();
 */
export function fileRunStore(options: RunFilesOptions): FileRunStore {
  return new Segments(options);
}

class Segments implements FileRunStore {
  readonly #files: SegmentFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #folder: string;
  readonly #maxAge: number;
  readonly #maxSize: number;
  readonly #listeners = new Set<(run: Run) => void>();
  /** Lines to be written next, oldest first, each with its line feed. They are encoded at once, so that their size is known. */
  #pending: string[] = [];
  /** Total length of `#pending`. */
  #pendingLength = 0;
  /** Lines of the batch that is being written: older than `#pending`, newer than all in `#segment`. */
  #writing: readonly string[] = [];
  /** The file that is appended to; its size counts completed writes only. */
  #segment: Segment;
  /** Invariant: while runs are pending, a timer is set or a batch is being written. */
  #timer: Timer | undefined;
  #batch: Promise<void> | undefined;
  readonly #opened: Promise<void>;
  /** Set while writes fail. */
  #isFailing = false;
  #dropped = 0;
  #unreadable = 0;

  constructor(options: RunFilesOptions) {
    const { folder, clock = systemClock, log = silent, files = segmentFiles(folder) } = options;
    this.#folder = folder;
    this.#clock = clock;
    this.#log = log;
    this.#files = files;
    this.#maxAge = duration(options.maxAge ?? defaultMaxAge);
    this.#maxSize = byteSize(options.maxSize ?? defaultMaxSize);
    this.#segment = newSegment(clock.now());
    this.#opened = this.#deleteOldSegments();
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  add(run: Run): void {
    const line = encodeRun(run, Math.max(minLine, Math.min(maxLine, this.#segmentSize)));
    if (line === undefined) this.#dropped++;
    else this.#enqueue(`${line}\n`);
    for (const listener of this.#listeners) callListener("a listener of runs", () => listener(run));
  }

  follow(listener: (run: Run) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async find(query: RunQuery = {}): Promise<readonly Run[]> {
    const since = Math.max(query.since ?? 0, this.#clock.now() - this.#maxAge);
    const search = new RunSearch({ ...query, since });
    // Taken at once: what is written from now on is part of these, and not of the segment as it is now.
    const unwritten = [...this.#writing, ...this.#pending];
    const segment = this.#segment;
    for (const line of unwritten.reverse()) {
      if (search.isDone) break;
      if (line.includes(search.text)) search.offer(decodeRun(line));
    }
    if (!search.isDone) await this.#scan(search, segment, since);
    return search.result();
  }

  async close(): Promise<void> {
    await this.#opened;
    await this.#batch;
    this.#timer?.cancel();
    // Stays set, so that nothing is scheduled any more.
    this.#batch = this.#writeBatch();
    await this.#batch;
    if (this.#pending.length === 0) return;
    this.#log.error({ folder: this.#folder, lost: this.#pending.length }, "run records could not be written");
  }

  async #scan(search: RunSearch, current: Segment, since: number): Promise<void> {
    const own = suffixOf(current.name);
    const segments = await this.#segments().catch((error: unknown) => this.#skip(".", error));
    const others = (segments ?? []).filter(({ name }) => suffixOf(name) !== own || name < current.name);
    for (const segment of this.#byAge([...others, current]).reverse()) {
      if (startOf(segment.name) + this.#segmentAge < since) continue;
      await this.#scanSegment(search, segment).catch((error: unknown) => this.#skip(segment.name, error));
      if (search.isDone) return;
    }
  }

  async #scanSegment(search: RunSearch, segment: Segment): Promise<void> {
    for await (const lines of linesBackward(this.#files, segment, search.text)) {
      for (const line of lines) {
        const run = decodeRun(line);
        if (run === undefined) this.#skip(segment.name, "a line is not a run");
        search.offer(run);
        if (search.isDone) return;
      }
    }
  }

  /** Counts a part that cannot be read, so that queries return the rest, and reports the first. */
  #skip(file: string, error: unknown): undefined {
    // Deleted by age or size in the meantime, or not written yet.
    if (isMissing(error)) return;
    if (this.#unreadable++ > 0) return;
    this.#log.warn({ folder: this.#folder, file, err: error }, "skipped run records that cannot be read");
  }

  /** All segments, oldest first. */
  async #segments(): Promise<Segment[]> {
    const found = await this.#files.list();
    return this.#byAge(found.filter(({ name }) => isSegment(name)));
  }

  /**
   * Sorts segments, oldest first. One that begins in the future is from before the clock was set back, so it is older than the
   * rest. Runs of this process are in order even then, as are their names.
   */
  #byAge(segments: Segment[]): Segment[] {
    const own = suffixOf(this.#segment.name);
    const latest = this.#clock.now() + maxClockSkew;
    const rank = ({ name }: Segment): number => {
      if (startOf(name) <= latest) return 1;
      return suffixOf(name) === own ? 2 : 0;
    };
    return segments.sort((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
  }

  #enqueue(line: string): void {
    this.#pending.push(line);
    this.#pendingLength += line.length;
    if (this.#pendingLength > maxPending) this.#dropOldest();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#batch !== undefined) return;
    this.#timer = this.#clock.after(this.#isFailing ? retryInterval : writeInterval, () => {
      this.#timer = undefined;
      this.#batch = this.#writeBatch().finally(() => this.#batchEnded());
    });
  }

  #batchEnded(): void {
    this.#batch = undefined;
    if (this.#pending.length > 0) this.#schedule();
  }

  /** Writes all pending runs. Never rejects: what cannot be written is pending again. */
  async #writeBatch(): Promise<void> {
    this.#writing = this.#pending;
    this.#setPending([]);
    try {
      while (this.#writing.length > 0) {
        const count = countUpTo(this.#writing, Math.min(maxWrite, this.#segmentSize));
        await this.#append(Buffer.from(this.#writing.slice(0, count).join("")));
        this.#writing = this.#writing.slice(count);
      }
      this.#reportRecovery();
    } catch (error) {
      this.#setPending([...this.#writing, ...this.#pending]);
      this.#writing = [];
      await this.#failed(error);
    }
  }

  #setPending(lines: string[]): void {
    this.#pending = lines;
    this.#pendingLength = lines.reduce((sum, { length }) => sum + length, 0);
  }

  async #append(data: Uint8Array): Promise<void> {
    const { name, size } = this.#segment;
    const isFull = size > 0 && size + data.length > this.#segmentSize;
    if (isFull || this.#clock.now() - startOf(name) > this.#segmentAge) {
      this.#segment = newSegment(this.#clock.now(), this.#segment);
      await this.#deleteOldSegments();
    }
    await this.#files.append(this.#segment.name, data);
    this.#segment = { ...this.#segment, size: this.#segment.size + data.length };
  }

  get #segmentAge(): number {
    return this.#maxAge * segmentFraction;
  }

  get #segmentSize(): number {
    return this.#maxSize * segmentFraction;
  }

  /** Makes room for one more segment. Never rejects. */
  async #deleteOldSegments(): Promise<void> {
    try {
      const segments = await this.#segments();
      const oldest = this.#clock.now() - this.#maxAge - this.#segmentAge;
      let total = segments.reduce((sum, { size }) => sum + size, this.#segmentSize);
      let count = segments.length + 1;
      for (const { name, size } of segments) {
        const isNeeded = startOf(name) >= oldest && total <= this.#maxSize && count <= maxSegments;
        if (isNeeded || name === this.#segment.name || !(await this.#remove(name))) continue;
        total -= size;
        count--;
      }
    } catch (error) {
      this.#skip(".", error);
    }
  }

  async #remove(name: string): Promise<boolean> {
    try {
      await this.#files.remove(name);
      return true;
    } catch (error) {
      this.#log.warn({ folder: this.#folder, file: name, err: error }, "old run records cannot be deleted");
      return false;
    }
  }

  /** Starts another segment, since this one may have been written in part; readers skip duplicates. */
  async #failed(cause: unknown): Promise<void> {
    const { name, size } = this.#segment;
    if (!this.#isFailing) {
      this.#log.warn(
        { folder: this.#folder, err: cause },
        "run records cannot be written; the last ones are kept in memory until they can",
      );
    }
    this.#isFailing = true;
    this.#segment = newSegment(this.#clock.now(), this.#segment);
    if (size === 0) await this.#files.remove(name).catch(() => {});
  }

  #reportRecovery(): void {
    if (!this.#isFailing && this.#dropped === 0) return;
    this.#log.info({ folder: this.#folder, lost: this.#dropped }, "run records are written again");
    this.#isFailing = false;
    this.#dropped = 0;
  }

  /** A tenth at a time: removing the first element of a long list for every run would be slow. */
  #dropOldest(): void {
    const count = countUpTo(this.#pending, maxPending / 10);
    this.#dropped += count;
    this.#setPending(this.#pending.slice(count));
  }
}

/** Number of lines at the beginning that have a length together; at least one. */
function countUpTo(lines: readonly string[], maxLength: number): number {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length) > maxLength);
  return end === -1 ? lines.length : Math.max(1, end);
}

/** Names sort by time; the rest of them is the same for all segments of a process. */
function newSegment(now: number, last?: Segment): Segment {
  const start = Math.max(now, last === undefined ? 0 : startOf(last.name) + 1);
  const suffix = last === undefined ? `-${randomBytes(4).toString("hex")}.jsonl` : suffixOf(last.name);
  return { name: String(start).padStart(15, "0") + suffix, size: 0 };
}

function isSegment(name: string): boolean {
  return /^\d{15}-[0-9a-f]{8}\.jsonl$/.test(name);
}

function startOf(name: string): number {
  return Number(name.slice(0, 15));
}

function suffixOf(name: string): string {
  return name.slice(15);
}
