import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { duration, systemClock, type Clock, type Duration, type Timer } from "../../model/core.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { compactRun } from "../../runtime/runs/compact-run.js";
import type { Run } from "../../runtime/runs/run.js";
import { defaultRunLimit, matchesRun, type RunQuery, type RunStore } from "../../runtime/runs/run-store.js";
import { byteSize, defaultMaxAge, defaultMaxSize } from "./limits.js";
import { linesBackward } from "./lines-backward.js";
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
  /** Number of lines that could not be read since the store was opened. */
  readonly unreadableLines: number;
  /** Writes what is still in memory. Logs what cannot be written. */
  close(): Promise<void>;
}

/** Milliseconds for which runs are gathered before they are written: a crash loses no more than these. */
const writeInterval = 500;
/** Milliseconds until another attempt after a failed write. */
const retryInterval = 5000;
/** Runs encoded before other work gets its turn; that takes about a millisecond. */
const runsPerTurn = 200;
/** Bytes handed to the file system at a time. */
const maxWrite = 1024 * 1024;
/** Runs held in memory while they cannot be written. */
const maxPending = 10_000;
/** A segment is full at this fraction of the maximum size, or after this fraction of the maximum age. */
const segmentFraction = 1 / 16;
/** A process that is restarted again and again must not leave files without bound. */
const maxSegments = 200;

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
  /** Runs to be written next, oldest first. */
  #pending: Run[] = [];
  /** Runs of the batch that is being written: older than `#pending`, newer than all in `#segment`. */
  #writing: readonly Run[] = [];
  /** The file that is appended to; its size counts completed writes only. */
  #segment: Segment;
  /** Invariant: while runs are pending, a timer is set or a batch is being written. */
  #timer: Timer | undefined;
  #batch: Promise<void> | undefined;
  readonly #opened: Promise<void>;
  /** Set while writes fail. */
  #isFailing = false;
  #dropped = 0;
  #unreadableLines = 0;

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

  get unreadableLines(): number {
    return this.#unreadableLines;
  }

  add(run: Run): void {
    this.#pending.push(run);
    if (this.#pending.length > maxPending) this.#dropOldest();
    this.#schedule();
    for (const listener of this.#listeners) listener(run);
  }

  follow(listener: (run: Run) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async find(query: RunQuery = {}): Promise<readonly Run[]> {
    const since = Math.max(query.since ?? 0, this.#clock.now() - this.#maxAge);
    const search = new Search({ ...query, since });
    // Taken at once: what is written from now on is part of these, and not of the segment as it is now.
    const unwritten = [...this.#writing, ...this.#pending];
    const segment = this.#segment;
    for (const run of unwritten.reverse()) if (search.offer(run)) search.take(compactRun(run));
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

  async #scan(search: Search, current: Segment, since: number): Promise<void> {
    const own = suffixOf(current.name);
    const others = (await this.#segments()).filter(
      ({ name }) => suffixOf(name) !== own || name < current.name,
    );
    for (const segment of [...others, current].sort(byName).reverse()) {
      if (startOf(segment.name) + this.#segmentAge < since) continue;
      try {
        for await (const lines of linesBackward(this.#files, segment, search.text)) {
          for (const line of lines) {
            const run = this.#parse(line, segment);
            if (run !== undefined && search.offer(run)) search.take(run);
            if (search.isDone) return;
          }
        }
      } catch (error) {
        // Deleted by age or size in the meantime.
        if (!isMissing(error)) throw error;
      }
    }
  }

  #parse(line: string, { name }: Segment): Run | undefined {
    try {
      const run = JSON.parse(line) as Partial<Run> | null;
      if (typeof run?.id === "string" && Array.isArray(run.writes)) return run as Run;
    } catch {
      // Reported below.
    }
    if (this.#unreadableLines++ === 0) {
      this.#log.warn({ folder: this.#folder, file: name }, "skipped an unreadable line in the run records");
    }
  }

  /** All segments, oldest first. */
  async #segments(): Promise<readonly Segment[]> {
    const found = await this.#files.list();
    return found.filter(({ name }) => isSegment(name)).sort(byName);
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
    this.#pending = [];
    try {
      while (this.#writing.length > 0) {
        const { data, count } = await encode(this.#writing, Math.min(maxWrite, this.#segmentSize));
        await this.#append(data);
        this.#writing = this.#writing.slice(count);
      }
      this.#reportRecovery();
    } catch (error) {
      this.#pending = [...this.#writing, ...this.#pending];
      this.#writing = [];
      await this.#failed(error);
    }
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
        if (name === this.#segment.name) continue;
        if (startOf(name) >= oldest && total <= this.#maxSize && count <= maxSegments) break;
        await this.#files.remove(name);
        total -= size;
        count--;
      }
    } catch (error) {
      this.#log.debug({ folder: this.#folder, err: error }, "old run records could not be deleted");
    }
  }

  /** Starts another segment, since this one may have been written in part; readers skip duplicates. */
  async #failed(cause: unknown): Promise<void> {
    const { name, size } = this.#segment;
    if (!this.#isFailing) {
      this.#log.warn(
        { folder: this.#folder, err: cause },
        `run records cannot be written; the last ${maxPending} are kept in memory until they can`,
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
    const count = maxPending / 10;
    this.#pending.splice(0, count);
    this.#dropped += count;
  }
}

/** Lines of the first runs, up to a size. Other work gets its turn in between. */
async function encode(
  runs: readonly Run[],
  size: number,
): Promise<{ readonly data: Uint8Array; readonly count: number }> {
  const lines: string[] = [];
  let length = 0;
  for (const run of runs) {
    const line = `${encodeRun(run)}\n`;
    if (lines.length > 0 && length + line.length > size) break;
    lines.push(line);
    length += line.length;
    if (lines.length % runsPerTurn === 0) await nextTurn();
  }
  return { data: Buffer.from(lines.join("")), count: lines.length };
}

/** Leaves out writes that JSON cannot represent, such as a body with a BigInt. */
function encodeRun(run: Run): string {
  try {
    return JSON.stringify(compactRun(run));
  } catch {
    const { writes, droppedWrites } = run;
    return JSON.stringify({ ...run, writes: [], droppedWrites: droppedWrites + writes.length });
  }
}

/** Gathers the newest runs that match a query. Runs have to be offered newest first. */
class Search {
  /** Text in every line that can match, to find lines without parsing them all. */
  readonly text: string;
  readonly #query: RunQuery;
  readonly #limit: number;
  readonly #found = new Map<string, Run>();
  #isDone: boolean;

  constructor(query: RunQuery) {
    this.#query = query;
    this.#limit = query.limit ?? defaultRunLimit;
    this.#isDone = this.#limit === 0;
    this.text = searchText(query);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns true if the run matches and has not been found yet. */
  offer(run: Run): boolean {
    if (this.#isDone || !matchesRun(run, this.#query)) return false;
    if (run.id === this.#query.after) this.#isDone = true;
    return !this.#isDone && !this.#found.has(run.id);
  }

  take(run: Run): void {
    this.#found.set(run.id, run);
    if (this.#found.size === this.#limit) this.#isDone = true;
  }

  /** Oldest first. */
  result(): readonly Run[] {
    return [...this.#found.values()].reverse().sort((a, b) => endOf(a) - endOf(b));
  }
}

/** The most selective field of the query, as it is encoded in a line. */
function searchText({ key, uid, wrote, kind, controller }: RunQuery): string {
  const field = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;
  if (key !== undefined) return field("key", key);
  if (uid !== undefined) return field("uid", uid);
  if (wrote !== undefined) return field("name", wrote.name);
  if (controller !== undefined) return field("controller", controller);
  if (kind !== undefined) return field("kind", typeof kind === "string" ? kind : kind.kind);
  return "{";
}

function byName(one: Segment, other: Segment): number {
  return one.name < other.name ? -1 : 1;
}

function endOf({ startedAt, duration }: Run): number {
  return startedAt + duration;
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
