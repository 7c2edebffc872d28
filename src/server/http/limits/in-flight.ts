import { failures } from "../../../model/core.js";
import type { RequestMetrics } from "../metrics/request-metrics.js";

/** How many requests of each kind are answered at the same time. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
  readonly watches: number;
}

export type RequestKind = keyof InFlightLimits;

const reading = new Set(["get", "list", "watch", "head", "options"]);

/** Which limit a request falls under. */
export function kindOf(verb: string): RequestKind {
  if (verb === "watch") return "watches";
  return reading.has(verb) ? "readOnly" : "mutating";
}

/** Counts requests in flight, and turns those away that are too many. */
export class InFlight implements InFlightLimits {
  readOnly = 0;
  mutating = 0;
  watches = 0;
  readonly #limits: InFlightLimits;
  readonly #metrics: RequestMetrics;
  /** One function for every request of a kind: what each gives back is the same. */
  readonly #releases: Readonly<Record<RequestKind, () => void>> = {
    readOnly: () => void this.readOnly--,
    mutating: () => void this.mutating--,
    watches: () => void this.watches--,
  };

  constructor(limits: InFlightLimits, metrics: RequestMetrics) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /** Takes a place, and returns what gives it back. Throws a 429 when there is none. */
  enter(kind: RequestKind): () => void {
    if (this[kind] >= this.#limits[kind]) {
      this.#metrics.dropped[kind === "watches" ? "watch" : kind]++;
      throw failures.tooManyRequests("Too many requests, please try again later.", 1);
    }
    this[kind]++;
    return this.#releases[kind];
  }
}
