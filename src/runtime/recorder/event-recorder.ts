import {
  duration,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type Random,
  within,
} from "../../model/core.js";
import { Correlator, type EventSeries } from "./correlator.js";
import { EventSender, type EventClient } from "./event-sender.js";
import { formatObject, occurrence, type EventContent, type Subject } from "./occurrence.js";

export interface EventRecorderOptions {
  readonly client: EventClient;
  /** Reporting component, such as the controller's name. */
  readonly component: string;
  /** Instance of the component, if there are several. */
  readonly instance?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Called with events that could not be recorded. */
  readonly onError?: ((error: unknown, event: UnrecordedEvent) => void) | undefined;
  /** Queued events; beyond it, events are dropped. Default 1000. */
  readonly queueLimit?: number | undefined;
}

/** An event that could not be recorded. */
export interface UnrecordedEvent {
  /** Object of the event: `Site default/hello`. */
  readonly object: string;
  readonly reason: string;
  /** Id of the run that recorded it, if there is one. */
  readonly run?: string | undefined;
}

/**
 * Creates a recorder of events on objects, as `kubectl describe` and `kubectl get events` show them. Repeated events are
 * counted in one object, and floods are limited.
 *
 * @example
 * const recorder = eventRecorder({ client, component: "sites" });
 * recorder.event(site, { type: "Normal", reason: "Published", message: "Published 3 pages" });
 * await recorder.close();
 */
export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  return new EventRecorder(options);
}

/**
 * Sends events one after another in the background: `event` neither waits nor throws. A series is queued once, however often it
 * grows meanwhile, and is sent in its latest state.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #onError: (error: unknown, event: UnrecordedEvent) => void;
  readonly #queueLimit: number;
  readonly #correlator = new Correlator();
  readonly #sender: EventSender;
  readonly #waiting = new Set<EventSeries>();
  readonly #stopper = new AbortController();
  #sending: Promise<void> | undefined;
  #closed = false;
  #dropped = 0;
  /** The queue has been full since it was last empty; reported once, not per event. */
  #overflowing = false;

  constructor(options: EventRecorderOptions) {
    const { client, clock = systemClock, random = systemRandom, queueLimit = 1000 } = options;
    this.#clock = clock;
    this.#onError = options.onError ?? (() => {});
    this.#queueLimit = queueLimit;
    this.#sender = new EventSender({ client, reporter: options, clock, random });
  }

  /** Events that were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Records an event on an object; returns at once and never throws. */
  event(object: Subject, content: EventContent): void {
    try {
      if (this.#closed) return;
      const { series, send } = this.#correlator.take(occurrence(object, content), this.#clock.now());
      if (send) this.#enqueue(series);
    } catch (error) {
      this.#tell(error, refused(object, content));
    }
  }

  /** Waits until the queue is empty; false if the time runs out first. */
  async flush(limit: Duration = "5s"): Promise<boolean> {
    if (this.#sending === undefined) return true;
    const sending = this.#sending;
    const options = { clock: this.#clock, limit: duration(limit), what: "sending events" };
    return within(options, () => sending).then(
      () => true,
      () => false,
    );
  }

  /** Accepts no more events, sends the queued ones while there is time, and drops the rest; false if any were dropped. */
  async close(limit: Duration = "5s"): Promise<boolean> {
    this.#closed = true;
    const all = await this.flush(limit);
    this.#waiting.clear();
    this.#stopper.abort();
    await this.#sending;
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #enqueue(series: EventSeries): void {
    if (!this.#waiting.has(series) && this.#waiting.size >= this.#queueLimit) {
      this.#dropped++;
      if (this.#overflowing) return;
      this.#overflowing = true;
      this.#tell(
        new Error(`${this.#waiting.size} events wait to be sent: new ones are dropped until they are`),
        unrecorded(series),
      );
      return;
    }
    this.#waiting.add(series);
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    // Sent in a later turn, so that a burst of the same event is sent as one.
    await Promise.resolve();
    for (const series of this.#waiting) {
      this.#waiting.delete(series);
      try {
        await this.#sender.send(series, this.#stopper.signal);
      } catch (error) {
        if (!this.#stopper.signal.aborted) this.#tell(error, unrecorded(series));
      }
    }
    this.#sending = undefined;
    this.#overflowing = false;
  }

  #tell(error: unknown, event: UnrecordedEvent): void {
    try {
      this.#onError(error, event);
    } catch {
      // An error handler that throws must not fail the caller.
    }
  }
}

function unrecorded({ about, newest: { reason, run } }: EventSeries): UnrecordedEvent {
  return { object: formatObject(about), reason, run };
}

/** Describes an event that could not be parsed. */
function refused(
  object: Partial<Subject> | undefined,
  content: Partial<EventContent> | undefined,
): UnrecordedEvent {
  const { namespace, name = "" } = object?.metadata ?? {};
  const { reason = "", run } = content ?? {};
  return { object: formatObject({ kind: object?.kind ?? "", namespace, name }), reason, run };
}
