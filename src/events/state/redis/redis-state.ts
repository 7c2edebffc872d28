import type { Redis } from "ioredis";
import { systemClock, type Clock } from "../../../model/core.js";
import type { Glob } from "../../../model/glob/glob.js";
import { silent, type Log } from "../../../runtime/log/log.js";
import type { StateBackend, StateListener, StateRecord } from "../state-backend.js";
import { redisAddress, type RedisAddress } from "./redis-address.js";
import { encodeChange, RedisChanges } from "./redis-changes.js";
import { redisClient, unavailable } from "./redis-connection.js";

export interface RedisStateOptions {
  /** `redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` for TLS. */
  readonly url: string;
  /** Prefix of all keys. Default: `fettle:state:`. */
  readonly prefix?: string | undefined;
  /** Milliseconds for connecting, and for the response to a command. Default: 5,000. */
  readonly timeout?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** Deletes a key, and publishes that if there was one. */
const deleteScript = `
if redis.call("DEL", KEYS[1]) == 1 then redis.call("PUBLISH", ARGV[1], ARGV[2]) end
return 0`;

/**
 * State in Redis, which several processes can share. It connects with the first use, and is as durable as the server is configured to be.
 *
 * @throws {RangeError} for an invalid URL.
 */
export function redisState({ url, ...options }: RedisStateOptions): StateBackend {
  return new RedisState(redisAddress(url), options);
}

class RedisState implements StateBackend {
  readonly name = "redis";
  readonly #address: RedisAddress;
  readonly #prefix: string;
  readonly #channel: string;
  readonly #timeout: number;
  readonly #clock: Clock;
  readonly #log: Log;
  #client: Promise<Redis> | undefined;
  #changes: RedisChanges | undefined;
  /** Last error of the connection, which says more than that of a command that waited for it. */
  #problem: unknown;

  constructor(
    address: RedisAddress,
    {
      prefix = "fettle:state:",
      timeout = 5000,
      clock = systemClock,
      log = silent,
    }: Omit<RedisStateOptions, "url">,
  ) {
    this.#address = address;
    this.#prefix = prefix;
    // Channels are shared by all databases of a server.
    this.#channel = `${prefix}changes@${address.db}`;
    this.#timeout = timeout;
    this.#clock = clock;
    this.#log = log;
  }

  async get(key: string): Promise<StateRecord | undefined> {
    const name = this.#prefix + key;
    // Taken before the request, so that a value is not used longer than the server keeps it.
    const now = this.#clock.now();
    const [json, left] = await this.#perform((client) => results(client.multi().get(name).pttl(name).exec()));
    if (typeof json !== "string") return undefined;
    return typeof left === "number" && left >= 0 ? { json, expires: now + left } : { json };
  }

  async set(key: string, json: string, ttl: number | undefined): Promise<void> {
    await this.#changes?.attempted;
    const name = this.#prefix + key;
    await this.#perform((client) => {
      const transaction = client.multi();
      if (ttl === undefined) transaction.set(name, json);
      else transaction.set(name, json, "PX", ttl);
      return results(transaction.publish(this.#channel, encodeChange(key, json)).exec());
    });
  }

  async delete(key: string): Promise<void> {
    await this.#changes?.attempted;
    const message = encodeChange(key, undefined);
    await this.#perform((client) => client.eval(deleteScript, 1, this.#prefix + key, this.#channel, message));
  }

  async keys(glob: Glob, limit: number): Promise<readonly string[]> {
    const pattern = `${escaped(this.#prefix + glob.prefix)}*`;
    const found = new Set<string>();
    let cursor = "0";
    do {
      const [next, names] = await this.#perform((client) =>
        client.scan(cursor, "MATCH", pattern, "COUNT", 1000),
      );
      cursor = next;
      for (const name of names) {
        const key = name.slice(this.#prefix.length);
        if (glob.matches(key)) found.add(key);
      }
    } while (cursor !== "0");
    return [...found].toSorted().slice(0, limit);
  }

  subscribe(listener: StateListener): () => void {
    const changes = new RedisChanges(
      {
        address: this.#address,
        timeout: this.#timeout,
        clock: this.#clock,
        log: this.#log,
        prefix: this.#prefix,
        channel: this.#channel,
      },
      listener,
    );
    this.#changes = changes;
    return () => {
      changes.stop();
      if (this.#changes === changes) this.#changes = undefined;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#changes?.stop();
    const client = await this.#client;
    if (client?.status === "ready") await client.quit().catch(() => {});
    client?.disconnect();
  }

  /** Performs a command. @throws {StateUnavailable} */
  async #perform<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    try {
      return await command(client);
    } catch (error) {
      const isConnected = client.status === "ready";
      throw unavailable(this.#address, isConnected ? error : (this.#problem ?? error));
    }
  }

  async #connect(): Promise<Redis> {
    const client = await redisClient({ address: this.#address, timeout: this.#timeout });
    client.on("error", (error) => (this.#problem = error));
    client.on("ready", () => (this.#problem = undefined));
    return client;
  }
}

/** Results of a transaction, of which all commands have to succeed. */
async function results(executed: Promise<[Error | null, unknown][] | null>): Promise<readonly unknown[]> {
  const all = (await executed) ?? [];
  for (const [error] of all) if (error !== null) throw error;
  return all.map(([, result]) => result);
}

/** Escapes the special characters of Redis' patterns. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, String.raw`\$&`);
}
