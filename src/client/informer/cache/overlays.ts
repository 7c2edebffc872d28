import type { Clock, KubeObject, Timer } from "../../../model/core.js";
import type { SourceCache } from "../../source/source-cache.js";
import { compareResourceVersions, hasReached, isLater } from "./resource-version.js";

/**
 * Maximum milliseconds for which an unconfirmed write is visible. Usually an event confirms a write at once; this limit is for
 * writes that cause no event in the scope, on a kind without other events.
 */
const longestOverlay = 120_000;

/** An object whose cache entry differs from the last event. */
interface Overlay<T> {
  readonly uid: string | undefined;
  /** Object of the last event; undefined if there was none or it was DELETED. */
  base: T | undefined;
  readonly at: number;
  readonly order: number;
}

interface Written<T> extends Overlay<T> {
  readonly version: string;
}

/**
 * Own writes that are visible in a cache before their events arrive. The cache has what readers see; for the few objects where
 * that differs from the last event, the object of the last event is kept here as the base.
 *
 * The overlay of a written object ends when an event for it with its version or a later one arrives, or when the watch as a
 * whole has passed that version, so that there will be no such event. Where versions are not numbers, any event for the
 * object ends it. A removed object is hidden until its DELETED, or an event of another object of its name, arrives. Both end
 * with a list that started after the write, and after {@link longestOverlay} at the latest.
 *
 * Invariant: a key is in at most one of the two maps; both are in the order of creation.
 */
export class Overlays<T extends KubeObject> {
  readonly #cache: SourceCache<T>;
  readonly #clock: Clock;
  readonly #written = new Map<string, Written<T>>();
  readonly #removed = new Map<string, Overlay<T>>();
  #order = 0;
  #timer: Timer | undefined;

  constructor(cache: SourceCache<T>, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** Object of the last event for a key. */
  base(key: string): T | undefined {
    const overlay = this.#of(key);
    return overlay === undefined ? this.#cache.get(key) : overlay.base;
  }

  /** All objects as of their last events. */
  bases(): (readonly [string, T])[] {
    const found: (readonly [string, T])[] = [];
    for (const entry of this.#cache.entries()) if (this.#of(entry[0]) === undefined) found.push(entry);
    for (const overlays of [this.#written, this.#removed]) {
      for (const [key, { base }] of overlays) if (base !== undefined) found.push([key, base]);
    }
    return found;
  }

  /** Processes an event: the object at a version, undefined for DELETED. */
  received(key: string, object: T | undefined, version: string | undefined, uid: string | undefined): void {
    const overlay = this.#of(key);
    if (overlay !== undefined && !this.#ends(key, overlay, object, version, uid)) overlay.base = object;
    else {
      if (overlay !== undefined) this.#forget(key);
      this.#show(key, object);
    }
  }

  /** Makes a write visible; undefined hides an object that the write moved out of scope. */
  wrote(key: string, visible: T | undefined, version: string, uid: string | undefined): void {
    const base = this.base(key);
    const before = this.#written.get(key);
    if (base !== undefined && hasReached(base.metadata.resourceVersion, version)) return;
    if (before !== undefined && isLater(before.version, version)) return;
    // The response to a write may arrive after the response to a later delete.
    if (uid !== undefined && this.#removed.get(key)?.uid === uid) return;
    if (visible === undefined && base === undefined && before === undefined) return;
    this.#forget(key);
    this.#written.set(key, { version, uid, base, at: this.#clock.now(), order: ++this.#order });
    this.#show(key, visible);
    this.#arm();
  }

  /** Hides a deleted object; without a uid, the visible one. */
  removed(key: string, uid: string | undefined): void {
    const visible = this.#cache.get(key);
    if (visible === undefined) return;
    const visibleUid = visible.metadata.uid;
    if (uid !== undefined && visibleUid !== undefined && uid !== visibleUid) return;
    const base = this.base(key);
    this.#forget(key);
    this.#removed.set(key, { uid: visibleUid ?? uid, base, at: this.#clock.now(), order: ++this.#order });
    this.#cache.delete(key);
    this.#arm();
  }

  /** Processes the progress of the watch up to a version. One commit may write many objects of the same version. */
  reached(version: string): void {
    for (const [key, written] of this.#written) {
      // Overlays are nearly in the order of versions: later ones are checked once this one has ended.
      if (!isLater(version, written.version)) return;
      this.#drop(key, written);
    }
  }

  /** Position in the order of overlays; see {@link listed}. */
  get mark(): number {
    return this.#order;
  }

  /** Processes a complete list of a version; with a mark, the list is of the newest version and started after the mark. */
  listed(version: string, mark: number | undefined): void {
    for (const [key, written] of this.#written) {
      const compared = compareResourceVersions(version, written.version);
      const seen = compared === undefined ? mark !== undefined && written.order <= mark : compared >= 0;
      if (seen) this.#drop(key, written);
    }
    if (mark === undefined) return;
    for (const [key, removed] of this.#removed) if (removed.order <= mark) this.#drop(key, removed);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #of(key: string): Overlay<T> | undefined {
    return this.#written.get(key) ?? this.#removed.get(key);
  }

  #ends(
    key: string,
    overlay: Overlay<T>,
    object: T | undefined,
    version: string | undefined,
    uid: string | undefined,
  ): boolean {
    const written = this.#written.get(key);
    if (written !== undefined) {
      return version === undefined || (compareResourceVersions(version, written.version) ?? 0) >= 0;
    }
    // An event of the removed object itself ends the overlay only if it is DELETED; of another object, always.
    return object === undefined ? uid === undefined || uid === overlay.uid : uid !== overlay.uid;
  }

  #show(key: string, object: T | undefined): void {
    if (object === undefined) this.#cache.delete(key);
    else this.#cache.set(key, object);
  }

  #drop(key: string, overlay: Overlay<T>): void {
    this.#forget(key);
    this.#show(key, overlay.base);
  }

  #forget(key: string): void {
    this.#written.delete(key);
    this.#removed.delete(key);
  }

  /** Schedules the expiry of the oldest overlay. */
  #arm(): void {
    if (this.#timer !== undefined) return;
    let oldest = Infinity;
    for (const overlays of [this.#written, this.#removed]) {
      for (const { at } of overlays.values()) {
        oldest = Math.min(oldest, at);
        break;
      }
    }
    if (oldest === Infinity) return;
    this.#timer = this.#clock.after(oldest + longestOverlay - this.#clock.now(), () => {
      this.#timer = undefined;
      this.#expire(this.#clock.now() - longestOverlay);
      this.#arm();
    });
  }

  #expire(until: number): void {
    for (const overlays of [this.#written, this.#removed]) {
      for (const [key, overlay] of overlays) {
        if (overlay.at > until) break;
        this.#drop(key, overlay);
      }
    }
  }
}
