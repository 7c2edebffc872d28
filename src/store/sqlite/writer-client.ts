import { Worker } from "node:worker_threads";
import { StoreClosed, StoreDamaged, StoreFailed, StoreFull, Uncertain } from "../errors.js";
import type { Change } from "../store.js";
import type {
  CommitReply,
  CommitRequest,
  Failure,
  Outcome,
  Reply,
  Request,
  SweepReply,
  WireChange,
} from "./protocol.js";

/** A commit on its way, with the times its keys expire. */
export interface Pending {
  readonly changes: readonly Change[];
  readonly expires: readonly (number | undefined)[];
  resolve(outcome: Outcome): void;
  reject(error: Error): void;
}

/** Bounds of a group: beyond them the wait for the group costs more than a further sync. */
const maxCommits = 512;
const maxBytes = 4 * 2 ** 20;

type OnGroup = (group: readonly Pending[], outcomes: readonly Outcome[]) => void;

type Waiting =
  | { type: "commit"; group: Pending[] }
  | { type: "sweep"; settle: (reply: SweepReply | Error) => void };

/**
 * The store's side of the writing thread.
 *
 * Commits that come while the thread is busy wait in `queued` and then go together as one group, which is made
 * durable by one sync. So the more clients write at once, the less a commit costs.
 *
 * Invariant: `asked` holds what the thread has not answered yet, oldest first, at most one group among it.
 */
export class WriterClient {
  readonly #worker: Worker;
  readonly #now: () => number;
  readonly #onGroup: OnGroup;
  readonly #queued: Pending[] = [];
  readonly #asked: Waiting[] = [];
  readonly #exited: Promise<void>;
  #writing = false;
  #flushing = false;
  #failure: Error | undefined;

  /** `onGroup` is called with every group that was answered, in order, before its commits are resolved. */
  constructor(path: string, now: () => number, onGroup: OnGroup) {
    this.#now = now;
    this.#onGroup = onGroup;
    this.#worker = new Worker(new URL("./writer-thread.js", import.meta.url), { workerData: { path } });
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply) => this.#answered(reply));
    this.#worker.on("error", (error) => this.#fail(`the writing thread failed: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#fail("the writing thread ended");
        resolve();
      });
    });
  }

  commit(changes: readonly Change[], expires: readonly (number | undefined)[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      this.#queued.push({ changes, expires, resolve, reject });
      if (this.#writing || this.#flushing) return;
      // At the end of this turn, so that everything asked for in it goes together.
      this.#flushing = true;
      queueMicrotask(() => this.#flush());
    });
  }

  /** Asks for one step of clearing away what lies below the floor; true when there is more to do. */
  sweep(floor: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      const settle = (reply: SweepReply | Error): void => {
        if (reply instanceof Error) reject(reply);
        else if (reply.failure) reject(errorOf(reply.failure));
        else resolve(reply.more);
      };
      this.#ask({ type: "sweep", floor }, { type: "sweep", settle });
    });
  }

  /** Lets the thread finish what it was asked, and ends it. */
  async close(): Promise<void> {
    while (this.#writing || this.#queued.length > 0) await this.#nextAnswer();
    this.#failure ??= new StoreClosed();
    this.#worker.ref();
    this.#worker.postMessage({ type: "close" } satisfies Request);
    await this.#exited;
  }

  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      this.#worker.once("message", () => resolve());
      this.#worker.once("exit", () => resolve());
    });
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#writing || this.#queued.length === 0) return;
    const group = this.#takeGroup();
    this.#writing = true;
    const request = pack(group, this.#now());
    this.#ask(request, { type: "commit", group }, [request.values.buffer]);
  }

  #takeGroup(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { changes } of this.#queued) {
      for (const change of changes) if (change.type === "put") bytes += change.value.byteLength;
      if (count > 0 && (count === maxCommits || bytes > maxBytes)) break;
      count++;
    }
    return this.#queued.splice(0, count);
  }

  #ask(request: Request, waiting: Waiting, transfer: ArrayBuffer[] = []): void {
    // The process stays alive for as long as an answer is due.
    if (this.#asked.length === 0) this.#worker.ref();
    this.#asked.push(waiting);
    this.#worker.postMessage(request, transfer);
  }

  #answered(reply: Reply): void {
    const waiting = this.#asked.shift();
    if (waiting?.type === "commit") {
      this.#writing = false;
      this.#settle(waiting.group, (reply as CommitReply).outcomes);
      if (!this.#flushing && this.#queued.length > 0) this.#flush();
    } else {
      waiting?.settle(reply as SweepReply);
    }
    if (this.#asked.length === 0) this.#worker.unref();
  }

  #settle(group: readonly Pending[], outcomes: readonly Outcome[]): void {
    this.#onGroup(group, outcomes);
    for (const [index, pending] of group.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined)
        pending.reject(new Uncertain("the writing thread did not answer for this commit"));
      else if (outcome.type === "failed") pending.reject(errorOf(outcome));
      else pending.resolve(outcome);
    }
  }

  /** The thread is gone: nothing that was asked will be answered. */
  #fail(reason: string): void {
    if (this.#failure === undefined) this.#failure = new StoreFailed(`${reason}; open the store again`);
    const uncertain = new Uncertain(
      `${reason} before it answered; read to find out whether the commit was applied`,
    );
    for (const waiting of this.#asked.splice(0)) {
      if (waiting.type === "sweep") waiting.settle(uncertain);
      else for (const pending of waiting.group) pending.reject(uncertain);
    }
    for (const pending of this.#queued.splice(0)) pending.reject(this.#failure);
    this.#writing = false;
  }
}

/** Puts the values of a group side by side in one buffer, which is handed over rather than copied. */
function pack(group: readonly Pending[], time: number): CommitRequest {
  let length = 0;
  for (const { changes } of group) {
    for (const change of changes) if (change.type === "put") length += change.value.byteLength;
  }
  const values = new Uint8Array(length);
  let offset = 0;
  const commits = group.map(({ changes, expires }) =>
    changes.map((change, index): WireChange => {
      const { key, expect = -1 } = change;
      if (change.type === "delete") return { key, expect, value: undefined, expires: null };
      const start = offset;
      values.set(change.value, start);
      offset += change.value.byteLength;
      return { key, expect, value: [start, offset], expires: expires[index] ?? null };
    }),
  );
  return { type: "commit", commits, values, time };
}

function errorOf({ reason, message }: Failure): Error {
  switch (reason) {
    case "full":
      return new StoreFull(
        `there is no room on the disk for this commit (${message}); free some and try again`,
      );
    case "damaged":
      return new StoreDamaged(`the store is damaged (${message}); restore a backup`);
    case "failed":
      return new StoreFailed(`the commit failed (${message})`);
  }
}
