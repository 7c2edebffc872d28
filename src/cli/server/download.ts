import { systemClock } from "../../model/core.js";
import type { Connection } from "../../client/transport/connection.js";
import { RequestSender } from "../../client/transport/http/calls/request-sender.js";
import { RetryPolicy } from "../../client/transport/http/calls/retries.js";
import { managementPath } from "../../plane/management/contract.js";

interface Download {
  /** Path and query below the management API: `backup?follow=true`. */
  readonly path: string;
  /** What is downloaded, in error messages: `take a backup`. */
  readonly title: string;
  readonly accept: string;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Streams a file that a running control plane makes. */
export async function* download(
  connection: Connection,
  { path, title, accept, userAgent, signal }: Download,
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
    const stream = await caller.open(
      {
        verb: "watch",
        title,
        method: "GET",
        path: `${server.pathname.replace(/\/+$/, "")}${managementPath}/${path}`,
        accept,
        idempotent: true,
      },
      signal,
    );
    try {
      for (let chunks = await stream.read(); chunks !== undefined; chunks = await stream.read())
        yield* chunks;
    } finally {
      stream.close(new Error("the download has ended"));
    }
  } finally {
    await caller.close();
  }
}
