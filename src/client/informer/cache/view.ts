import { type Clock, deepFreeze, type KubeObject } from "../../../model/core.js";
import { classify, sameObject } from "../../source/classify.js";
import type { ObjectChange, ChangeType, Subscription } from "../../source/source.js";
import { Listeners } from "../../source/listeners.js";
import { keyOf, ObjectCache } from "../../source/object-cache.js";
import { Overlays } from "./overlays.js";
import { hasReached, isLater } from "./resource-version.js";

export interface ViewOptions {
  readonly clock: Clock;
  /** Metadata are all that is known: another version means a change, even if none can be seen. */
  readonly metadataOnly: boolean;
  readonly transform: ((object: KubeObject) => KubeObject) | undefined;
  /** Whether a write leaves an object in what is watched; undefined when that cannot be told from the object. */
  readonly shows: (object: KubeObject) => boolean | undefined;
  /** Is told of functions that failed: listeners, transforms, index functions. */
  readonly report: (error: unknown, doing: string) => void;
}

/**
 * What is known of the objects of an informer, made from what the server tells. Readers see own writes at once;
 * listeners are told what the server tells, and `old` is what it told before.
 */
export class View {
  readonly cache: ObjectCache<KubeObject>;
  readonly #overlays: Overlays<KubeObject>;
  readonly #listeners: Listeners<KubeObject>;
  readonly #options: ViewOptions;
  #version = "";
  #synced = false;

  constructor(options: ViewOptions) {
    this.#options = options;
    const { report, clock } = options;
    this.cache = new ObjectCache((error, object) => report(error, `indexing ${nameOf(object)}`));
    this.#overlays = new Overlays(this.cache, clock);
    this.#listeners = new Listeners((error, { type, object }) =>
      report(error, `telling a listener of ${type} ${nameOf(object)}`),
    );
  }

  /** Everything up to this version is in here; empty before the first list. */
  get version(): string {
    return this.#version;
  }

  get synced(): boolean {
    return this.#synced;
  }

  subscribe(listener: (change: ObjectChange) => void): Subscription {
    return this.#listeners.add(
      listener,
      this.#overlays.bases().map(([, object]) => object),
    );
  }

  /** An object as the server has it now. What is older than what is known comes twice, and changes nothing. */
  upsert(raw: KubeObject): void {
    const key = this.#keyOf(raw);
    const base = this.#overlays.base(key);
    if (base === undefined || !isLater(base.metadata.resourceVersion, raw.metadata.resourceVersion)) {
      this.#put(key, base, raw);
    }
  }

  /** The server deleted an object, or it is no longer among those that are watched. */
  remove(raw: KubeObject): void {
    const key = this.#keyOf(raw);
    const base = this.#overlays.base(key);
    if (base !== undefined && isLater(base.metadata.resourceVersion, raw.metadata.resourceVersion)) return;
    const { resourceVersion, uid } = raw.metadata;
    this.#overlays.told(key, undefined, resourceVersion, uid);
    if (base !== undefined) this.#tell("DELETED", sameObject(base, raw) ? this.#kept(raw) : base, base);
  }

  /** All events up to a version have been told. */
  advance(version: string | undefined): void {
    if (!version) return;
    this.#version = version;
    this.#overlays.reached(version);
  }

  /** Starts to replace everything by what is listed from here on; `newest`: the list is of now, and not of some time before. */
  replace({ newest }: { readonly newest: boolean }): Replacement {
    const mark = newest ? this.#overlays.mark : undefined;
    let seen = new Set<string>();
    return {
      // A list is believed even where it has older versions: the server may have been restored from a backup.
      upsert: (raw) => {
        const key = this.#keyOf(raw);
        seen.add(key);
        this.#put(key, this.#overlays.base(key), raw);
      },
      remove: (raw) => {
        seen.delete(this.#keyOf(raw));
        this.remove(raw);
      },
      restart: () => void (seen = new Set()),
      finish: (version) => {
        for (const [key, base] of this.#overlays.bases()) {
          if (seen.has(key)) continue;
          this.#overlays.told(key, undefined, version, base.metadata.uid);
          this.#tell("DELETED", base, base);
        }
        this.#overlays.listed(version, mark);
        this.#version = version;
        this.#synced = true;
      },
    };
  }

  /** See Informers.wrote. */
  wrote(written: KubeObject): void {
    const { name, resourceVersion, uid } = written.metadata;
    if (!name || !resourceVersion || hasReached(this.#version, resourceVersion)) return;
    const key = this.#keyOf(written);
    const shows = this.#options.shows(written) ?? this.cache.get(key) !== undefined;
    const { metadataOnly } = this.#options;
    const { apiVersion, kind, metadata } = written;
    const shown = metadataOnly ? deepFreeze({ apiVersion, kind, metadata }) : written;
    this.#overlays.wrote(key, shows ? this.#kept(shown) : undefined, resourceVersion, uid);
  }

  /** See Informers.removed. */
  removed(key: string, uid: string | undefined): void {
    this.#overlays.removed(key, uid);
  }

  close(): void {
    this.#overlays.close();
  }

  #put(key: string, base: KubeObject | undefined, raw: KubeObject): void {
    const { resourceVersion, uid } = raw.metadata;
    const same = base !== undefined && sameObject(base, raw);
    if (same && resourceVersion && resourceVersion === base.metadata.resourceVersion) return;
    const object = this.#kept(raw);
    if (base !== undefined && !same) {
      // Another object of the same name: the one before is gone, and its end was not told.
      this.#overlays.told(key, undefined, resourceVersion, base.metadata.uid);
      this.#tell("DELETED", base, base);
    }
    this.#overlays.told(key, object, resourceVersion, uid);
    if (!same) this.#tell("CREATED", object);
    else {
      const type = classify(base, object) ?? this.#unseenChange(object);
      if (type !== undefined) this.#tell(type, object, base);
    }
  }

  /**
   * What differs between two versions that look the same. Nothing, usually: it was the server's bookkeeping, which the
   * cache has to have, for the next write, and which nobody is told of. But of what only the metadata are known,
   * something else has changed, and that is what its watchers wait for.
   */
  #unseenChange(object: KubeObject): ChangeType | undefined {
    if (!this.#options.metadataOnly) return undefined;
    return object.metadata.generation === undefined ? "UPDATED" : "STATUS_UPDATED";
  }

  #tell(type: ChangeType, object: KubeObject, old?: KubeObject): void {
    const initial = !this.#synced;
    this.#listeners.tell(old === undefined ? { type, object, initial } : { type, object, old, initial });
  }

  /** The object as it is kept. One that the transform fails on is kept as it came, rather than lost. */
  #kept(raw: KubeObject): KubeObject {
    const { transform, report } = this.#options;
    if (transform === undefined) return deepFreeze(raw);
    try {
      return deepFreeze(transform(raw));
    } catch (error) {
      report(error, `transforming ${nameOf(raw)}`);
      return deepFreeze(raw);
    }
  }

  #keyOf(object: KubeObject): string {
    return keyOf(object.metadata.namespace, object.metadata.name ?? "");
  }
}

/** A list that arrives piece by piece. Nothing counts as gone before its end. */
export interface Replacement {
  upsert(raw: KubeObject): void;
  remove(raw: KubeObject): void;
  /** What was listed until now is not part of the list; another one begins. */
  restart(): void;
  finish(version: string): void;
}

function nameOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} ${keyOf(namespace, name ?? "(without a name)")}`;
}
