import {
  duration,
  systemClock,
  systemRandom,
  type Clock,
  type Duration,
  type Random,
  within,
} from "../../model/core.js";
import { Correlator, type Series } from "./correlator.js";
import { EventSender, type EventClient } from "./event-sender.js";
import { nameOf, occurrence, type EventContent, type Subject } from "./occurrence.js";

export interface EventRecorderOptions {
  readonly client: EventClient;
  /** Who reports, such as the controller's name. */
  readonly component: string;
  /** Which one of several that report under that name. */
  readonly instance?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Is told of events that could not be recorded, and what they were about. */
  readonly onError?: ((error: unknown, event: UnrecordedEvent) => void) | undefined;
  /** How many events may wait to be sent; more are dropped. Default 1000. */
  readonly queueLimit?: number | undefined;
}

/** What is known of an event that could not be recorded. */
export interface UnrecordedEvent {
  /** The object it was about: `Site default/hello`. */
  readonly object: string;
  readonly reason: string;
  /** The run in which it happened, if that was said. */
  readonly run?: string | undefined;
}

/**
 * Records events on objects, as `kubectl describe` and `kubectl get events` show them. The same thing happening again is
 * counted, and floods are held back.
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
 * Events are sent one after another in the background: a caller never waits, and is never thrown at. A series that waits in
 * line is there once however often it grows meanwhile, and is sent as it is when its turn comes.
 */
export class EventRecorder implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #onError: (error: unknown, event: UnrecordedEvent) => void;
  readonly #queueLimit: number;
  readonly #correlator = new Correlator();
  readonly #sender: EventSender;
  readonly #waiting = new Set<Series>();
  readonly #stopper = new AbortController();
  #sending: Promise<void> | undefined;
  #closed = false;
  #dropped = 0;
  /** The line has been full since it was last empty: said once, not for each event. */
  #overflowing = false;

  constructor(options: EventRecorderOptions) {
    const { client, clock = systemClock, random = systemRandom, queueLimit = 1000 } = options;
    this.#clock = clock;
    this.#onError = options.onError ?? (() => {});
    this.#queueLimit = queueLimit;
    this.#sender = new EventSender({ client, reporter: options, clock, random });
  }

  /** How many events were dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Records that something happened to an object; returns at once and never throws. */
  event(object: Subject, content: EventContent): void {
    try {
      if (this.#closed) return;
      const { series, send } = this.#correlator.take(occurrence(object, content), this.#clock.now());
      if (send) this.#enqueue(series);
    } catch (error) {
      this.#tell(error, refused(object, content));
    }
  }

  /** Waits until nothing is left to be sent; false when the time runs out first. */
  async flush(limit: Duration = "5s"): Promise<boolean> {
    if (this.#sending === undefined) return true;
    const sending = this.#sending;
    const options = { clock: this.#clock, limit: duration(limit), what: "sending events" };
    return within(options, () => sending).then(
      () => true,
      () => false,
    );
  }

  /** Takes no more, sends what waits as long as there is time, and gives up the rest; false when there was a rest. */
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

  #enqueue(series: Series): void {
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
    // A burst of the same is sent as one: let the caller finish what it is doing.
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
      // Whoever reports events must not fail because reporting the failure failed.
    }
  }
}

function unrecorded({ about, newest: { reason, run } }: Series): UnrecordedEvent {
  return { object: nameOf(about), reason, run };
}

/** What was handed in could not even be understood, so nothing is certain about it. */
function refused(
  object: Partial<Subject> | undefined,
  content: Partial<EventContent> | undefined,
): UnrecordedEvent {
  const { namespace, name = "" } = object?.metadata ?? {};
  const { reason = "", run } = content ?? {};
  return { object: nameOf({ kind: object?.kind ?? "", namespace, name }), reason, run };
}
