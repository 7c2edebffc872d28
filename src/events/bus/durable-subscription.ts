import { duration, formatDuration, sleep, within, type Clock } from "../../model/core.js";
import { PatternIndex } from "../../model/cloud-events/pattern-index.js";
import { deferred } from "../../client/async/deferred.js";
import { lazyChild, type Log } from "../../runtime/log/log.js";
import { messageOf } from "../../runtime/log/message-of.js";
import type { ActiveSubscription, SubscriptionState } from "../events.js";
import type { EventSubscription } from "../handler.js";
import { EventLogExpired, type EventLog, type LogBatch, type LogPosition } from "../log/event-log.js";
import { Delivery, type DeliveryServices, type DeliverySettings } from "./delivery.js";

/** Milliseconds between writes of the position while events are handled. */
const cursorInterval = 200;
/** Revisions and milliseconds after which the position is written although no event was handled, so that it does not expire. */
const quietRevisions = 10_000;
const quietInterval = duration("1h");
const minRetryDelay = 200;
const maxRetryDelay = 10_000;

/** A batch of the log whose events are being delivered. */
interface OpenBatch {
  readonly position: LogPosition;
  /** Events that are not settled; 1 more until all have been offered. */
  open: number;
}

/**
 * Subscription that resumes where it stopped. It reads the log from its stored position, delivers the events, and stores the position up to
 * which all events are settled. After a crash, events since then are delivered again.
 *
 * States: `resyncing` while a snapshot is delivered, because the log no longer has the events after the position; else `running`. `failed` while
 * the log cannot be read; it is read again after a delay.
 */
export class DurableSubscription implements ActiveSubscription {
  readonly name: string;
  readonly #subscription: EventSubscription;
  readonly #eventLog: EventLog;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #delivery: Delivery;
  readonly #patterns = new PatternIndex<true>();
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;
  readonly #positioned = deferred<void>();
  /** Batches in the order of the log; the position advances when the first ones have no open events. */
  readonly #batches: OpenBatch[] = [];
  /** Position up to which all events are settled. */
  #settled: LogPosition | undefined;
  /** Last position that was read, for the lag. */
  #read: LogPosition | undefined;
  #written: LogPosition | undefined;
  #writtenAt = 0;
  #handledSinceWrite = 0;
  #writing: Promise<void> | undefined;
  #writePlanned = false;
  #state: SubscriptionState["state"] = "running";
  #reason: string | undefined;
  #newest: LogPosition | undefined;

  constructor(
    subscription: EventSubscription,
    eventLog: EventLog,
    services: DeliveryServices,
    settings: Pick<DeliverySettings, "capacity" | "workers">,
  ) {
    this.name = subscription.name;
    this.#subscription = subscription;
    this.#eventLog = eventLog;
    this.#clock = services.clock;
    this.#log = lazyChild(services.log, () => ({ subscription: subscription.name }));
    this.#delivery = new Delivery(subscription, services, settings);
    for (const pattern of subscription.on) this.#patterns.add(pattern, true);
    this.#done = this.#work();
  }

  get delivery(): Delivery {
    return this.#delivery;
  }

  get patterns(): readonly string[] {
    return this.#subscription.on;
  }

  ready(): Promise<void> {
    return this.#positioned.promise;
  }

  state(): SubscriptionState {
    const { on } = this.#subscription;
    const { handled, dead, waiting } = this.#delivery;
    const position = this.#settled;
    const newest = this.#newest ?? this.#read;
    return {
      name: this.name,
      on,
      durable: true,
      state: this.#stopping.signal.aborted ? "stopped" : this.#state,
      reason: this.#reason,
      handled,
      dead,
      waiting,
      position,
      lag:
        position === undefined || newest === undefined
          ? undefined
          : this.#eventLog.distance(position, newest),
    };
  }

  /** Reads the newest position of the log, from which the lag is computed. */
  async measureLag(): Promise<void> {
    this.#newest = await this.#eventLog.position();
  }

  async stop(grace = 10_000): Promise<void> {
    this.#positioned.resolve();
    this.#stopping.abort(new Error(`subscription ${this.name} stops`));
    const deadline = new AbortController();
    const timer = this.#clock.after(grace, () =>
      deadline.abort(new Error(`subscription ${this.name} stops`)),
    );
    await this.#delivery.stop(deadline.signal);
    timer.cancel();
    await this.#done;
    await this.#writing;
    await this.#write().catch((error: unknown) =>
      this.#log.warn({ err: error }, "the position could not be stored"),
    );
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    let delay = minRetryDelay;
    let position: LogPosition | undefined;
    while (!signal.aborted) {
      try {
        position ??= await this.#start();
        this.#positioned.resolve();
        this.#state = "running";
        this.#reason = undefined;
        const batches = this.#eventLog.follow({ from: position, patterns: this.#patterns, signal });
        for await (const batch of batches) {
          await this.#deliver(batch);
          ({ position } = batch);
          delay = minRetryDelay;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof EventLogExpired) {
          const resynced = await this.#resync(position ?? "", error.message).catch((failure: unknown) => {
            this.#fail(failure, delay);
          });
          position = resynced ?? position;
          if (resynced !== undefined) continue;
        } else {
          this.#fail(error, delay);
        }
        await sleep(this.#clock, delay, signal).catch(() => {});
        delay = Math.min(delay * 2, maxRetryDelay);
      }
    }
  }

  #fail(error: unknown, delay: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#state = "failed";
    this.#reason = messageOf(error);
    this.#log.warn(
      { err: error },
      `the event log could not be read, next attempt in ${formatDuration(delay)}`,
    );
  }

  /** Position to start after. That of a new subscription is stored at once, so that nothing is missed if the process is killed. */
  async #start(): Promise<LogPosition> {
    const cursor = await this.#eventLog.readCursor(this.name);
    if (cursor === undefined && this.#subscription.start === "existing") {
      this.#positioned.resolve();
      return this.#deliverSnapshot();
    }
    const position = cursor?.position ?? (await this.#eventLog.position());
    this.#settled = position;
    if (cursor === undefined) {
      this.#handledSinceWrite = 1;
      await this.#write();
    } else {
      this.#written = position;
      this.#writtenAt = this.#clock.now();
    }
    return position;
  }

  async #resync(from: LogPosition, reason: string): Promise<LogPosition> {
    this.#state = "resyncing";
    this.#reason = reason;
    this.#log.warn({ from }, `events were missed, existing objects are delivered instead: ${reason}`);
    const { onResync } = this.#subscription;
    const limit = { clock: this.#clock, what: "onResync", signal: this.#stopping.signal };
    // Not awaited any more when the subscription stops: the position is the old one, so that the next start calls it again.
    if (onResync !== undefined) await within(limit, async () => onResync({ from, reason }));
    return this.#deliverSnapshot();
  }

  /** Delivers a snapshot; its position counts when all of it is settled. */
  async #deliverSnapshot(): Promise<LogPosition> {
    const { signal } = this.#stopping;
    // What is left of the batches before does not count any more.
    for (const batch of this.#batches.splice(0)) batch.open = Infinity;
    const whole: OpenBatch = { position: "", open: 1 };
    let position: LogPosition | undefined;
    for await (const batch of this.#eventLog.snapshot({ patterns: this.#patterns, signal })) {
      position = batch.position;
      await this.#offer(batch, whole);
    }
    // Not complete: the next start begins again.
    signal.throwIfAborted();
    if (position === undefined) throw new Error("the event log has no snapshot");
    const complete: OpenBatch = Object.assign(whole, { position });
    this.#batches.push(complete);
    this.#handledSinceWrite++;
    this.#close(complete);
    return position;
  }

  async #deliver(batch: LogBatch): Promise<void> {
    this.#read = batch.position;
    const open: OpenBatch = { position: batch.position, open: 1 };
    this.#batches.push(open);
    await this.#offer(batch, open);
    // A batch that was not offered to the end is never settled.
    if (!this.#stopping.signal.aborted) this.#close(open);
  }

  async #offer({ events }: LogBatch, open: OpenBatch): Promise<void> {
    for (const event of events) {
      if (this.#stopping.signal.aborted) return;
      open.open++;
      const room = this.#delivery.offer(event, () => {
        this.#handledSinceWrite++;
        this.#close(open);
      });
      if (room !== undefined) await room;
    }
  }

  #close(batch: OpenBatch): void {
    batch.open--;
    let advanced = false;
    while (this.#batches[0]?.open === 0) {
      this.#settled = this.#batches.shift()?.position;
      advanced = true;
    }
    if (advanced) this.#planWrite();
  }

  #planWrite(): void {
    if (this.#writePlanned || this.#stopping.signal.aborted || !this.#isWriteDue()) return;
    this.#writePlanned = true;
    this.#clock.after(cursorInterval, () => {
      this.#writePlanned = false;
      if (this.#stopping.signal.aborted) return;
      this.#writing = this.#write().catch((error: unknown) => {
        this.#log.warn({ err: error }, "the position could not be stored, next attempt with the next event");
      });
    });
  }

  /**
   * Storing the position is itself a change of the store, which advances the position. So it is stored when events were handled, and
   * otherwise only before it could expire.
   */
  #isWriteDue(): boolean {
    if (this.#settled === undefined) return false;
    if (this.#handledSinceWrite > 0 || this.#written === undefined) return true;
    const distance = this.#eventLog.distance(this.#written, this.#settled) ?? 0;
    return (
      distance >= quietRevisions || (distance > 0 && this.#clock.now() - this.#writtenAt >= quietInterval)
    );
  }

  async #write(): Promise<void> {
    const position = this.#settled;
    if (position === undefined || position === this.#written || !this.#isWriteDue()) return;
    const handled = this.#handledSinceWrite;
    const at = this.#clock.now();
    await this.#eventLog.writeCursor(this.name, { position, at });
    this.#handledSinceWrite -= handled;
    this.#written = position;
    this.#writtenAt = at;
  }
}
