import type { Client } from "../../client/client.js";
import { createInformers } from "../../client/informer/create-informers.js";
import type { Informer, Informers } from "../../client/informer/informers.js";
import type { AnyKind } from "../../client/kinds/kind.js";
import type { ObjectChange } from "../../client/source/source.js";
import { isNotFound, newUid, type Clock, type Random } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import type { Log } from "../../runtime/log/log.js";
import type { EventNaming } from "../object/event-naming.js";
import { objectEvents } from "../object/object-events.js";
import {
  EventLogExpired,
  type DeadEvent,
  type EventLog,
  type LogBatch,
  type LogPosition,
  type LogReadOptions,
  type SubscriptionCursor,
} from "./event-log.js";

export interface ClientEventLogOptions {
  readonly client: Client;
  /** Kinds whose changes are events. Called when the log is first read. */
  readonly kinds: () => readonly AnyKind[];
  readonly naming: EventNaming;
  readonly source: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Log;
}

/** Events that readers can go back to. */
const ringSize = 10_000;
const maxDeadLetters = 1000;
const configMapKind = "v1/ConfigMap";

interface LoggedEvent {
  readonly event: CloudEvent;
  readonly isAppended: boolean;
}

/**
 * Event log of a process that works on an API elsewhere, such as Kubernetes. It has the events since the process started: changes of
 * objects from watches, and what this process appends. Its positions are of no use to the next process, so that a durable subscription gets
 * the existing objects after a restart.
 */
export class ClientEventLog implements EventLog {
  readonly #options: ClientEventLogOptions;
  readonly #epoch: string;
  readonly #informers: Informers;
  readonly #ring: LoggedEvent[] = [];
  /** Number of events so far; the ring has the last ones. */
  #count = 0;
  readonly #waiters = new Set<() => void>();
  readonly #opened: Informer[] = [];
  #watching: Promise<void> | undefined;
  readonly #cursors = new Map<string, SubscriptionCursor>();
  readonly #dead: DeadEvent[] = [];

  constructor(options: ClientEventLogOptions) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    this.#epoch = newUid(random);
    this.#informers = createInformers({
      transport: client.transport,
      resolve: (kind) => client.kind(kind),
      clock,
      random,
      onError: (error, { kind, doing }) => logger.warn({ kind: kind.kind, err: error }, `events: ${doing}`),
    });
  }

  async append(events: readonly CloudEvent[]): Promise<void> {
    for (const event of events) this.#push(event, true);
  }

  async *follow({ from, patterns, only, signal }: LogReadOptions): AsyncGenerator<LogBatch, void, undefined> {
    let next = from === undefined ? this.#count : this.#indexOf(from);
    // Started before the first wait, so that nothing is missed from here on.
    const watching = only === "appended" ? undefined : this.#watch();
    yield { events: [], position: this.#positionAt(next) };
    await watching;
    while (!signal.aborted) {
      if (next < this.#count - this.#ring.length) throw expired("the reader was too slow");
      const logged = this.#ring.slice(next - (this.#count - this.#ring.length));
      next = this.#count;
      const events = logged
        .filter(({ event, isAppended }) => {
          return (
            (only === undefined || isAppended) &&
            (patterns === undefined || patterns.match(event.type).length > 0)
          );
        })
        .map(({ event }) => event);
      if (logged.length > 0) yield { events, position: this.#positionAt(next) };
      if (next === this.#count) await this.#nextEvent(signal);
    }
  }

  async *snapshot({ patterns }: Omit<LogReadOptions, "from">): AsyncGenerator<LogBatch, void, undefined> {
    await this.#watch();
    const position = this.#positionAt(this.#count);
    for (const informer of this.#opened) {
      const events: CloudEvent[] = [];
      for (const object of informer.list()) {
        const change: ObjectChange = { type: "CREATED", object, initial: true };
        events.push(...this.#eventsOf(change, informer.kind.plural, true));
      }
      yield {
        events: events.filter(({ type }) => patterns === undefined || patterns.match(type).length > 0),
        position,
      };
    }
    if (this.#opened.length === 0) yield { events: [], position };
  }

  async position(): Promise<LogPosition> {
    return this.#positionAt(this.#count);
  }

  distance(from: LogPosition, to: LogPosition): number | undefined {
    const [epoch, first] = from.split("/");
    const [other, last] = to.split("/");
    return epoch === other ? Math.max(0, Number(last) - Number(first)) : undefined;
  }

  async readCursor(name: string): Promise<SubscriptionCursor | undefined> {
    const known = this.#cursors.get(name);
    if (known !== undefined) return known;
    try {
      const { data = {} } = (await this.#options.client.get(configMapKind, configMapName(name))) as {
        data?: Record<string, string>;
      };
      return { position: data["position"] ?? "", at: Number(data["at"] ?? 0) };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Stores that the subscription exists; the next process only needs to know that. */
  async writeCursor(name: string, cursor: SubscriptionCursor): Promise<void> {
    if (!this.#cursors.has(name)) {
      const { position, at } = cursor;
      await this.#options.client.apply(
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: configMapName(name), labels: { "fettle.dev/subscription": name } },
          data: { position, at: String(at) },
        },
        { fieldManager: "fettle-events", force: true },
      );
    }
    this.#cursors.set(name, cursor);
  }

  async deleteCursor(name: string): Promise<void> {
    this.#cursors.delete(name);
    await this.#options.client.delete(configMapKind, configMapName(name));
  }

  async cursors(): Promise<readonly string[]> {
    const { client } = this.#options;
    const { items } = await client.list(configMapKind, {
      namespace: client.namespace,
      labelSelector: "fettle.dev/subscription",
    });
    return items.map(({ metadata }) => metadata.labels?.["fettle.dev/subscription"] ?? "");
  }

  async writeDead(letter: DeadEvent): Promise<void> {
    await this.deleteDead(letter);
    this.#dead.push(letter);
    if (this.#dead.length > maxDeadLetters) this.#dead.shift();
  }

  async readDead(): Promise<readonly DeadEvent[]> {
    return [...this.#dead];
  }

  async deleteDead({ subscription, event: { id, source } }: DeadEvent): Promise<void> {
    const index = this.#dead.findIndex(
      (each) => each.subscription === subscription && each.event.id === id && each.event.source === source,
    );
    if (index >= 0) this.#dead.splice(index, 1);
  }

  async close(): Promise<void> {
    for (const informer of this.#opened) informer.release();
    await this.#informers.close();
  }

  /** Watches all kinds; resolves when they have been listed. */
  #watch(): Promise<void> {
    this.#watching ??= this.#openAll().catch((error: unknown) => {
      this.#watching = undefined;
      throw error;
    });
    return this.#watching;
  }

  async #openAll(): Promise<void> {
    for (const kind of this.#options.kinds()) {
      const informer = await this.#informers.open(kind);
      await informer.ready();
      informer.subscribe((change) => {
        if (change.initial) return;
        for (const event of this.#eventsOf(change, informer.kind.plural, false)) this.#push(event, false);
      });
      this.#opened.push(informer);
    }
  }

  #eventsOf({ type, object, old }: ObjectChange, plural: string, resync: boolean): readonly CloudEvent[] {
    const { naming, source, clock } = this.#options;
    const isDeleted = type === "DELETED";
    const revision = object.metadata.resourceVersion ?? "";
    const versions = {
      now: isDeleted ? undefined : object,
      old: isDeleted ? object : old,
      // The last version of a deleted object has had its events.
      revision: isDeleted ? `${revision}-deleted` : revision,
      resync,
    };
    return objectEvents(versions, { naming, source, plural, now: clock.now() });
  }

  #push(event: CloudEvent, isAppended: boolean): void {
    this.#ring.push({ event, isAppended });
    this.#count++;
    if (this.#ring.length > ringSize) this.#ring.shift();
    for (const wake of this.#waiters) wake();
  }

  #positionAt(count: number): LogPosition {
    return `${this.#epoch}/${count}`;
  }

  #indexOf(position: LogPosition): number {
    const [epoch, count] = position.split("/");
    if (epoch !== this.#epoch) throw expired("they happened before this process started");
    return Number(count);
  }

  #nextEvent(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiters.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal.addEventListener("abort", wake, { once: true });
      if (signal.aborted) wake();
    });
  }
}

function expired(why: string): EventLogExpired {
  return new EventLogExpired(`events are not available any more: ${why}`);
}

function configMapName(subscription: string): string {
  return `fettle-subscription-${subscription}`;
}
