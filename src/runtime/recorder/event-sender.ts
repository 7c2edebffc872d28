import type { Client } from "../../client/client.js";
import { Event as EventKind } from "../../client/kinds/kubernetes.js";
import {
  asApiError,
  formatTime,
  isAlreadyExists,
  isConflict,
  isNotFound,
  retryAfterSeconds,
  sleep,
  statusCause,
  type Clock,
  type Random,
  jitter,
  within,
} from "../../model/core.js";
import type { EventSeries } from "./correlator.js";
import { cutMessage, eventName } from "./occurrence.js";

/** Client calls that a recorder needs. */
export type EventClient = Pick<Client, "create" | "patch">;

/** Reporting component. */
export interface Reporter {
  readonly component: string;
  readonly instance?: string | undefined;
}

/** State of the Event object of a series. */
interface Sent {
  name: string;
  /** Whether the server has it, as far as known. */
  created: boolean;
  /** A create request was sent whose response has not been seen. */
  unsure: boolean;
}

const firstPause = 1000;
const longestPause = 30_000;
const mostTries = 12;
const patience = 10_000;

/** Writes the Event of a series: creates it the first time, and updates its count after that. */
export class EventSender {
  readonly #client: EventClient;
  readonly #reporter: Reporter;
  readonly #clock: Clock;
  readonly #random: Random;
  /** Garbage-collected with the series. */
  readonly #sent = new WeakMap<EventSeries, Sent>();

  constructor(options: { client: EventClient; reporter: Reporter; clock: Clock; random: Random }) {
    this.#client = options.client;
    this.#reporter = options.reporter;
    this.#clock = options.clock;
    this.#random = options.random;
  }

  /** Retries transient errors; throws others. Ignores that the namespace is being deleted. */
  async send(series: EventSeries, signal: AbortSignal): Promise<void> {
    const sent = this.#sentOf(series);
    for (let tries = 1; ; tries++) {
      try {
        await within({ clock: this.#clock, limit: patience, what: "sending an event", signal }, (signal) =>
          sent.created ? this.#patch(series, sent, signal) : this.#create(series, sent, signal),
        );
        sent.created = true;
        sent.unsure = false;
        return;
      } catch (error) {
        if (signal.aborted || tries === mostTries) throw error;
        if (sent.created && isNotFound(error)) {
          // Events expire on the server.
          sent.created = false;
        } else if (!sent.created && isAlreadyExists(error)) {
          // Ours, if the response to an earlier request was lost.
          if (sent.unsure) sent.created = true;
          else sent.name = this.#nameOf(series);
        } else if (isHopeless(error)) {
          return;
        } else if (isPassing(error)) {
          sent.unsure = !sent.created;
          await sleep(this.#clock, this.#pause(tries, error), signal);
        } else {
          throw error;
        }
      }
    }
  }

  async #create(series: EventSeries, { name }: Sent, signal: AbortSignal): Promise<void> {
    const { about, first, last, count, message, newest } = series;
    const { component, instance } = this.#reporter;
    const { type, reason, action, related } = newest;
    const draft = {
      metadata: { name, namespace: namespaceOf(series) },
      involvedObject: about,
      reason,
      message: cutMessage(message),
      type,
      count,
      firstTimestamp: formatTime(first),
      lastTimestamp: formatTime(last),
      source: { component, ...(instance && { host: instance }) },
      reportingComponent: component,
      ...(instance && { reportingInstance: instance }),
      ...(action && { action }),
      ...(related && { related }),
    };
    await this.#client.create(EventKind, draft, { signal });
  }

  async #patch(series: EventSeries, { name }: Sent, signal: AbortSignal): Promise<void> {
    const { count, last, message } = series;
    const patch = { count, lastTimestamp: formatTime(last), message: cutMessage(message) };
    const which = { name, namespace: namespaceOf(series) };
    await this.#client.patch(EventKind, which, patch, { type: "merge", signal });
  }

  #sentOf(series: EventSeries): Sent {
    let sent = this.#sent.get(series);
    if (sent === undefined) {
      sent = { name: this.#nameOf(series), created: false, unsure: false };
      this.#sent.set(series, sent);
    }
    return sent;
  }

  #nameOf(series: EventSeries): string {
    return eventName(series.about, series.first, this.#random);
  }

  #pause(tries: number, error: unknown): number {
    const asked = (retryAfterSeconds(error) ?? 0) * 1000;
    const pause = Math.min(longestPause, firstPause * 2 ** (tries - 1));
    return Math.max(asked, jitter(this.#random, pause / 2, 1));
  }
}

/** Events of cluster-scoped objects are kept in namespace `default`. */
function namespaceOf(series: EventSeries): string {
  return series.about.namespace ?? "default";
}

/** Whether the namespace is being deleted, or gone. */
function isHopeless(error: unknown): boolean {
  return isNotFound(error) || isConflict(error) || statusCause(error, "NamespaceTerminating") !== undefined;
}

/** Whether the error is transient: no response, or one that asks to retry. */
function isPassing(error: unknown): boolean {
  const code = asApiError(error)?.code;
  return code === undefined || code >= 500 || code === 429;
}
