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
interface LogQuery extends LogOptions {
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
      const [what, namespace, name, ...more] = request.path.split("/");
      if (what !== "logs" || namespace === undefined || name === undefined || more.length > 0)
        return undefined;
      if (request.method !== "GET") {
        throw failures.methodNotSupported(
          { group: "process.fettle.dev", resource: "processes/log" },
          request.method,
        );
      }
      await options.checkRead(request.user, namespace, name);
      const canExist = [namespace, name].every((each) => objectName.test(each));
      const process = canExist ? await options.client.find(Process, { namespace, name }) : undefined;
      if (process === undefined) {
        throw failures.notFound({ group: "process.fettle.dev", resource: "processes" }, name);
      }
      const query = queryOf(request);
      const first = await firstAttempt(options.driver, process, query);
      return { type: "text/plain; charset=utf-8", stream: lines(options, process, first, query) };
    },
  };
}

/** Names that an object or a namespace can have. */
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Number of the attempt to begin with; undefined if there is none yet. Found before the response begins, which could not fail later. */
async function firstAttempt(
  driver: LogRouteOptions["driver"],
  { metadata: { uid = "", name } }: ProcessObject,
  { previous = false }: LogQuery,
): Promise<number | undefined> {
  const attempt = (await driver.inspect(uid)).at(previous ? -2 : -1)?.number;
  if (attempt === undefined && previous) {
    throw failures.badRequest(`process ${name} has no previous attempt`);
  }
  return attempt;
}

function queryOf(request: ExtensionRequest): LogQuery {
  const number = (name: string): number | undefined => {
    const text = request.parameter(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text !== "" && Number.isSafeInteger(value) && value >= 0) return value;
    throw failures.badRequest(`${name}=${text}: use a whole number of at least 0`);
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
  { metadata: { uid = "" } }: ProcessObject,
  first: number | undefined,
  { previous = false, ...options }: LogQuery,
): AsyncIterable<Uint8Array> {
  let attempt = first;
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
