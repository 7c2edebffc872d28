import type { Redis } from "ioredis";
import { StateUnavailable } from "../state-backend.js";
import type { RedisAddress } from "./redis-address.js";

export interface RedisConnectionOptions {
  readonly address: RedisAddress;
  /** Milliseconds for connecting, and for the response to a command. */
  readonly timeout: number;
}

/** Milliseconds between attempts to connect, at most. */
const maxRetryDelay = 2000;

/**
 * Creates a client, which connects with its first command and reconnects by itself. Commands that wait for a response when the
 * connection is lost fail: it is not known whether they were performed. `ioredis` is loaded here, with the first use of the state.
 */
export async function redisClient({ address, timeout }: RedisConnectionOptions): Promise<Redis> {
  const { Redis } = await import("ioredis");
  const { host, port, username, password, db, tls } = address;
  return new Redis({
    host,
    port,
    db,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    lazyConnect: true,
    // Understood by all versions of Redis.
    protocol: 2,
    connectionName: "fettle",
    disableClientInfo: true,
    connectTimeout: timeout,
    commandTimeout: timeout,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, maxRetryDelay),
    // The server has become a replica: another one may answer at this address now.
    reconnectOnError: ({ message }) => message.startsWith("READONLY"),
  });
}

/**
 * Error for people: with the address, without the command and its arguments, which may be a password. The cause is left out for the
 * same reason.
 */
export function unavailable(address: RedisAddress, error: unknown): StateUnavailable {
  return new StateUnavailable(`Redis at ${address.shown}: ${problemOf(error, address)}`);
}

interface ClientError {
  readonly message?: string;
  readonly code?: string;
  readonly previousErrors?: readonly unknown[];
}

/** Text of an error of the client, without the password. */
export function problemOf(error: unknown, { password }: RedisAddress): string {
  // The first error of a transaction, rather than that it was discarded.
  const [first = error] = (error as ClientError).previousErrors ?? [];
  const { message = "", code = "" } = first as ClientError;
  const text = message === "" ? code || String(first) : message;
  const shown = password === undefined ? text : text.replaceAll(password, "***");
  return /^(NOAUTH|WRONGPASS|NOPERM|ERR invalid password)/.test(shown)
    ? `${shown} (check the user, password and permissions in the URL)`
    : shown;
}
