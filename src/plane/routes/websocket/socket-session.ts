import { formatTime, type Clock, type Timer } from "../../../model/core.js";
import type { EventLog } from "../../../events/log/event-log.js";
import type { SocketConnection, User } from "../../../server/index.js";
import type { EventAccess } from "../event-access.js";
import type { Topics } from "../topics.js";
import { SocketFeed } from "./socket-feed.js";
import type { EventHub } from "./event-hub.js";
import {
  MessageError,
  parseId,
  parseMessage,
  positionId,
  serverMessage,
  type ClientMessage,
  type ServerMessage,
} from "./protocol.js";
import { Subscriptions } from "./subscriptions.js";

/** Limits of WebSocket connections for events. */
export interface SocketLimits {
  /** Topics of one connection. */
  readonly topics: number;
  /** Subscriptions of all connections together. */
  readonly subscriptions: number;
  /** Messages per second that a client may send; further ones are read later. */
  readonly messagesPerSecond: number;
  /** Milliseconds between heartbeats. */
  readonly heartbeat: number;
}

/** Parts that all sessions share. */
export interface SessionParts {
  readonly events: EventLog;
  readonly hub: EventHub;
  readonly access: EventAccess;
  readonly topics: Topics;
  readonly limits: SocketLimits;
  readonly clock: Clock;
  /** Subscriptions of all sessions. */
  readonly total: { count: number };
}

/** Consecutive messages that are not understood, after which a client is disconnected. */
const maxFaults = 20;

/** One WebSocket client: answers its messages. */
export class SocketSession {
  readonly #connection: SocketConnection;
  readonly #parts: SessionParts;
  readonly #subscriptions: Subscriptions;
  readonly #feed: SocketFeed;
  #heartbeat: Timer | undefined;

  constructor(connection: SocketConnection, user: User, parts: SessionParts) {
    const { events, hub, access, topics, limits, total } = parts;
    this.#connection = connection;
    this.#parts = parts;
    const subscriptions = new Subscriptions({
      topics,
      maxTopics: limits.topics,
      maxTotal: limits.subscriptions,
      total,
      onPattern: (pattern, isAdded) => {
        if (isAdded) hub.patterns.add(pattern, this.#feed);
        else hub.patterns.delete(pattern, this.#feed);
      },
    });
    this.#subscriptions = subscriptions;
    this.#feed = new SocketFeed({
      events,
      hub,
      connection,
      subscriptions,
      mayRead: (event) => subscriptions.isOpen(event) || access.mayRead(user, event),
      onExpired: (position) =>
        this.#fail("expired", expired, { resync: true, position: positionId(position) }),
    });
  }

  /** Serves the client until the connection closes. */
  async run(): Promise<void> {
    const { hub } = this.#parts;
    try {
      await hub.open(this.#feed);
      this.#scheduleHeartbeat();
      await this.#readMessages();
    } finally {
      this.#heartbeat?.cancel();
      this.#feed.stop();
      this.#subscriptions.clear();
      hub.close(this.#feed);
    }
  }

  async #readMessages(): Promise<void> {
    const { limits, clock } = this.#parts;
    const rate = limits.messagesPerSecond;
    let faults = 0;
    let tokens = rate;
    let refilledAt = clock.now();
    for await (const text of this.#connection.messages) {
      faults = (await this.#answer(text)) ? 0 : faults + 1;
      if (faults >= maxFaults) {
        this.#connection.close(1008, "too many messages that are not understood");
        return;
      }
      const now = clock.now();
      tokens = Math.min(rate, tokens + ((now - refilledAt) / 1000) * rate) - 1;
      refilledAt = now;
      if (tokens < 0) await this.#wait(1000 / rate);
    }
  }

  /** Waits, but not longer than the connection lasts. */
  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#connection;
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#parts.clock.after(milliseconds, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** Answers a message; false if it was not understood. */
  async #answer(text: string): Promise<boolean> {
    let ref: string | undefined;
    try {
      const message = parseMessage(text);
      ref = message.ref;
      await this.#perform(message);
      return true;
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      await this.#fail("invalid-message", error.message, { ref: ref ?? error.ref });
      return false;
    }
  }

  async #perform(message: ClientMessage): Promise<void> {
    const { ref } = message;
    const subscriptions = this.#subscriptions;
    switch (message.action) {
      case "subscribe": {
        const { topics: names, from } = message;
        const point = from === undefined ? undefined : parseId(from);
        subscriptions.add(names);
        const topics = subscriptions.describe(names);
        if (point !== undefined) {
          await this.#feed.resume(point, () => this.#send("subscribed", { topics, position: from, ref }));
          return;
        }
        const position = positionId(await this.#feed.start());
        await this.#send("subscribed", { topics, position, ref });
        return;
      }
      case "unsubscribe": {
        const topics = message.topics.filter((topic) => subscriptions.has(topic));
        for (const topic of topics) subscriptions.remove(topic);
        await this.#send("unsubscribed", { topics, ref });
        return;
      }
      case "resume": {
        const point = parseId(message.id);
        subscriptions.add(message.topics);
        const { names } = subscriptions;
        if (names.length === 0)
          throw new MessageError("there is nothing to resume: add topics, or subscribe first");
        const topics = subscriptions.describe(names);
        await this.#feed.resume(point, () => this.#send("resumed", { topics, position: message.id, ref }));
        return;
      }
      case "ping":
        await this.#send("pong", { time: formatTime(this.#parts.clock.now()), ref });
    }
  }

  #scheduleHeartbeat(): void {
    const { clock, limits } = this.#parts;
    this.#heartbeat = clock.after(limits.heartbeat, () => {
      const { position } = this.#feed;
      const payload = {
        time: formatTime(clock.now()),
        position: position === undefined ? undefined : positionId(position),
      };
      if (!this.#connection.isCongested) void this.#send("heartbeat", payload);
      this.#scheduleHeartbeat();
    });
  }

  async #send(type: ServerMessage["type"], payload: ServerMessage["payload"]): Promise<boolean> {
    return this.#connection.send(serverMessage({ type, payload }));
  }

  #fail(code: string, message: string, more: Readonly<Record<string, unknown>>): Promise<boolean> {
    return this.#send("error", { code, message, ...more });
  }
}

const expired =
  "events were missed: the log no longer has those after this id. Read the objects again; new events follow from now on";
