import { request, type IncomingMessage } from "node:http";
import { connect, isIPv6 } from "node:net";
import { duration, type Clock } from "fettle";
import type { BackendObject } from "../kinds/proxy.js";

export type HealthCheck = NonNullable<BackendObject["spec"]["healthCheck"]>;

/** Address to check. */
export interface CheckedAddress {
  /** IP address. */
  readonly address: string;
  /** Host of the target, for the Host header. */
  readonly host: string;
  /** Port of the target, which the check can replace. */
  readonly port: number;
}

interface CheckOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Checks an address once, within the timeout of the check. Returns undefined if it is healthy, otherwise why not. Rejects if this
 * machine could not check, which says nothing about the address.
 */
export type CheckAddress = (
  address: CheckedAddress,
  check: HealthCheck,
  options: CheckOptions,
) => Promise<string | undefined>;

/** Bytes of a response that are read. They are discarded, but a server that is cut off would log an error. */
const maxBody = 64 * 1024;

/** Checks an address by a GET request or by connecting to it. */
export const checkTarget: CheckAddress = async (target, check, { clock, signal }) => {
  signal.throwIfAborted();
  const expired = new AbortController();
  const timer = clock.after(duration(check.timeout), () => expired.abort());
  const both = AbortSignal.any([signal, expired.signal]);
  try {
    return await (check.type === "tcp" ? checkConnection : checkResponse)(target, check, both);
  } catch (error) {
    if (expired.signal.aborted) return `no response within ${check.timeout}`;
    signal.throwIfAborted();
    return failureText(error);
  } finally {
    timer.cancel();
  }
};

function checkConnection(
  { address, port }: CheckedAddress,
  check: HealthCheck,
  signal: AbortSignal,
): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port: check.port ?? port, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", reject);
  });
}

async function checkResponse(
  { address, host, port }: CheckedAddress,
  check: HealthCheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  const checkedPort = check.port ?? port;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      host: address,
      port: checkedPort,
      path: check.path,
      // A connection of its own: one that is kept alive would prove nothing about new ones.
      agent: false,
      headers: {
        host: check.host ?? hostHeader(host, checkedPort),
        "user-agent": "fettle-health-check",
        accept: "*/*",
        connection: "close",
      },
      signal,
    });
    sent.once("response", resolve);
    sent.on("error", reject);
    sent.once("upgrade", (answer, socket) => {
      socket.destroy();
      resolve(answer);
    });
    sent.end();
  });
  const { statusCode = 0 } = response;
  await discard(response);
  const { min, max } = check.expect;
  if (statusCode >= min && statusCode <= max) return undefined;
  return `status ${statusCode}`;
}

/** Reads the body to its end, up to a limit, or until the timeout. The status is known, so nothing here is a failure. */
async function discard(response: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const part of response) {
      size += (part as Buffer).length;
      if (size > maxBody) break;
    }
  } catch {
    // It was cut off.
  } finally {
    response.destroy();
  }
}

function hostHeader(host: string, port: number): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}

const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was closed before a response",
  EPIPE: "the connection was closed before a response",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the connection timed out",
  EACCES: "a firewall of this machine forbids the connection",
  EPERM: "a firewall of this machine forbids the connection",
};

/** Faults of this machine rather than of the target. */
const localFaults = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
  "EADDRINUSE",
  "EAGAIN",
]);

function failureText(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (localFaults.has(code)) throw new Error(`this machine cannot check: ${code}`, { cause: error });
  if (code.startsWith("HPE_")) return "the response is not HTTP";
  return failures[code] ?? (code === "" ? message : code);
}
