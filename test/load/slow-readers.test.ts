import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, configMaps } from "../server/http/paths.js";
import { Connection, requestBytes } from "./connection.js";
import { full, latencies, mebibytes, patience, report } from "./figures.js";
import { alice, bob, peakMemory, startLoadServer, type LoadServer } from "./load-server.js";
import { eventsOf, WatchStream } from "./watch-stream.js";

/** Default limits at full size, shorter ones otherwise. */
const limits = full ? {} : { stalledWatchTimeout: 3000, requestTimeout: 3000 };
const readers = full ? 20 : 5;
/** Number of objects of 900 kB: more than fits into all buffers between server and client. */
const objects = full ? 100 : 45;
const text = "x".repeat(900_000);

let server: LoadServer;
let client: Connection;
beforeAll(async () => {
  server = await startLoadServer({ limits });
  client = await Connection.open(server.url, bob);
});
afterAll(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
});

/** A client that reads one byte a second, until `rest()` is called. */
class SlowReader {
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #hurries = false;

  constructor(url: string, token: string, path: string) {
    const { hostname, port } = new URL(url);
    const onread = {
      // Node reads at most this many bytes at a time.
      buffer: () => Buffer.alloc(this.#hurries ? 65_536 : 1),
      callback: (size: number, buffer: Uint8Array) => {
        this.#chunks.push(Buffer.from(buffer.subarray(0, size)));
        return this.#hurries;
      },
    };
    this.#socket = connect({ host: hostname, port: Number(port), onread });
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", () => resolve());
    });
    this.#socket.write(requestBytes("GET", path, token));
    this.#timer = setInterval(() => this.#socket.resume(), 1000);
  }

  /** Reads the rest at full speed; resolves with everything received. */
  async rest(): Promise<Buffer> {
    this.#hurries = true;
    this.#socket.resume();
    await this.closed;
    clearInterval(this.#timer);
    return Buffer.concat(this.#chunks);
  }
}

async function gauge(name: string): Promise<number> {
  const { samples } = await server.metrics();
  const found = samples.filter((sample) => sample.name === name);
  return found.reduce((sum, { value }) => sum + value, 0);
}

/** Latencies of small requests of other clients during some work. */
async function whileOthersWork<Result>(work: Promise<Result>): Promise<number[]> {
  let over = false;
  const watched = work.finally(() => (over = true));
  watched.catch(() => {});
  const times: number[] = [];
  while (!over) {
    const begin = performance.now();
    expect((await client.ask("GET", "/api/v1/namespaces/default")).code).toBe(200);
    times.push(performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await watched;
  return times;
}

const names = Array.from({ length: objects }, (_, index) => `large-${String(index).padStart(3, "0")}`);

test(
  "closes watches of clients that read a byte a second, without gaps and without delaying others",
  async () => {
    const path = `${configMaps}?watch=1`;
    const before = (await server.usage()).memory;
    const slow = Array.from({ length: readers }, () => new SlowReader(server.url, alice, path));
    let received = 0;
    const fast = await WatchStream.open(server.url, bob, path, {
      keep: true,
      onData: ({ size }) => (received = size),
    });
    await expect.poll(() => gauge("apiserver_longrunning_requests")).toBe(readers + 1);

    const { result, peak } = await peakMemory(server, async () => {
      const work = (async () => {
        const writer = await Connection.open(server.url, bob);
        for (const name of names) {
          expect((await writer.ask("POST", configMaps, configMap(name, { text }))).code).toBe(201);
        }
        writer.close();
        await expect.poll(() => received, { timeout: patience }).toBeGreaterThan(objects * text.length);
        // Slow watches are closed, the others stay open.
        await expect.poll(() => gauge("apiserver_longrunning_requests"), { timeout: patience }).toBe(1);
      })();
      return whileOthersWork(work);
    });
    const namesOf = (events: ReturnType<typeof eventsOf>): string[] =>
      events.map(({ object }) => object.metadata.name as string);
    expect(namesOf(fast.events())).toEqual(names);

    // They received the beginning of the stream, and can resume from there.
    const [first, ...others] = await Promise.all(slow.map((reader) => reader.rest()));
    const bodyOf = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf("\r\n\r\n") + 4);
    for (const bytes of [first ?? Buffer.alloc(0), ...others]) {
      const seen = eventsOf(bodyOf(bytes));
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.length).toBeLessThan(objects);
      expect(namesOf(seen)).toEqual(names.slice(0, seen.length));
    }
    const seen = eventsOf(bodyOf(first ?? Buffer.alloc(0)));
    const version = seen.at(-1)?.object.metadata.resourceVersion as string;
    const again = await WatchStream.open(server.url, alice, `${path}&resourceVersion=${version}`, {
      keep: true,
    });
    await expect.poll(() => again.events().length, { timeout: patience }).toBe(objects - seen.length);
    expect(namesOf(again.events())).toEqual(names.slice(seen.length));
    for (const { socket } of [fast, again]) socket.destroy();

    report(`${readers} watchers that read a byte a second, events of ${objects * 0.9} MB`, {
      "memory before": mebibytes(before),
      "memory meanwhile, at most": mebibytes(peak),
      "others' reads meanwhile": latencies(result),
    });
    // Memory of the store per watch, data in flight per watch, and shared data.
    expect(peak).toBeLessThan(before + readers * 20 + objects * 4 + 300);
  },
  patience,
);

test(
  "cuts off lists that are read a byte a second, without delaying others",
  async () => {
    const before = (await server.usage()).memory;
    const slow = Array.from({ length: readers }, () => new SlowReader(server.url, alice, configMaps));
    await expect
      .poll(() => gauge("apiserver_current_inflight_requests"), { timeout: patience })
      .toBeGreaterThan(0);
    const letGo = async (): Promise<void> => {
      await expect
        .poll(() => gauge("apiserver_current_inflight_requests"), { timeout: patience })
        .toBeLessThanOrEqual(1);
    };
    const { result, peak } = await peakMemory(server, () => whileOthersWork(letGo()));
    // Content-Length shows that a response is incomplete. Clients beyond the limit get 429.
    let refused = 0;
    for (const bytes of await Promise.all(slow.map((reader) => reader.rest()))) {
      const head = bytes.toString("latin1", 0, bytes.indexOf("\r\n\r\n"));
      if (head.startsWith("HTTP/1.1 429")) {
        expect(head).toMatch(/^retry-after: *[1-9]/im);
        refused++;
        continue;
      }
      expect(head).toMatch(/^HTTP\/1\.1 200/);
      // Incomplete: it is chunked, and its last chunk is missing.
      expect(head).toMatch(/^transfer-encoding: *chunked$/im);
      expect(bytes.length).toBeLessThan(objects * text.length);
      expect(bytes.subarray(-5).toString()).not.toBe("0\r\n\r\n");
    }
    expect(refused).toBeLessThan(readers);
    expect((await client.ask("GET", `${configMaps}?limit=1`)).json.items).toHaveLength(1);
    report(`${readers} lists of ${objects * 0.9} MB that are read a byte a second`, {
      "cut off, refused": `${readers - refused}, ${refused}`,
      "memory before": mebibytes(before),
      "memory meanwhile, at most": mebibytes(peak),
      "others' reads meanwhile": latencies(result),
    });
    expect(peak).toBeLessThan(before + readers * objects * 1.5 + 300);
  },
  patience,
);
