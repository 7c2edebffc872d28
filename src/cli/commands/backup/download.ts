import { systemClock } from "../../../model/core.js";
import type { Connection } from "../../../client/transport/connection.js";
import { RequestSender } from "../../../client/transport/http/calls/request-sender.js";
import { RetryPolicy } from "../../../client/transport/http/calls/retries.js";
import { managementPath } from "../../../plane/management/contract.js";

/** Streams the backup that a running control plane makes of itself. */
export async function* downloadBackup(
  connection: Connection,
  { userAgent, signal }: { readonly userAgent: string; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  const server = new URL(connection.server);
  const caller = new RequestSender({
    connection,
    server,
    userAgent,
    clock: systemClock,
    policy: new RetryPolicy(undefined, undefined),
    limit: undefined,
    timeout: 30_000,
    onRequest: () => {},
  });
  try {
    const path = `${server.pathname.replace(/\/+$/, "")}${managementPath}/backup?follow=true`;
    const stream = await caller.open(
      {
        verb: "watch",
        title: "take a backup",
        method: "GET",
        path,
        accept: "application/gzip, application/json",
        idempotent: true,
      },
      signal,
    );
    try {
      for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read())
        yield* chunks;
    } finally {
      stream.close(new Error("backup finished"));
    }
  } finally {
    await caller.close();
  }
}
