import { type Clock, deepFreeze, type KubeObject } from "../../../model/core.js";
import { classify, sameObject } from "../../source/classify.js";
import type { ObjectChange, ChangeType, Subscription } from "../../source/source.js";
import { Listeners } from "../../source/listeners.js";
import { cacheKey, SourceCache } from "../../source/source-cache.js";
import { Overlays } from "./overlays.js";
import { hasReached, isLater } from "./resource-version.js";

export interface InformerViewOptions {
  readonly clock: Clock;
  /** Only metadata is cached: another version counts as a change even if the metadata is equal. */
  readonly metadataOnly: boolean;
  readonly transform: ((object: KubeObject) => KubeObject) | undefined;
  /** True if an object is in scope; undefined when only the server can decide. */
  readonly includes: (object: KubeObject) => boolean | undefined;
  /** Called for errors of listeners, transforms and index functions. */
  readonly report: (error: unknown, doing: string) => void;
}

/**
 * Cache and listeners of an informer. Readers see own writes at once; listeners are called for events of the server, and
 * `old` is the object of the previous event.
 */
export class InformerView {
  readonly cache: SourceCache<KubeObject>;
  readonly #overlays: Overlays<KubeObject>;
  readonly #listeners: Listeners<KubeObject>;
  readonly #options: InformerViewOptions;
  #version = "";
  #synced = false;

  constructor(options: InformerViewOptions) {
    this.#options = options;
    const { report, clock } = options;
    this.cache = new SourceCache((error, object) => report(error, `indexing ${nameOf(object)}`));
    this.#overlays = new Overlays(this.cache, clock);
    this.#listeners = new Listeners((error, { type, object }) =>
      report(error, `calling a listener for ${type} ${nameOf(object)}`),
    );
  }

  /** Version up to which the cache is complete; empty before the first list. */
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

  /** Processes ADDED or MODIFIED. An older version than the cached one is ignored. */
  upsert(raw: KubeObject): void {
    const key = this.#keyOf(raw);
    const base = this.#overlays.base(key);
    if (base === undefined || !isLater(base.metadata.resourceVersion, raw.metadata.resourceVersion)) {
      this.#put(key, base, raw);
    }
  }

  /** Processes DELETED: the object was deleted, or has left the scope. */
  remove(raw: KubeObject): void {
    const key = this.#keyOf(raw);
    const base = this.#overlays.base(key);
    if (base !== undefined && isLater(base.metadata.resourceVersion, raw.metadata.resourceVersion)) return;
    const { resourceVersion, uid } = raw.metadata;
    this.#overlays.received(key, undefined, resourceVersion, uid);
    if (base !== undefined) this.#notify("DELETED", sameObject(base, raw) ? this.#kept(raw) : base, base);
  }

  /** Marks all events up to a version as processed. */
  advance(version: string | undefined): void {
    if (!version) return;
    this.#version = version;
    this.#overlays.reached(version);
  }

  /** Starts to replace the cache by a list. `newest`: the list is of the newest version, not of an older one. */
  replace({ newest }: { readonly newest: boolean }): Replacement {
    const mark = newest ? this.#overlays.mark : undefined;
    let seen = new Set<string>();
    return {
      // A list wins even with older versions: the server may have been restored from a backup.
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
          this.#overlays.received(key, undefined, version, base.metadata.uid);
          this.#notify("DELETED", base, base);
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
    const includes = this.#options.includes(written) ?? this.cache.get(key) !== undefined;
    const { metadataOnly } = this.#options;
    const { apiVersion, kind, metadata } = written;
    const cached = metadataOnly ? deepFreeze({ apiVersion, kind, metadata }) : written;
    this.#overlays.wrote(key, includes ? this.#kept(cached) : undefined, resourceVersion, uid);
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
      // Another object of the same name: the DELETED of the previous one was missed.
      this.#overlays.received(key, undefined, resourceVersion, base.metadata.uid);
      this.#notify("DELETED", base, base);
    }
    this.#overlays.received(key, object, resourceVersion, uid);
    if (!same) this.#notify("CREATED", object);
    else {
      const type = classify(base, object) ?? this.#unseenChange(object);
      if (type !== undefined) this.#notify(type, object, base);
    }
  }

  /**
   * Change between two versions that look equal. Usually none: only the server's bookkeeping differs, which the cache needs
   * for the next write but listeners do not. With metadata only, something outside the metadata has changed.
   */
  #unseenChange(object: KubeObject): ChangeType | undefined {
    if (!this.#options.metadataOnly) return undefined;
    return object.metadata.generation === undefined ? "UPDATED" : "STATUS_UPDATED";
  }

  #notify(type: ChangeType, object: KubeObject, old?: KubeObject): void {
    const initial = !this.#synced;
    this.#listeners.notify(old === undefined ? { type, object, initial } : { type, object, old, initial });
  }

  /** Object as it is cached. If the transform throws, the object is cached unchanged. */
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
    return cacheKey(object.metadata.namespace, object.metadata.name ?? "");
  }
}

/** List that arrives in pieces. Missing objects count as deleted only at its end. */
export interface Replacement {
  upsert(raw: KubeObject): void;
  remove(raw: KubeObject): void;
  /** Discards what was listed so far; a new list starts. */
  restart(): void;
  finish(version: string): void;
}

function nameOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return `${object.kind} ${cacheKey(namespace, name ?? "(without a name)")}`;
}
