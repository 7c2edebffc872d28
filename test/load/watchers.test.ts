import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMaps } from "../server/http/paths.js";
import { Connection } from "./connection.js";
import { count, full, mebibytes, milliseconds, patience, report } from "./figures.js";
import { alice, bob, startLoadServer, type LoadServer } from "./load-server.js";
import { WatchStream } from "./watch-stream.js";

/** Default limit of the server; fewer where the system limits open files. */
const wanted = 10_000;
const writes = full ? 100 : 10;
const spare = 200;

/** Limit of open files of a process, which includes connections; Node raises it to the hard limit. */
function openFiles(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    // Only Linux has it in /proc.
    return Infinity;
  }
}

const watchers = Math.min(wanted, openFiles() - spare);
if (watchers < wanted) {
  console.warn(
    `ONLY ${watchers} WATCHERS instead of ${wanted}: a process may have ${openFiles()} open files here (ulimit -n)`,
  );
}

let server: LoadServer;
beforeAll(async () => {
  // One connection besides the watchers reads the metrics.
  server = await startLoadServer({ limits: { watches: watchers } });
});
afterAll(() => server[Symbol.asyncDispose]());

async function openWatches(): Promise<number> {
  const { samples } = await server.metrics();
  const gauges = samples.filter(({ name }) => name === "apiserver_longrunning_requests");
  return gauges.reduce((sum, { value }) => sum + value, 0);
}

test(
  `${count(watchers)} watchers receive every event once and in order`,
  async () => {
    const writer = await Connection.open(server.url, bob);
    const from = (await writer.ask("GET", configMaps)).json.metadata.resourceVersion as string;
    const path = `${configMaps}?watch=1&resourceVersion=${from}`;
    const before = await server.usage();

    const begin = performance.now();
    let arrived = (): void => {};
    const onData = (): void => arrived();
    const streams = [await WatchStream.open(server.url, alice, path, { keep: true, onData })];
    while (streams.length < watchers) {
      const some = Math.min(100, watchers - streams.length);
      const opening = Array.from({ length: some }, () =>
        WatchStream.open(server.url, alice, path, { onData }),
      );
      streams.push(...(await Promise.all(opening)));
    }
    const opened = performance.now() - begin;
    const [reference] = streams;
    if (reference === undefined) throw new Error("nobody watches");
    expect(await openWatches()).toBe(watchers);
    const idle = await server.usage();

    // A watch beyond the limit gets 429 with Retry-After.
    const refused = await writer.ask("GET", path);
    expect(refused).toMatchObject({ code: 429, json: { kind: "Status", reason: "TooManyRequests" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

    const started = performance.now();
    const expected: string[] = [];
    for (let index = 0; index < writes; index++) {
      const name = `object-${index % 10}`;
      const exists = index >= 10;
      const body = configMap(name, { index: String(index), text: "x".repeat(300) });
      const reply = exists
        ? await writer.ask("PUT", `${configMaps}/${name}`, body)
        : await writer.ask("POST", configMaps, body);
      expect(reply.code).toBe(exists ? 200 : 201);
      expected.push(`${exists ? "MODIFIED" : "ADDED"} ${name} ${reply.json.metadata.resourceVersion}`);
    }
    const written = performance.now() - started;

    // The first stream is parsed; the others must be equal byte by byte.
    const until = (enough: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        arrived = () => {
          if (enough()) resolve();
        };
        arrived();
      });
    await until(() => reference.events().length >= writes);
    const seen = reference.events().map(({ type, object }) => {
      return `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;
    });
    expect(seen).toEqual(expected);
    let behind = 0;
    await until(() => {
      // Earlier streams are complete already.
      while (behind < streams.length && (streams[behind]?.size ?? 0) >= reference.size) behind++;
      return behind === streams.length;
    });
    const delivered = performance.now() - started;
    const busy = await server.usage();
    const digest = reference.digest();
    expect(streams.filter((stream) => stream.size !== reference.size || stream.digest() !== digest)).toEqual(
      [],
    );

    // The server forgets closed watches, and ends the open ones when it stops.
    const abandoned = streams.splice(0, Math.floor(watchers / 2));
    for (const { socket } of abandoned) socket.destroy();
    await expect.poll(openWatches, { timeout: patience }).toBe(streams.length);
    const ending = performance.now();
    const exit = await server.stop("SIGTERM");
    await Promise.all(streams.map(({ closed }) => closed));
    const ended = performance.now() - ending;
    expect(exit).toMatchObject({ code: 0, stderr: "" });
    expect(streams.filter((stream) => !stream.ended)).toEqual([]);

    const events = watchers * writes;
    report(`${count(watchers)} watchers of one kind, ${writes} writes`, {
      "until all watched": milliseconds(opened),
      "memory before": mebibytes(before.memory),
      "memory when all watched": mebibytes(idle.memory),
      "memory after the events": mebibytes(busy.memory),
      "memory of a watcher": `${(((idle.memory - before.memory) * 1024) / watchers).toFixed(1)} KiB`,
      "a write, while all watched": milliseconds(written / writes),
      "until all had everything": `${milliseconds(delivered)}, ${count((events * 1000) / delivered)} events/s`,
      "processor time of an event": `${(((busy.processor - idle.processor) * 1e6) / events).toFixed(2)} µs`,
      "until the server and the last half had ended": milliseconds(ended),
    });
    writer.close();
  },
  patience,
);
