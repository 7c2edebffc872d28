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
import type { Scope, Selection, Transport, WatchEvent } from "../../transport/transport.js";
import type { Replacement, View } from "../cache/view.js";
import { Backoff } from "./backoff.js";
import { MissingKind } from "./missing-kind.js";
import { SilentStream, StreamGuard, untilEnd } from "./watch-stream.js";
import type { WatchLists } from "./watch-lists.js";

const pageSize = 500;
/** A watch that ends sooner than this, and brought nothing, has failed, in milliseconds. */
const shortestWatch = 1000;
/** How long after its own end a stream may last, in milliseconds. */
const grace = 30_000;
/** How long a server that serves initial events may take for the next of them, or to say that it was the last, in milliseconds. */
const longestPause = 15_000;

/** What is read, and how. */
interface Reading extends Selection {
  readonly transport: Transport;
  readonly kind: KindInfo;
  readonly scope: Scope;
  readonly metadataOnly: boolean;
}

export interface ReflectorOptions extends Reading {
  readonly view: View;
  readonly clock: Clock;
  readonly random: Random;
  readonly watchLists: WatchLists;
  readonly report: (error: unknown, doing: string) => void;
  readonly onSynced: () => void;
}

/** What a reflector does: reads everything, follows what happens, or waits after a failure. */
export type Phase = "listing" | "watching" | "waiting" | "stopped";

export interface ReflectorState {
  phase: Phase;
  /** How often everything was read, the first time included. */
  lists: number;
  watches: number;
  /** Lists and watches that failed. */
  errors: number;
  lastError?: unknown;
  /** When an event or bookmark arrived last, in milliseconds since 1970. */
  lastEventAt?: number;
}

/**
 * Keeps a view like the server has it.
 *
 *     listing ──► watching ──► watching, from the last version, when the server ended the stream
 *        ▲  ▲         │
 *        │  │         ├──► listing, when that version is no longer known there (410), or not yet (a restored backup)
 *        │  └─────────┤
 *        └── waiting ◄┴──► waiting, then watching from the last version, after any other failure
 *
 * Everything is read in a stream (a watch with initial events, `watch-lists.ts`), or in pages from a server that has no
 * such stream. It is always the newest: a server's memory (resourceVersion 0) may show what is gone already, and then effects would
 * take place for objects that nobody cleans up after. Whatever fails is tried again until the signal aborts: nothing but that ends it.
 */
export class Reflector {
  readonly state: ReflectorState = { phase: "listing", lists: 0, watches: 0, errors: 0 };
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  readonly #missing: MissingKind;
  /** Where to go on watching; undefined when everything has to be read first. */
  #version: string | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock, options.random);
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
        // A wait is cut short only by the signal, which ends the loop.
        await this.#failed(error, signal).catch(() => {});
      }
    }
    this.state.phase = "stopped";
  }

  /** Reads everything in pages. */
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
        // The server forgot the moment that the pages are of. In one piece it cannot happen again.
        replacement.restart();
        page = await transport.list(kind, scope, what);
      }
    }
    this.#listed(replacement, page.resourceVersion);
  }

  /** Reads everything in a stream, and goes on watching it. */
  async #stream(signal: AbortSignal): Promise<void> {
    const { view, watchLists, kind } = this.#options;
    this.#begin("listing");
    try {
      await this.#follow(signal, view.replace({ newest: true }), undefined);
      // A stream that ends before all was told would end there again; pages get through.
      if (this.#version === undefined) watchLists.refused(kind);
    } catch (error) {
      // Once it was listed, the stream has failed as any watch may fail.
      if (this.#version !== undefined || signal.aborted) throw error;
      if (error instanceof SilentStream) watchLists.ignored();
      // A server whose etcd cannot tell how far a watch has come answers 500 each time.
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
    // Events that do not get us further would be asked for again and again.
    if (clock.now() - began < shortestWatch && this.#version === version) {
      throw new Error("the server ended the watch at once, without an event");
    }
  }

  /** Follows a stream to its end; first to a replacement until the initial events are told, where there is one. */
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
        this.state.lastEventAt = clock.now();
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
        // Initial events come first and are all ADDED. Others may come before their end is told, but do not put it off.
        onlyInitial = events.every(({ type }) => type === "ADDED");
        guard.expect(longestPause);
      }
    } finally {
      guard.close();
    }
  }

  /** One event. What is wrong with it is reported; it never ends the stream, and the rest is read. */
  #apply({ type, object }: WatchEvent, listing: Replacement | undefined): void {
    const { view, report } = this.#options;
    const fault = type === "BOOKMARK" ? undefined : faultOf(object);
    if (fault !== undefined) report(new TypeError(`${fault}: ${excerpt(object)}`), `reading ${type}`);
    else if (type === "DELETED") (listing ?? view).remove(object);
    else if (type === "ADDED" || type === "MODIFIED") (listing ?? view).upsert(object);
    else if (type !== "BOOKMARK")
      report(new TypeError(`no such event is known: ${excerpt(type)}`), "reading an event");
    if (listing !== undefined) return;
    // Initial events come in no order of versions: while they do, there is nothing to resume from.
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
    const { view, onSynced, clock } = this.#options;
    const before = view.synced;
    replacement.finish(version);
    this.#version = version;
    this.#missing.found();
    this.state.lastEventAt = clock.now();
    if (!before) onSynced();
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<void> {
    const { report } = this.#options;
    const doing = this.#version === undefined ? "listing" : "watching";
    this.state.errors++;
    this.state.lastError = error;
    const failures = this.#backoff.failed();
    if (isOutdated(error)) {
      this.#version = undefined;
      // That a server forgets is no fault; that it forgets all the time is one.
      if (failures === 1) return;
    } else if (isNotFound(error)) this.#version = undefined;
    else if (isRefusal(error)) this.#version = undefined;
    report(error, doing);
    this.state.phase = "waiting";
    if (isNotFound(error)) await this.#missing.seen(signal);
    await this.#backoff.wait(signal, (retryAfterSeconds(error) ?? 0) * 1000);
  }
}

/** The version asked for is not known to the server any more, or not yet: only a new list helps. */
function isOutdated(error: unknown): boolean {
  return isExpired(error) || isGone(error) || isTooLargeResourceVersion(error);
}

/** The request makes no sense to the server: the same one will not do. */
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
