import type { Redis } from "ioredis";
import type { Clock, Timer } from "../../../model/core.js";
import type { Log } from "../../../runtime/log/log.js";
import type { StateListener } from "../state-backend.js";
import { problemOf, redisClient, type RedisConnectionOptions } from "./redis-connection.js";

export interface RedisChangesOptions extends RedisConnectionOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Prefix of the keys. */
  readonly prefix: string;
  /** Channel on which writers publish changes. */
  readonly channel: string;
}

/** Interval in milliseconds at which the connection is tested, since a broken one may look open for a long time. */
const pingInterval = 5000;
/** Milliseconds until a subscription that was refused is tried again. */
const refusedDelay = 10_000;

/**
 * Subscription to changes, on a connection of its own. Writes and deletions come from the channel; expired and evicted keys from
 * keyspace notifications, which are turned on.
 *
 * States: connecting → live, when subscribed; live → connecting, when the connection is lost or does not respond to a ping. The
 * listener is interrupted when it leaves live, and resumed when it enters it.
 */
export class RedisChanges {
  /** Resolves when the first attempt to subscribe has succeeded or failed. */
  readonly attempted: Promise<void>;
  readonly #options: RedisChangesOptions;
  readonly #listener: StateListener;
  #attemptEnded = (): void => {};
  #client: Redis | undefined;
  #timer: Timer | undefined;
  #isLive = false;
  #isStopped = false;
  #lastProblem: string | undefined;
  #isRefusalReported = false;

  constructor(options: RedisChangesOptions, listener: StateListener) {
    this.#options = options;
    this.#listener = listener;
    this.attempted = new Promise((resolve) => (this.#attemptEnded = resolve));
    void this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#attemptEnded();
    this.#client?.disconnect();
  }

  async #start(): Promise<void> {
    const client = await redisClient(this.#options);
    if (this.#isStopped) return;
    this.#client = client;
    let problem: unknown;
    client.on("error", (error) => (problem = error));
    client.on("ready", () => void this.#subscribe(client));
    client.on("close", () => {
      this.#lost(problem ?? new Error("the connection was closed"));
      problem = undefined;
    });
    client.on("message", (channel, message) => this.#receive(channel, message));
    // A failed attempt is repeated by the client.
    await client.connect().catch(() => {});
  }

  async #subscribe(client: Redis): Promise<void> {
    const { channel, address, log } = this.#options;
    try {
      await this.#enableNotifications(client);
      const events = ["expired", "evicted"].map((event) => `__keyevent@${address.db}__:${event}`);
      await client.subscribe(channel, ...events);
    } catch (error) {
      if (client.status !== "ready" || this.#isStopped) return;
      this.#report("the state does not receive changes from Redis, and reads are not cached", error);
      this.#attemptEnded();
      this.#timer = this.#options.clock.after(refusedDelay, () => void this.#subscribe(client));
      return;
    }
    if (this.#isStopped) return;
    if (this.#lastProblem !== undefined)
      log.info({ redis: address.shown }, "the state receives changes from Redis again");
    this.#lastProblem = undefined;
    this.#isLive = true;
    this.#attemptEnded();
    this.#listener.resumed();
    this.#pingLater(client);
  }

  /** Adds the classes of events that are needed to those that the server sends already. */
  async #enableNotifications(client: Redis): Promise<void> {
    try {
      const [, flags = ""] = await client.config("GET", "notify-keyspace-events");
      const has = (flag: string): boolean => flags.includes(flag) || (flag !== "E" && flags.includes("A"));
      const missing = ["E", "x", "e"].filter((flag) => !has(flag));
      if (missing.length > 0) await client.config("SET", "notify-keyspace-events", flags + missing.join(""));
    } catch (error) {
      if (client.status !== "ready") throw error;
      if (this.#isRefusalReported) return;
      this.#isRefusalReported = true;
      const { address, log } = this.#options;
      log.warn(
        { redis: address.shown, problem: problemOf(error, address) },
        "Redis does not allow CONFIG: set notify-keyspace-events to Exe on the server, or watches of the state do not see that keys expire",
      );
    }
  }

  #receive(channel: string, message: string): void {
    if (this.#isStopped) return;
    const { prefix } = this.#options;
    if (channel !== this.#options.channel) {
      if (message.startsWith(prefix)) this.#listener.changed(message.slice(prefix.length), undefined);
      return;
    }
    const { key, json } = decodeChange(message);
    this.#listener.changed(key, json);
  }

  #pingLater(client: Redis): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(pingInterval, () => void this.#ping(client));
  }

  async #ping(client: Redis): Promise<void> {
    try {
      await client.ping();
      if (this.#isLive && !this.#isStopped) this.#pingLater(client);
    } catch {
      if (this.#isLive && !this.#isStopped) client.disconnect(true);
    }
  }

  #lost(problem: unknown): void {
    this.#timer?.cancel();
    this.#attemptEnded();
    if (this.#isStopped) return;
    const failed = this.#isLive ? "the state lost the connection to Redis" : "the state cannot reach Redis";
    this.#report(`${failed}, and tries to connect again`, problem);
    if (!this.#isLive) return;
    this.#isLive = false;
    this.#listener.interrupted();
  }

  /** Writes a warning, unless it is the same as before. */
  #report(text: string, error: unknown): void {
    const { address, log } = this.#options;
    const problem = problemOf(error, address);
    if (problem === this.#lastProblem) return;
    this.#lastProblem = problem;
    log.warn({ redis: address.shown, problem }, text);
  }
}

/** Message on the channel: the key, and after a line feed the value as JSON. Keys have no control characters. */
export function encodeChange(key: string, json: string | undefined): string {
  return json === undefined ? key : `${key}\n${json}`;
}

function decodeChange(message: string): { readonly key: string; readonly json: string | undefined } {
  const end = message.indexOf("\n");
  return end < 0
    ? { key: message, json: undefined }
    : { key: message.slice(0, end), json: message.slice(end + 1) };
}
