import type { InFlightLimits } from "./in-flight.js";

/** Limits of the server. Times are in milliseconds, sizes in bytes. */
export interface Limits extends InFlightLimits {
  /** Largest request body, after decompression. */
  readonly bodyBytes: number;
  /** Longest time from the headers of a request to the end of its response, time in the queue included. Watches are exempt. */
  readonly requestTimeout: number;
  /** Longest time for a client to send the headers. */
  readonly headersTimeout: number;
  /** Longest time for a client to send the whole request. */
  readonly receiveTimeout: number;
  /** Keep-alive time of an idle connection; longer than that of clients, so that the client closes it. */
  readonly idleTimeout: number;
  /** Largest headers of a request. */
  readonly headerBytes: number;
  /** Time after which a watch is closed whose client reads nothing. */
  readonly stalledWatchTimeout: number;
  /** Shortest duration of a watch without `timeoutSeconds`; it ends at a random time up to twice that. */
  readonly watchTimeout: number;
}

export const defaultLimits: Limits = {
  readOnly: 400,
  mutating: 200,
  watches: 10_000,
  queuedPerUser: 1000,
  queueTimeout: 15_000,
  bodyBytes: 3 * 1024 * 1024,
  requestTimeout: 60_000,
  headersTimeout: 30_000,
  receiveTimeout: 60_000,
  idleTimeout: 120_000,
  headerBytes: 64 * 1024,
  stalledWatchTimeout: 60_000,
  watchTimeout: 30 * 60_000,
};
