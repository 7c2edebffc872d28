import type { Clock, KubeObject, Timer } from "../../../model/core.js";
import type { ObjectCache } from "../../source/object-cache.js";
import { compareVersions, hasReached, isLater } from "./resource-version.js";

/**
 * How long a write is shown that no event confirms, in milliseconds. Confirmation takes as long as an event takes to
 * travel; this is for writes that the watch has no reason ever to speak of on a kind where nothing else happens.
 */
const longestOverlay = 120_000;

/** One object whose cache entry is not what the server told last. */
interface Overlay<T> {
  readonly uid: string | undefined;
  /** What the server told last; undefined when that was nothing, or that it is gone. */
  base: T | undefined;
  readonly at: number;
  readonly order: number;
}

interface Written<T> extends Overlay<T> {
  readonly version: string;
}

/**
 * Own writes, shown in a cache before the server tells of them. The cache has what readers see; what the server told
 * about the few objects for which this is something else stands here, as their base.
 *
 * An object that was written is shown until an event for it with its version or a later one arrives, or until the watch
 * as a whole is past that version, which says that there will be no such event. Where versions are no numbers, any event
 * for the object ends it. An object that was removed is hidden until its DELETED arrives or another of its name. Either
 * ends with a list that began after it, and after {@link longestOverlay} at the latest.
 *
 * Invariant: a key is in at most one of the two maps, both in the order in which overlays were made.
 */
export class Overlays<T extends KubeObject> {
  readonly #cache: ObjectCache<T>;
  readonly #clock: Clock;
  readonly #written = new Map<string, Written<T>>();
  readonly #removed = new Map<string, Overlay<T>>();
  #order = 0;
  #timer: Timer | undefined;

  constructor(cache: ObjectCache<T>, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** What the server told last of an object. */
  base(key: string): T | undefined {
    const overlay = this.#of(key);
    return overlay === undefined ? this.#cache.get(key) : overlay.base;
  }

  /** Everything as the server told it last. */
  bases(): (readonly [string, T])[] {
    const found: (readonly [string, T])[] = [];
    for (const entry of this.#cache.entries()) if (this.#of(entry[0]) === undefined) found.push(entry);
    for (const overlays of [this.#written, this.#removed]) {
      for (const [key, { base }] of overlays) if (base !== undefined) found.push([key, base]);
    }
    return found;
  }

  /** The server told of an object, at a version: it is like this, or gone. */
  told(key: string, object: T | undefined, version: string | undefined, uid: string | undefined): void {
    const overlay = this.#of(key);
    if (overlay !== undefined && !this.#ends(key, overlay, object, version, uid)) overlay.base = object;
    else {
      if (overlay !== undefined) this.#forget(key);
      this.#show(key, object);
    }
  }

  /** Shows what was written, or with nothing to show hides what the write took out of the view. */
  wrote(key: string, shown: T | undefined, version: string, uid: string | undefined): void {
    const base = this.base(key);
    const before = this.#written.get(key);
    if (base !== undefined && hasReached(base.metadata.resourceVersion, version)) return;
    if (before !== undefined && isLater(before.version, version)) return;
    // The answer to a write may come after the answer to the delete that followed it.
    if (uid !== undefined && this.#removed.get(key)?.uid === uid) return;
    if (shown === undefined && base === undefined && before === undefined) return;
    this.#forget(key);
    this.#written.set(key, { version, uid, base, at: this.#clock.now(), order: ++this.#order });
    this.#show(key, shown);
    this.#arm();
  }

  /** Hides an object; without a uid the one that is shown now. */
  removed(key: string, uid: string | undefined): void {
    const shown = this.#cache.get(key);
    if (shown === undefined) return;
    const known = shown.metadata.uid;
    if (uid !== undefined && known !== undefined && uid !== known) return;
    const base = this.base(key);
    this.#forget(key);
    this.#removed.set(key, { uid: known ?? uid, base, at: this.#clock.now(), order: ++this.#order });
    this.#cache.delete(key);
    this.#arm();
  }

  /** The watch has told everything before a version. Of that version itself there may be more: one commit, many objects. */
  reached(version: string): void {
    for (const [key, written] of this.#written) {
      // Later ones have later versions, or nearly so, and are looked at when this one is gone.
      if (!isLater(version, written.version)) return;
      this.#drop(key, written);
    }
  }

  /** A point in time; see {@link listed}. */
  get mark(): number {
    return this.#order;
  }

  /** All there is was listed as of a version; with a mark, the list was made after it and is the newest there was. */
  listed(version: string, mark: number | undefined): void {
    for (const [key, written] of this.#written) {
      const compared = compareVersions(version, written.version);
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
      return version === undefined || (compareVersions(version, written.version) ?? 0) >= 0;
    }
    // Of the object that was removed, only its end; of any other, only that it is there.
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

  /** One timer for all, set for the oldest. */
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
