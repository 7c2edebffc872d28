import { Worker } from "node:worker_threads";
import { StoreClosed, StoreDamaged, StoreFailed, StoreFull, Uncertain } from "../errors.js";
import type { Mutation } from "../store.js";
import { decodeOutcomes, encodeCommits } from "./codec.js";
import type {
  CommitReply,
  Committed,
  WriterFailure,
  CommitOutcome,
  Refused,
  WriterReply,
  WriterRequest,
  SweepReply,
  WireMutation,
  WriterSettings,
} from "./protocol.js";
import type { TailRange } from "./tail.js";

/** Commit that the writer has not replied to, with the expiry times of its keys. */
export interface PendingCommit {
  readonly mutations: readonly Mutation[];
  readonly expires: readonly (number | undefined)[];
  resolve(outcome: Committed | Refused): void;
  reject(error: Error): void;
}

/** Number of queued commits that are sent without waiting for the end of the turn, so that the thread can start. */
const maxQueued = 64;

/** Receiver of the thread's messages. */
export interface WriterListener {
  /** Called with every group of commits in order of the replies, before the commits are resolved. */
  replied(group: readonly PendingCommit[], outcomes: readonly CommitOutcome[]): void;
  /** Called when part of the tail has been indexed, in order with the replies. */
  indexed(range: TailRange): void;
}

type PendingRequest =
  | { type: "commit"; commits: PendingCommit[] }
  | { type: "sweep"; settle: (reply: SweepReply | Error) => void };

/**
 * The store's end of the writer thread. Sends commits as they arrive; the thread groups them.
 *
 * Invariants: `#unanswered` holds the requests without a reply, oldest first. `#queued` is empty at the end of every
 * turn of the event loop, and earlier while there are no unanswered requests.
 */
export class WriterClient {
  readonly #worker: Worker;
  readonly #now: () => number;
  readonly #listener: WriterListener;
  readonly #queued: PendingCommit[] = [];
  readonly #unanswered: PendingRequest[] = [];
  readonly #exited: Promise<void>;
  #flushing = false;
  #failure: Error | undefined;

  constructor(settings: WriterSettings, now: () => number, listener: WriterListener) {
    this.#now = now;
    this.#listener = listener;
    this.#worker = new Worker(new URL("./writer-thread.js", import.meta.url), {
      name: "fettle-writer",
      workerData: settings,
      // Without this process's flags: a TypeScript loader, for example, would only slow down the start.
      execArgv: [],
    });
    this.#worker.unref();
    this.#worker.on("message", (reply: WriterReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#fail(`the writer thread failed: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", () => {
        this.#fail("the writer thread ended");
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
      if (this.#queued.length >= maxQueued) this.#flush();
      else if (!this.#flushing) {
        // At once when the thread is idle; otherwise after everything that is ready to run, to group its commits.
        this.#flushing = true;
        const soon = this.#unanswered.length > 0 ? setImmediate : queueMicrotask;
        soon(() => {
          this.#flushing = false;
          this.#flush();
        });
      }
    });
  }

  /** Deletes part of the history below the floor; resolves to true when there is more to delete. */
  sweep(floor: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#failure) throw this.#failure;
      const settle = (reply: SweepReply | Error): void => {
        if (reply instanceof Error) reject(reply);
        else if (reply.failure) reject(errorOf(reply.failure));
        else resolve(reply.more);
      };
      this.#send({ type: "sweep", floor }, { type: "sweep", settle });
    });
  }

  /** Ends the thread after it has finished all requests. */
  async close(): Promise<void> {
    this.#flush();
    this.#failure ??= new StoreClosed();
    this.#worker.ref();
    this.#worker.postMessage({ type: "close" } satisfies WriterRequest);
    await this.#exited;
  }

  #flush(): void {
    if (this.#queued.length === 0) return;
    const commits = this.#queued.splice(0);
    const request = encodeCommits(commits.map(wireMutations), this.#now());
    this.#send(request, { type: "commit", commits }, [request.values.buffer, request.numbers.buffer]);
  }

  #send(request: WriterRequest, waiting: PendingRequest, transfer: ArrayBuffer[] = []): void {
    // Keep the process alive while a reply is due.
    if (this.#unanswered.length === 0) this.#worker.ref();
    this.#unanswered.push(waiting);
    this.#worker.postMessage(request, transfer);
  }

  #receive(reply: WriterReply): void {
    if (reply.type === "indexed") this.#listener.indexed(reply.range);
    else this.#settleRequest(reply);
  }

  #settleRequest(reply: CommitReply | SweepReply): void {
    if (reply.type === "commit") {
      const answered = this.#unanswered.splice(0, reply.requests);
      this.#settleCommits(
        answered.flatMap((waiting) => (waiting.type === "commit" ? waiting.commits : [])),
        reply,
      );
    } else {
      const waiting = this.#unanswered.shift();
      if (waiting?.type === "sweep") waiting.settle(reply);
    }
    if (this.#unanswered.length === 0) this.#worker.unref();
  }

  #settleCommits(group: readonly PendingCommit[], reply: CommitReply): void {
    const outcomes = decodeOutcomes(
      reply,
      group.map(({ mutations }) => mutations.length),
    );
    this.#listener.replied(group, outcomes);
    for (const [index, outcome] of outcomes.entries()) {
      const pending = group[index];
      if (outcome.type === "failed") pending?.reject(errorOf(outcome));
      else pending?.resolve(outcome);
    }
  }

  /** Rejects everything: the thread has ended and will not reply. */
  #fail(reason: string): void {
    if (this.#failure === undefined) this.#failure = new StoreFailed(`${reason}; open the store again`);
    const uncertain = new Uncertain(
      `${reason} before it replied; read to find out whether the commit was applied`,
    );
    for (const waiting of this.#unanswered.splice(0)) {
      if (waiting.type === "sweep") waiting.settle(uncertain);
      else for (const pending of waiting.commits) pending.reject(uncertain);
    }
    for (const pending of this.#queued.splice(0)) pending.reject(this.#failure);
  }
}

function wireMutations({ mutations, expires }: PendingCommit): WireMutation[] {
  return mutations.map((mutation, index) => ({
    key: mutation.key,
    expect: mutation.expect ?? -1,
    value: mutation.type === "put" ? mutation.value : undefined,
    expires: expires[index],
  }));
}

function errorOf({ reason, message }: WriterFailure): Error {
  switch (reason) {
    case "full":
      return new StoreFull(`the disk is full (${message}); free some space and try again`);
    case "damaged":
      return new StoreDamaged(`the store is damaged (${message}); restore a backup`);
    case "failed":
      return new StoreFailed(`the commit failed (${message})`);
    case "uncertain":
      return new Uncertain(`the disk failed (${message}); read to find out whether the commit was applied`);
  }
}
