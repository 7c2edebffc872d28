import { failures } from "fettle/model";
import type { Client } from "fettle";
import type { Extension, ExtensionRequest, User } from "fettle/server";
import type { LogLine, LogOptions, ProcessDriver } from "./driver/driver.js";
import { Process, type ProcessObject } from "./kinds.js";

/** Path of the logs of a process: `/operators/process/logs/NAMESPACE/NAME`. */
export const logPath = "/operators/process";

export interface LogRouteOptions {
  readonly driver: Pick<ProcessDriver, "inspect" | "logs" | "subscribe">;
  readonly client: Pick<Client, "find">;
  /** Throws if the user may not read the log of a process. */
  readonly checkRead: (user: User, namespace: string, name: string) => Promise<void>;
}

/** Attempts whose log is read. */
export interface LogQuery extends LogOptions {
  /** The attempt before the newest one. */
  readonly previous?: boolean | undefined;
}

/**
 * Serves the logs of processes in the log format of Kubernetes' container runtimes:
 *
 *   GET /operators/process/logs/default/web?follow=true&tail=100&since=1767254400000&previous=true
 *   2026-01-01T08:00:00.123Z stdout F listening on port 8080
 */
export function logRoute(options: LogRouteOptions): Extension {
  return {
    path: logPath,
    async serve(request) {
      const [what, namespace, name, ...more] = request.path.split("/").map(decodeURIComponent);
      if (what !== "logs" || namespace === undefined || name === undefined || more.length > 0)
        return undefined;
      if (request.method !== "GET") {
        throw failures.methodNotSupported(
          { group: "process.fettle.dev", resource: "processes/log" },
          request.method,
        );
      }
      await options.checkRead(request.user, namespace, name);
      const process = await options.client.find(Process, { namespace, name });
      if (process === undefined) {
        throw failures.notFound({ group: "process.fettle.dev", resource: "processes" }, name);
      }
      return { type: "text/plain; charset=utf-8", stream: lines(options, process, queryOf(request)) };
    },
  };
}

function queryOf(request: ExtensionRequest): LogQuery {
  const number = (name: string): number | undefined => {
    const text = request.parameter(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isFinite(value) && value >= 0) return value;
    throw failures.badRequest(`${name}=${text}: use a number of at least 0`);
  };
  return {
    follow: request.parameter("follow") === "true",
    previous: request.parameter("previous") === "true",
    since: number("since"),
    tail: number("tail"),
    signal: request.signal,
  };
}

async function* lines(
  { driver }: LogRouteOptions,
  { metadata: { uid = "", name } }: ProcessObject,
  { previous = false, ...options }: LogQuery,
): AsyncIterable<Uint8Array> {
  const attempts = await driver.inspect(uid);
  let attempt = attempts.at(previous ? -2 : -1)?.number;
  if (attempt === undefined && previous) {
    throw failures.badRequest(`process ${name} has no previous attempt`);
  }
  const { follow = false, signal } = options;
  for (let rest = options; ; rest = { follow, signal }) {
    if (attempt !== undefined) {
      for await (const line of driver.logs(uid, attempt, rest)) yield formatLine(line);
    }
    if (!follow || previous || signal?.aborted === true) return;
    attempt = await nextAttempt(driver, uid, attempt ?? 0, signal);
    if (attempt === undefined) return;
  }
}

/** Waits for an attempt after the given one; undefined when the signal aborts. */
async function nextAttempt(
  driver: LogRouteOptions["driver"],
  uid: string,
  after: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  let changed = (): void => {};
  using _ = driver.subscribe((change) => {
    if (change.uid === uid) changed();
  });
  const wake = (): void => changed();
  signal?.addEventListener("abort", wake);
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => (changed = resolve));
      const found = (await driver.inspect(uid)).find(({ number }) => number > after);
      if (found !== undefined) return found.number;
      if (signal?.aborted === true) return undefined;
      await next;
    }
  } finally {
    signal?.removeEventListener("abort", wake);
  }
}

const lineFeed = Buffer.from("\n");

function formatLine({ time, stream, text, partial }: LogLine): Uint8Array {
  const prefix = `${new Date(time).toISOString()} ${stream} ${partial ? "P" : "F"} `;
  return Buffer.concat([Buffer.from(prefix), text, lineFeed]);
}
