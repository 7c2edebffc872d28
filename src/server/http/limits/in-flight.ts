import { failures, type ApiError, type Clock } from "../../../model/core.js";
import type { RequestMetrics } from "../metrics/request-metrics.js";
import { Deadlines, type Expiring } from "../../../model/time/deadlines.js";
import { FairQueue, type Place } from "./fair-queue.js";
import { Refusals } from "./refusals.js";

/** How many requests of each kind are answered at the same time, and how many wait for that. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
  readonly watches: number;
  /** How many requests of one user may wait, of those that read and of those that write. */
  readonly waiting: number;
  /** How long they may wait, in milliseconds. */
  readonly waitingTimeout: number;
}

export type RequestKind = "readOnly" | "mutating" | "watches";

/** Something that is to be answered when there is room. */
export interface Guest {
  readonly kind: RequestKind;
  /** By the user's name requests are shared out. */
  readonly user: string;
  /** How many seats it takes. */
  readonly width: number;
}

const reading = new Set(["get", "list", "watch", "head", "options"]);

/** Which limit a request falls under. */
export function kindOf(verb: string): RequestKind {
  if (verb === "watch") return "watches";
  return reading.has(verb) ? "readOnly" : "mutating";
}

/** Lists cost more than anything else, and take more seats the more they may return. */
const objectsOfSeat = 20;
const widest = 25;

/** How many seats a list takes; `limit` is what it says for itself, 0 for everything. */
export function widthOfList(limit: number): number {
  return limit > 0 ? Math.min(widest, Math.ceil(limit / objectsOfSeat)) : widest;
}

/** A place among the requests in flight. */
export interface InFlightPlace {
  /** Resolves when it is this request's turn, rejects with a 429 when it never will be; undefined when it is now. */
  readonly turn?: Promise<void> | undefined;
  leave(): void;
}

/** Bounds how much is answered at once, shares that between users, and turns those away that are too many. */
export class InFlight {
  watches = 0;
  readonly readOnly: FairQueue;
  readonly mutating: FairQueue;
  readonly #limits: InFlightLimits;
  readonly #metrics: RequestMetrics;
  readonly #refusals: Refusals;
  readonly #patience: Deadlines<Waiting>;
  /** One for all watches: what each gives back is the same. */
  readonly #watch: InFlightPlace = { leave: () => void this.watches-- };

  constructor(limits: InFlightLimits, metrics: RequestMetrics, clock: Clock) {
    this.#limits = limits;
    this.#metrics = metrics;
    this.#refusals = new Refusals(clock);
    this.#patience = new Deadlines(clock, (waiting) => waiting.giveUp());
    const { waiting } = limits;
    // After the check phase comes the poll phase, in which everything that has arrived is read.
    const pause = (resume: () => void): void => void setImmediate(resume);
    this.readOnly = new FairQueue({ seats: limits.readOnly, waiting }, pause);
    this.mutating = new FairQueue({ seats: limits.mutating, waiting }, pause);
  }

  /** Takes a place, or one in the row of those who wait for it; where there is none either, the turn rejects with a 429. */
  enter({ kind, user, width }: Guest): InFlightPlace {
    if (kind === "watches") {
      if (this.watches >= this.#limits.watches) return this.#refuse(kind);
      this.watches++;
      return this.#watch;
    }
    const place = this[kind].enter(user, width);
    if (place.state === "seated") return place;
    if (place.state === "left") return this.#refuse(kind);
    const waiting = new Waiting(place, this.#patience, () => this.#refusal(kind));
    this.#patience.add(waiting, this.#limits.waitingTimeout);
    return waiting;
  }

  #refuse(kind: RequestKind): InFlightPlace {
    const error = this.#refusal(kind);
    if (this.#refusals.isQuick) throw error;
    let leave = (): void => {};
    const turn = new Promise<void>((_, reject) => {
      leave = this.#refusals.later(() => reject(error));
    });
    return { turn, leave };
  }

  #refusal(kind: RequestKind): ApiError {
    this.#metrics.dropped[kind === "watches" ? "watch" : kind]++;
    return failures.tooManyRequests("Too many requests, please try again later.", 1);
  }
}

/** A request that has to wait, at least for a moment. */
class Waiting implements InFlightPlace, Expiring {
  readonly turn: Promise<void>;
  deadline: number | undefined;
  readonly #place: Place;
  readonly #patience: Deadlines<Waiting>;
  readonly #refusal: () => ApiError;
  #reject: (error: Error) => void = () => {};

  constructor(place: Place, patience: Deadlines<Waiting>, refusal: () => ApiError) {
    this.#place = place;
    this.#patience = patience;
    this.#refusal = refusal;
    this.turn = new Promise((resolve, reject) => {
      this.#reject = reject;
      place.onSeat = () => {
        patience.delete(this);
        resolve();
      };
    });
  }

  giveUp(): void {
    this.leave();
    this.#reject(this.#refusal());
  }

  leave(): void {
    this.#patience.delete(this);
    this.#place.leave();
  }
}
