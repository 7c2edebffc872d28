import {
  asApiError,
  type Clock,
  isExpired,
  isGone,
  isNotFound,
  isTooLargeResourceVersion,
  jitter,
  type KubeObject,
  type Random,
  retryAfterSeconds,
} from "../../../model/core.js";
import type { KindInfo } from "../../kinds/kind.js";
import type { Selection, Transport, WatchEvent } from "../../transport/transport.js";
import type { Scope } from "../../../model/object/object-key.js";
import type { Replacement, InformerView } from "../cache/view.js";
import { ReconnectBackoff } from "./backoff.js";
import { MissingKind } from "./missing-kind.js";
import { SilentStream, StreamGuard, untilEnd } from "./watch-stream.js";
import type { WatchLists } from "./watch-lists.js";

const pageSize = 500;
/** A watch that ends within this many milliseconds without an event counts as failed. */
const shortestWatch = 1000;
/** Milliseconds that a stream may last beyond its timeoutSeconds. */
const grace = 30_000;
/** Maximum milliseconds between two initial events, and until the bookmark that ends them. */
const longestPause = 15_000;

/** Options of a {@link Reflector}. */
interface Reading extends Selection {
  readonly transport: Transport;
  readonly kind: KindInfo;
  readonly scope: Scope;
  readonly metadataOnly: boolean;
}

export interface ReflectorOptions extends Reading {
  readonly view: InformerView;
  readonly clock: Clock;
  readonly random: Random;
  readonly watchLists: WatchLists;
  readonly report: (error: unknown, doing: string) => void;
  readonly onSynced: () => void;
}

/** Phase of a reflector: listing, watching, or waiting after a failure. */
export type Phase = "listing" | "watching" | "waiting" | "stopped";

export interface ReflectorState {
  phase: Phase;
  /** Number of lists, including the first. */
  lists: number;
  watches: number;
  /** Number of failed lists and watches. */
  errors: number;
  lastError?: unknown;
  /** Time of the last event or bookmark, in milliseconds since 1970. */
  lastEventAt?: number;
  /** Time of the first failure since then; undefined after an event, a bookmark or a list. */
  failingSince?: number | undefined;
}

/**
 * Keeps a cache in sync with the server.
 *
 *     listing ──► watching ──► watching, from the last version, when the server ended the stream
 *        ▲  ▲         │
 *        │  │         ├──► listing, when that version has expired (410) or is in the future (restored backup)
 *        │  └─────────┤
 *        └── waiting ◄┴──► waiting, then watching from the last version, after any other failure
 *
 * Lists are streamed (a watch with initial events, `watch-lists.ts`), or paged where the server does not support that. They
 * are always of the newest version: a server's watch cache (resourceVersion 0) may still have deleted objects, and effects
 * would take place for objects that are never cleaned up. Failures are retried until the signal aborts.
 */
export class Reflector {
  readonly state: ReflectorState = { phase: "listing", lists: 0, watches: 0, errors: 0 };
  readonly #options: ReflectorOptions;
  readonly #backoff: ReconnectBackoff;
  readonly #missing: MissingKind;
  /** Version to watch from; undefined when a list is needed first. */
  #version: string | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backoff = new ReconnectBackoff(options.clock, options.random);
    this.#missing = new MissingKind(options);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version !== undefined) await this.#watch(signal, this.#version);
        else if (this.#options.watchLists.served(this.#options.kind)) await this.#stream(signal);
        else await this.#list(signal);
      } catch (error) {
        if (signal.aborted) break;
        // Only the signal interrupts the wait, and it ends the loop.
        await this.#failed(error, signal).catch(() => {});
      }
    }
    this.state.phase = "stopped";
  }

  /** Lists in pages. */
  async #list(signal: AbortSignal): Promise<void> {
    const { transport, kind, scope, view, labelSelector, fieldSelector, metadataOnly } = this.#options;
    const what = { labelSelector, fieldSelector, metadataOnly, signal };
    this.#begin("listing");
    const replacement = view.replace({ newest: true });
    let page = await transport.list(kind, scope, { ...what, limit: pageSize });
    for (;;) {
      for (const item of page.items) this.#apply({ type: "ADDED", object: item }, replacement);
      if (!page.continue) break;
      try {
        page = await transport.list(kind, scope, { ...what, limit: pageSize, continue: page.continue });
      } catch (error) {
        if (!isOutdated(error)) throw error;
        // The continue token has expired. A list without pages cannot expire.
        replacement.restart();
        page = await transport.list(kind, scope, what);
      }
    }
    this.#listed(replacement, page.resourceVersion);
  }

  /** Lists in a stream, and continues to watch it. */
  async #stream(signal: AbortSignal): Promise<void> {
    const { view, watchLists, kind } = this.#options;
    this.#begin("listing");
    try {
      await this.#follow(signal, view.replace({ newest: true }), undefined);
      // A stream that ended before the initial events were complete would do so again; use pages.
      if (this.#version === undefined) watchLists.refused(kind);
    } catch (error) {
      // After the initial events, it is a failed watch like any other.
      if (this.#version !== undefined || signal.aborted) throw error;
      if (error instanceof SilentStream) watchLists.ignored();
      // A server whose etcd lacks progress notifications returns 500 each time.
      else if (isRefusal(error) || asApiError(error)?.code === 500) watchLists.refused(kind);
      else throw error;
    }
  }

  async #watch(signal: AbortSignal, version: string): Promise<void> {
    const { clock } = this.#options;
    const began = clock.now();
    this.state.phase = "watching";
    try {
      await this.#follow(signal, undefined, version);
    } finally {
      if (this.#version !== version) this.#backoff.progressed();
    }
    // Without a newer version, the same events would be requested again.
    if (clock.now() - began < shortestWatch && this.#version === version) {
      throw new Error("the server ended the watch at once, without an event");
    }
  }

  /** Reads a stream to its end. Initial events, if any, go into the replacement. */
  async #follow(
    signal: AbortSignal,
    initial: Replacement | undefined,
    from: string | undefined,
  ): Promise<void> {
    const { transport, kind, scope, labelSelector, fieldSelector, metadataOnly, clock, random } =
      this.#options;
    const timeoutSeconds = Math.floor(jitter(random, 300, 1));
    const guard = new StreamGuard(clock, signal);
    const longest = timeoutSeconds * 1000 + grace;
    guard.expect(initial === undefined ? longest : longestPause);
    this.state.watches++;
    try {
      const batches = transport.watch(kind, scope, {
        labelSelector,
        fieldSelector,
        metadataOnly,
        timeoutSeconds,
        allowWatchBookmarks: true,
        signal: guard.signal,
        ...(initial === undefined
          ? { resourceVersion: from }
          : { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }),
      });
      let listing = initial;
      let onlyInitial = true;
      for await (const events of untilEnd(batches, guard.signal)) {
        this.#received();
        for (const event of events) {
          if (listing === undefined) this.#apply(event, undefined);
          else if (!endsInitialEvents(event)) this.#apply(event, listing);
          else {
            this.#listed(listing, event.object.metadata.resourceVersion ?? "");
            listing = undefined;
            this.state.phase = "watching";
            guard.expect(longest);
          }
        }
        if (listing === undefined || !onlyInitial) continue;
        // Initial events come first and are all ADDED. Other events may come before the bookmark that ends them.
        onlyInitial = events.every(({ type }) => type === "ADDED");
        guard.expect(longestPause);
      }
    } finally {
      guard.close();
    }
  }

  /** Processes one event. An invalid event is reported and skipped. */
  #apply({ type, object }: WatchEvent, listing: Replacement | undefined): void {
    const { view, report } = this.#options;
    const fault = type === "BOOKMARK" ? undefined : faultOf(object);
    if (fault !== undefined) report(new TypeError(`${fault}: ${excerpt(object)}`), `reading ${type}`);
    else if (type === "DELETED") (listing ?? view).remove(object);
    else if (type === "ADDED" || type === "MODIFIED") (listing ?? view).upsert(object);
    else if (type !== "BOOKMARK")
      report(new TypeError(`unknown type of event: ${excerpt(type)}`), "reading an event");
    if (listing !== undefined) return;
    // Initial events are not ordered by version: there is no version to resume from until they are complete.
    const version = object?.metadata?.resourceVersion;
    if (!version) return;
    view.advance(version);
    this.#version = version;
  }

  #begin(phase: Phase): void {
    this.state.phase = phase;
    this.state.lists++;
  }

  #listed(replacement: Replacement, version: string): void {
    const { view, onSynced } = this.#options;
    const before = view.synced;
    replacement.finish(version);
    this.#version = version;
    this.#missing.found();
    this.#received();
    if (!before) onSynced();
  }

  #received(): void {
    this.state.lastEventAt = this.#options.clock.now();
    this.state.failingSince = undefined;
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<void> {
    const { report } = this.#options;
    const doing = this.#version === undefined ? "listing" : "watching";
    this.state.errors++;
    this.state.lastError = error;
    this.state.failingSince ??= this.#options.clock.now();
    const failures = this.#backoff.failed();
    if (isOutdated(error)) {
      this.#version = undefined;
      // One expired version is normal; repeated expiry is a failure.
      if (failures === 1) return;
    } else if (isNotFound(error)) this.#version = undefined;
    else if (isRefusal(error)) this.#version = undefined;
    report(error, doing);
    this.state.phase = "waiting";
    if (isNotFound(error)) await this.#missing.seen(signal);
    await this.#backoff.wait(signal, (retryAfterSeconds(error) ?? 0) * 1000);
  }
}

/** The version has expired or is in the future: a new list is needed. */
function isOutdated(error: unknown): boolean {
  return isExpired(error) || isGone(error) || isTooLargeResourceVersion(error);
}

/** The server rejects the request itself: repeating it would not help. */
function isRefusal(error: unknown): boolean {
  const code = asApiError(error)?.code ?? 0;
  return [400, 405, 406, 415, 422, 501].includes(code);
}

function endsInitialEvents({ type, object }: WatchEvent): boolean {
  return type === "BOOKMARK" && object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
}

function faultOf(object: unknown): string | undefined {
  const metadata = (object as Partial<KubeObject> | null | undefined)?.metadata;
  if (typeof metadata !== "object" || metadata === null) return "an object without metadata";
  return typeof metadata.name === "string" && metadata.name !== "" ? undefined : "an object without a name";
}

function excerpt(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 200);
}
