import { Worker } from "node:worker_threads";
import { StoreClosed, StoreDamaged, StoreFailed, StoreFull, Uncertain } from "../errors.js";
import type { Mutation } from "../store.js";
import { decodeOutcomes, encodeCommits } from "./codec.js";
import type {
  CommitReply,
  Committed,
  Failure,
  Outcome,
  Refused,
  Reply,
  Request,
  SweepReply,
  WireMutation,
  WriterSettings,
} from "./protocol.js";
import type { Stretch } from "./tail.js";

/** A commit on its way, with the times its keys expire. */
export interface Pending {
  readonly mutations: readonly Mutation[];
  readonly expires: readonly (number | undefined)[];
  resolve(outcome: Committed | Refused): void;
  reject(error: Error): void;
}

/** So many commits are sent off at once, without waiting for the end of the turn, so that the thread can begin. */
const enough = 64;

/** What the thread has to tell. */
export interface WriterListener {
  /** Called with every group that was answered, in order, before its commits are resolved. */
  answered(group: readonly Pending[], outcomes: readonly Outcome[]): void;
  /** Called when part of the tail has been brought into `versions`, in order with the answers. */
  indexed(stretch: Stretch): void;
}

type Waiting =
  | { type: "commit"; commits: Pending[] }
  | { type: "sweep"; settle: (reply: SweepReply | Error) => void };

/**
 * The store's side of the writing thread. It sends commits off as they come; the thread groups them.
 *
 * Invariants: `asked` holds what the thread has not answered yet, oldest first. `queued` is empty at the end of every
 * turn of the event loop, and earlier while nothing is asked.
 */
export class WriterClient {
  readonly #worker: Worker;
  readonly #now: () => number;
  readonly #listener: WriterListener;
  readonly #queued: Pending[] = [];
  readonly #asked: Waiting[] = [];
  readonly #exited: Promise<void>;
  #flushing = false;
  #failure: Error | undefined;

  constructor(settings: WriterSettings, now: () => number, listener: WriterListener) {
    this.#now = now;
    this.#listener = listener;
    this.#worker = new Worker(new URL("./writer-thread.js", import.meta.url), {
      name: "fettle-writer",
      workerData: settings,
      // Not this process's own flags: a loader for TypeScript, say, would only make the thread start later.
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on("message", (reply: Reply) => this.#told(reply));
    this.#worker.on("error", (error) => this.#fail(`the writing thread failed: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#fail("the writing thread ended");
        resolve();
      });
    });
  }

  commit(
    mutations: readonly Mutation[],
    expires: readonly (number | undefined)[],
  ): Promise<Committed | Refused> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      this.#queued.push({ mutations, expires, resolve, reject });
      if (this.#queued.length >= enough) this.#flush();
      else if (!this.#flushing) {
        // When all that is ready to run has run, so that what it asks for goes together; at once where the thread waits.
        this.#flushing = true;
        const soon = this.#asked.length > 0 ? setImmediate : queueMicrotask;
        soon(() => {
          this.#flushing = false;
          this.#flush();
        });
      }
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
    this.#flush();
    this.#failure ??= new StoreClosed();
    this.#worker.ref();
    this.#worker.postMessage({ type: "close" } satisfies Request);
    await this.#exited;
  }

  #flush(): void {
    if (this.#queued.length === 0) return;
    const commits = this.#queued.splice(0);
    const request = encodeCommits(commits.map(wireMutations), this.#now());
    this.#ask(request, { type: "commit", commits }, [request.values.buffer, request.numbers.buffer]);
  }

  #ask(request: Request, waiting: Waiting, transfer: ArrayBuffer[] = []): void {
    // The process stays alive for as long as an answer is due.
    if (this.#asked.length === 0) this.#worker.ref();
    this.#asked.push(waiting);
    this.#worker.postMessage(request, transfer);
  }

  #told(reply: Reply): void {
    if (reply.type === "indexed") this.#listener.indexed(reply.stretch);
    else this.#answered(reply);
  }

  #answered(reply: CommitReply | SweepReply): void {
    if (reply.type === "commit") {
      const answered = this.#asked.splice(0, reply.requests);
      this.#settle(
        answered.flatMap((waiting) => (waiting.type === "commit" ? waiting.commits : [])),
        reply,
      );
    } else {
      const waiting = this.#asked.shift();
      if (waiting?.type === "sweep") waiting.settle(reply);
    }
    if (this.#asked.length === 0) this.#worker.unref();
  }

  #settle(group: readonly Pending[], reply: CommitReply): void {
    const outcomes = decodeOutcomes(
      reply,
      group.map(({ mutations }) => mutations.length),
    );
    this.#listener.answered(group, outcomes);
    for (const [index, outcome] of outcomes.entries()) {
      const pending = group[index];
      if (outcome.type === "failed") pending?.reject(errorOf(outcome));
      else pending?.resolve(outcome);
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
      else for (const pending of waiting.commits) pending.reject(uncertain);
    }
    for (const pending of this.#queued.splice(0)) pending.reject(this.#failure);
  }
}

function wireMutations({ mutations, expires }: Pending): WireMutation[] {
  return mutations.map((mutation, index) => ({
    key: mutation.key,
    expect: mutation.expect ?? -1,
    value: mutation.type === "put" ? mutation.value : undefined,
    expires: expires[index],
  }));
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
