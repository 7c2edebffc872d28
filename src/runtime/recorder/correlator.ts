import { Lru } from "./lru.js";
import type { ObjectReference, Occurrence } from "./occurrence.js";

/** Repetitions of one event, which become one Event object. It may grow while it is queued. */
export interface EventSeries {
  readonly about: ObjectReference;
  readonly first: number;
  last: number;
  count: number;
  /** The newest occurrence; in a combined series the messages differ. */
  newest: Occurrence;
  message: string;
}

export interface Correlation {
  readonly series: EventSeries;
  /** False if the object's rate limit is exceeded: the event is counted, and sent with a later one. */
  readonly send: boolean;
}

/** Number of different messages from which events that are otherwise equal are combined. */
const similarAllowed = 10;
const similarWithin = 600_000;
/** Rate limit per object: this many at once, and one more per `refill` milliseconds. */
const burst = 25;
const refill = 300_000;
const remembered = 4096;

interface Similar {
  readonly messages: Set<string>;
  last: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Reduces the number of events. Repetitions are **counted** in one event, events that differ only in their message are **combined**
 * after a while, and events of one object are **rate limited**. The limits are those of Kubernetes' components. State is in memory
 * and bounded; a series that is evicted starts as a new event. Pure: the time is a parameter.
 */
export class Correlator {
  readonly #similar = new Lru<Similar>(remembered);
  readonly #series = new Lru<EventSeries>(remembered);
  readonly #buckets = new Lru<Bucket>(remembered);

  take(occurrence: Occurrence, now: number): Correlation {
    const { about, type, reason, action, related } = occurrence;
    const object = [about.apiVersion, about.kind, about.namespace, about.name, about.uid];
    const alike = JSON.stringify([...object, type, reason, action, related?.uid ?? related?.name]);
    const combined = this.#isOneOfMany(alike, occurrence.message, now);
    const key = combined ? alike : `${alike}${occurrence.message}`;
    const message = combined ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
    const series = this.#series.get(key, () => {
      return { about, first: now, last: now, count: 0, newest: occurrence, message };
    });
    series.count++;
    series.last = now;
    series.newest = occurrence;
    series.message = message;
    return { series, send: this.#mayPass(JSON.stringify(object), now) };
  }

  #isOneOfMany(alike: string, message: string, now: number): boolean {
    const similar = this.#similar.get(alike, () => ({ messages: new Set(), last: now }));
    if (now - similar.last > similarWithin) similar.messages.clear();
    similar.last = now;
    similar.messages.add(message);
    if (similar.messages.size < similarAllowed) return false;
    // Keeps the set at the limit, so that the next new message is combined as well.
    const [oldest] = similar.messages;
    if (oldest !== undefined) similar.messages.delete(oldest);
    return true;
  }

  #mayPass(object: string, now: number): boolean {
    const bucket = this.#buckets.get(object, () => ({ tokens: burst, at: now }));
    const earned = Math.max(0, now - bucket.at) / refill;
    bucket.tokens = Math.min(burst, bucket.tokens + earned);
    bucket.at = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
