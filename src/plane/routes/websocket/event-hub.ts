import type { EventLog, LogPosition } from "../../../events/log/event-log.js";
import { sleep, type Clock } from "../../../model/core.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import { PatternIndex } from "../../../model/cloud-events/pattern-index.js";
import type { Log } from "../../../runtime/log/log.js";

/** Receives live events from a hub. */
export interface HubReader {
  /** Takes an event; must not wait or throw. */
  offer(event: CloudEvent): void;
  /** The hub cannot read: the reader continues on its own after a position. */
  lose(position: LogPosition): void;
}

export interface EventHubOptions {
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Log;
}

const retryDelay = 1000;

/**
 * Reads the newest events once for many readers. A reader that needs older events, or more time, leaves the hub, reads the log on its
 * own and joins again when it has caught up.
 */
export class EventHub {
  readonly #options: EventHubOptions;
  /** Patterns of all readers, joined or not. */
  readonly patterns = new PatternIndex<HubReader>();
  /** Readers that get live events. */
  readonly #joined = new Set<HubReader>();
  /** All readers, joined or not: the hub runs while there are any. */
  readonly #readers = new Set<HubReader>();
  #running: AbortController | undefined;
  #started: Promise<void> | undefined;
  #position: LogPosition | undefined;

  constructor(options: EventHubOptions) {
    this.#options = options;
  }

  /** Position before the events that are being offered; undefined until the hub has started. */
  get position(): LogPosition | undefined {
    return this.#position;
  }

  /** Adds a reader. Resolves when the hub has started. */
  async open(reader: HubReader): Promise<void> {
    this.#readers.add(reader);
    if (this.#running === undefined) {
      const running = new AbortController();
      this.#running = running;
      this.#started = this.#start(running.signal);
    }
    try {
      await this.#started;
    } catch (error) {
      // The next reader tries again.
      this.#running = undefined;
      throw error;
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    const position = await this.#options.events.position();
    if (signal.aborted) return;
    this.#position = position;
    void this.#run(position, signal);
  }

  close(reader: HubReader): void {
    this.leave(reader);
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#running?.abort();
    this.#running = undefined;
    this.#position = undefined;
  }

  /** True when a reader that has all events up to a position would miss none. */
  canJoin(position: LogPosition): boolean {
    return this.#position !== undefined && this.#options.events.distance(position, this.#position) === 0;
  }

  /** Offers live events to a reader from now on, also some that it may have already. */
  join(reader: HubReader): void {
    this.#joined.add(reader);
  }

  leave(reader: HubReader): void {
    this.#joined.delete(reader);
  }

  async #run(start: LogPosition, signal: AbortSignal): Promise<void> {
    const { events: source, clock, log } = this.#options;
    const { patterns } = this;
    let from = start;
    while (!signal.aborted) {
      try {
        for await (const { events, position } of source.follow({ from, patterns, signal })) {
          if (signal.aborted) return;
          for (const event of events) {
            for (const reader of patterns.match(event.type))
              if (this.#joined.has(reader)) reader.offer(event);
          }
          from = position;
          this.#position = position;
        }
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, "events for WebSockets could not be read; trying again");
      }
      if (signal.aborted) return;
      // Readers continue from their own positions, and learn if these have expired.
      this.#position = undefined;
      for (const reader of this.#joined) {
        this.leave(reader);
        reader.lose(from);
      }
      await sleep(clock, retryDelay, signal).catch(() => {});
      if (signal.aborted) return;
      from = await source.position().catch(() => from);
      this.#position = from;
    }
  }
}
