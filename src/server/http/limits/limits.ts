import type { InFlightLimits } from "./in-flight.js";

/** What the server bears. Times are in milliseconds, sizes in bytes. */
export interface Limits extends InFlightLimits {
  /** The largest body that is read, unpacked. */
  readonly bodyBytes: number;
  /** How long a request may take, from its headers to the end of the answer. Watches may take longer. */
  readonly requestTimeout: number;
  /** How long a client may take to send the headers. */
  readonly headersTimeout: number;
  /** How long a client may take to send the whole request. */
  readonly receiveTimeout: number;
  /** How long a connection without a request is kept; longer than clients keep theirs, so that they end it. */
  readonly idleTimeout: number;
  readonly headerBytes: number;
  /** A watch whose client takes no bytes for so long is ended. */
  readonly stalledWatchTimeout: number;
  /** The least time that a watch lasts which does not say how long; it ends at a random time up to twice that. */
  readonly watchTimeout: number;
}

export const defaultLimits: Limits = {
  readOnly: 400,
  mutating: 200,
  watches: 10_000,
  waiting: 1000,
  waitingTimeout: 15_000,
  bodyBytes: 3 * 1024 * 1024,
  requestTimeout: 60_000,
  headersTimeout: 30_000,
  receiveTimeout: 60_000,
  idleTimeout: 120_000,
  headerBytes: 64 * 1024,
  stalledWatchTimeout: 60_000,
  watchTimeout: 30 * 60_000,
};
