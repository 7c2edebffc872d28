import { Lru } from "./lru.js";
import type { ObjectReference, Occurrence } from "./occurrence.js";

/** One Event object: how often the same thing happened. It grows while it waits to be sent. */
export interface Series {
  readonly about: ObjectReference;
  readonly first: number;
  last: number;
  count: number;
  /** The newest occurrence; of combined ones the messages differ. */
  newest: Occurrence;
  message: string;
}

export interface Correlation {
  readonly series: Series;
  /** False when there have been too many about this object: it is counted, and not sent until a later one is. */
  readonly send: boolean;
}

/** From so many different messages on, events that are otherwise alike become one. */
const similarAllowed = 10;
const similarWithin = 600_000;
/** Events about one object: this many at once, and one more for each `refill` milliseconds. */
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
 * Turns what happens into few events. The same thing happening again is **counted** in one event. Many things that differ
 * only in their message are **combined** into one event. And when there are too many about one object, they are **held
 * back**. The limits are those of Kubernetes' own components. All of it is memory only, and of a fixed size; what is
 * forgotten begins as a new event. Pure: the time comes from outside.
 */
export class Correlator {
  readonly #similar = new Lru<Similar>(remembered);
  readonly #series = new Lru<Series>(remembered);
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
    // One goes, so that the set stays small and the next message is one too many again.
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
