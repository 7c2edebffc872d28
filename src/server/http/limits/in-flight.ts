import { failures, type ApiError, type Clock } from "../../../model/core.js";
import { Deadlines, type Expiring } from "../../../model/time/deadlines.js";
import { FairQueue, type QueuedRequest } from "./fair-queue.js";
import { Rejections } from "./rejections.js";

/** Limits of concurrent and of queued requests. */
export interface InFlightLimits {
  /** Concurrent requests that read, weighted by cost. */
  readonly readOnly: number;
  /** Concurrent requests that write. */
  readonly mutating: number;
  /** Open watches. */
  readonly watches: number;
  /** Queued requests per user, separately for those that read and those that write; beyond it, 429. */
  readonly queuedPerUser: number;
  /** Longest time in the queue in milliseconds; after it, 429. */
  readonly queueTimeout: number;
}

export type RequestKind = "readOnly" | "mutating" | "watches";

/** Number of requests rejected with 429, by their kind. */
export interface DroppedRequests {
  readOnly: number;
  mutating: number;
  watch: number;
}

/** Properties of a request that the limits depend on. */
export interface RequestLoad {
  readonly kind: RequestKind;
  /** Name of the user, the fairness key. */
  readonly user: string;
  /** Concurrency that the request takes up; 1 for all but lists. */
  readonly cost: number;
}

const readingVerbs = new Set(["get", "list", "watch", "head", "options"]);

/** Limit that applies to a verb. */
export function limitOf(verb: string): RequestKind {
  if (verb === "watch") return "watches";
  return readingVerbs.has(verb) ? "readOnly" : "mutating";
}

/** Lists are the most expensive requests, and cost more the more objects they may return. */
const objectsPerCost = 20;
const maxListCost = 25;

/** Cost of a list by its `limit` parameter; 0 stands for no limit. */
export function costOfList(limit: number): number {
  return limit > 0 ? Math.min(maxListCost, Math.ceil(limit / objectsPerCost)) : maxListCost;
}

/** Permission to run, now or later. */
export interface InFlightSlot {
  /** Resolves when the request may start, rejects with a 429 if it never may; undefined when it may start now. */
  readonly ready?: Promise<void> | undefined;
  /** Frees the slot, or stops waiting for it. */
  release(): void;
}

/** Limits concurrent requests, shares them fairly between users, and rejects requests beyond the limits with a 429. */
export class InFlight {
  watches = 0;
  readonly readOnly: FairQueue;
  readonly mutating: FairQueue;
  readonly #limits: InFlightLimits;
  readonly #dropped: DroppedRequests;
  readonly #rejections: Rejections;
  readonly #queueDeadlines: Deadlines<QueuedSlot>;
  /** Shared by all watches, since releasing any of them does the same. */
  readonly #watchSlot: InFlightSlot = { release: () => void this.watches-- };

  constructor(limits: InFlightLimits, dropped: DroppedRequests, clock: Clock) {
    this.#limits = limits;
    this.#dropped = dropped;
    this.#rejections = new Rejections(clock);
    this.#queueDeadlines = new Deadlines(clock, (slot) => slot.expire());
    const { queuedPerUser } = limits;
    // The check phase of the event loop is followed by the poll phase, which reads all data received so far.
    const yieldTurn = (resume: () => void): void => void setImmediate(resume);
    this.readOnly = new FairQueue({ concurrency: limits.readOnly, queuedPerUser }, yieldTurn);
    this.mutating = new FairQueue({ concurrency: limits.mutating, queuedPerUser }, yieldTurn);
  }

  /** Acquires a slot, or queues for one. Where the queue is full too, throws a 429 or, under many of these, rejects with it later. */
  acquire({ kind, user, cost }: RequestLoad): InFlightSlot {
    if (kind === "watches") {
      if (this.watches >= this.#limits.watches) return this.#reject(kind);
      this.watches++;
      return this.#watchSlot;
    }
    const request = this[kind].add(user, cost);
    if (request.state === "running") return request;
    if (request.state === "done") return this.#reject(kind);
    const slot = new QueuedSlot(request, this.#queueDeadlines, () => this.#tooManyRequests(kind));
    this.#queueDeadlines.add(slot, this.#limits.queueTimeout);
    return slot;
  }

  #reject(kind: RequestKind): InFlightSlot {
    const error = this.#tooManyRequests(kind);
    if (this.#rejections.takeImmediate()) throw error;
    let release = (): void => {};
    const ready = new Promise<void>((_, reject) => {
      release = this.#rejections.delay(() => reject(error));
    });
    return { ready, release };
  }

  #tooManyRequests(kind: RequestKind): ApiError {
    this.#dropped[kind === "watches" ? "watch" : kind]++;
    return failures.tooManyRequests("Too many requests, please try again later.", 1);
  }
}

/** Slot of a request that was queued, at least for a moment. */
class QueuedSlot implements InFlightSlot, Expiring {
  readonly ready: Promise<void>;
  deadline: number | undefined;
  readonly #request: QueuedRequest;
  readonly #deadlines: Deadlines<QueuedSlot>;
  readonly #error: () => ApiError;
  #reject: (error: Error) => void = () => {};

  constructor(request: QueuedRequest, deadlines: Deadlines<QueuedSlot>, error: () => ApiError) {
    this.#request = request;
    this.#deadlines = deadlines;
    this.#error = error;
    this.ready = new Promise((resolve, reject) => {
      this.#reject = reject;
      request.onStart = () => {
        deadlines.delete(this);
        resolve();
      };
    });
  }

  expire(): void {
    this.release();
    this.#reject(this.#error());
  }

  release(): void {
    this.#deadlines.delete(this);
    this.#request.release();
  }
}
