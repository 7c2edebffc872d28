import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parseMetrics } from "./metrics-text.js";
import { configMaps } from "./paths.js";
import { startTestServer, type TestServer } from "../test-server.js";
import { linesOf, Wire, type Json, type Transport } from "./wire.js";

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function start(options: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(options);
  open.push(server);
  return server;
}

function wireTo(server: TestServer, transport: Transport = "http/1.1"): Wire {
  const wire = new Wire(server, transport);
  open.push(wire);
  return wire;
}

type Way = Transport | "WebSocket";

/** Client that starts a watch, but reads nothing until the returned function is called; then reads to the end. */
async function sleeper(server: TestServer, way: Way): Promise<() => Promise<readonly Json[]>> {
  const path = `${configMaps}?watch=1`;
  if (way !== "WebSocket") {
    const head = await wireTo(server, way).open(path);
    return async () => {
      const lines = linesOf(head);
      await lines.ended;
      return lines.all;
    };
  }
  const socket = new WebSocket(server.url.replace("http", "ws") + path, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  open.push({ close: () => socket.terminate() });
  const messages: Json[] = [];
  const closed = once(socket, "close");
  socket.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString())));
  socket.on("error", () => {});
  await once(socket, "open");
  socket.pause();
  return async () => {
    socket.resume();
    await closed;
    return messages;
  };
}

async function watchers(wire: Wire): Promise<number> {
  const { samples } = parseMetrics((await wire.get("/metrics")).text);
  const gauges = samples.filter(({ name }) => name === "apiserver_longrunning_requests");
  return gauges.reduce((sum, { value }) => sum + value, 0);
}

const large = "x".repeat(900_000);

async function writeLarge(wire: Wire, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `large-${index}`);
  for (const name of names) {
    expect((await wire.post(configMaps, { metadata: { name }, data: { large } })).code).toBe(201);
  }
  return names;
}

const namesOf = (events: readonly Json[]): string[] => events.map(({ object }) => object.metadata.name);

describe.each<Way>(["http/1.1", "https/1.1", "h2", "WebSocket"])(
  "a watcher that does not read, over %s",
  (way) => {
    const tls = way === "https/1.1" || way === "h2";
    const transport = tls ? "h2" : "http/1.1";

    test("is closed when its buffer is full, and can resume, while others continue", async () => {
      const server = await start({ tls });
      const wire = wireTo(server, transport);
      const fast = await wire.watch(`${configMaps}?watch=1`);
      const read = await sleeper(server, way);
      expect(await watchers(wire)).toBe(2);
      // More than the buffers of the store and of the sockets can hold.
      const names = await writeLarge(wire, 45);
      expect(namesOf(await fast.until((all) => all.length === names.length))).toEqual(names);

      const events = (await read()).filter(({ type }) => type === "ADDED");
      expect(events.length).toBeGreaterThan(0);
      expect(events.length).toBeLessThan(names.length);
      expect(namesOf(events)).toEqual(names.slice(0, events.length));
      await expect.poll(() => watchers(wire)).toBe(1);
      const version = events.at(-1).object.metadata.resourceVersion;
      const again = await wire.watch(`${configMaps}?watch=1&resourceVersion=${version}`);
      const rest = await again.until((all) => all.length === names.length - events.length);
      expect(namesOf(rest)).toEqual(names.slice(events.length));
      expect(server.errors).toEqual([]);
    });

    test("is closed when it reads nothing until the timeout", async () => {
      const server = await start({ tls, limits: { stalledWatchTimeout: 1000 } });
      const wire = wireTo(server, transport);
      const fast = await wire.watch(`${configMaps}?watch=1`);
      const read = await sleeper(server, way);
      const names = await writeLarge(wire, 15);
      await fast.until((all) => all.length === names.length);
      await expect.poll(() => watchers(wire), { timeout: 10_000 }).toBe(1);
      expect((await read()).length).toBeLessThan(names.length);
      expect(server.errors).toEqual([]);
    });
  },
);

describe("limits", () => {
  test("returns 429 with Retry-After beyond the limits, and accepts requests again afterwards", async () => {
    const server = await start({
      tls: false,
      limits: { readOnly: 3, mutating: 2, watches: 1, queuedPerUser: 0 },
    });
    const wire = wireTo(server);
    const watch = await wire.watch(`${configMaps}?watch=1`);
    const second = await wire.get(`${configMaps}?watch=1`);
    expect(second).toMatchObject({
      code: 429,
      headers: { "retry-after": "1" },
      json: { kind: "Status", reason: "TooManyRequests", details: { retryAfterSeconds: 1 } },
    });
    watch.stop();
    await expect
      .poll(async () => {
        const again = await wire.watch(`${configMaps}?watch=1&timeoutSeconds=1`);
        again.stop();
        return again.code;
      })
      .toBe(200);

    // Requests with incomplete bodies stay in flight.
    const { hostname, port } = new URL(server.url);
    const waiting = Array.from({ length: 2 }, () => {
      const socket = connect(Number(port), hostname);
      open.push({ close: () => socket.destroy() });
      socket.write(
        `POST ${configMaps} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
          "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n",
      );
      return socket;
    });
    // The server sends 100 Continue: the request is in flight.
    await Promise.all(waiting.map((socket) => once(socket, "data")));
    const refused = await wire.post(configMaps, { metadata: { name: "late" } });
    expect(refused).toMatchObject({ code: 429, headers: { "retry-after": "1" } });
    expect((await wire.get(configMaps)).code).toBe(200);
    const { samples } = parseMetrics((await wire.get("/metrics")).text);
    const dropped = samples.filter(({ name }) => name === "apiserver_dropped_requests_total");
    for (const kind of ["mutating", "watch"]) {
      expect(dropped.find(({ labels }) => labels["request_kind"] === kind)?.value).toBeGreaterThan(0);
    }
    for (const socket of waiting) socket.destroy();
    await expect
      .poll(async () => (await wire.post(configMaps, { metadata: { name: "late" } })).code)
      .toBe(201);
  });

  test("returns 413 for a body above the limit, with and without Content-Length", async () => {
    const server = await start({ tls: true, limits: { bodyBytes: 10_000 } });
    const body = { metadata: { name: "large" }, data: { a: "x".repeat(10_000) } };
    for (const transport of ["https/1.1", "h2"] as const) {
      const wire = wireTo(server, transport);
      const expected = {
        code: 413,
        json: { kind: "Status", reason: "RequestEntityTooLarge", message: /limit is 10000/ },
      };
      expect(await wire.post(configMaps, body)).toMatchObject(expected);
      expect(
        (await wire.post(configMaps, { metadata: { name: `small-${transport.replaceAll(/\W/g, "")}` } }))
          .code,
      ).toBe(201);
    }
    // Without a Content-Length, the size is known only at the end.
    const wire = wireTo(await start({ tls: false, limits: { bodyBytes: 10_000 } }));
    const chunked = await wire.call(configMaps, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.code).toBe(413);
  });

  test("responds when a request exceeds its timeout", async () => {
    const server = await start({ tls: false, limits: { requestTimeout: 200 } });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    open.push({ close: () => socket.destroy() });
    socket.write(
      `POST ${configMaps} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.token}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
    );
    const [data] = (await once(socket, "data")) as [Buffer];
    expect(data.toString()).toMatch(/^HTTP\/1\.1 504 /);
    expect(data.toString()).toContain('"reason":"Timeout"');
  });

  test("ends watches and completes requests on close", async () => {
    const server = await startTestServer({ tls: true });
    const wires = (["https/1.1", "h2"] as const).map((transport) => wireTo(server, transport));
    const watches = await Promise.all(wires.map((wire) => wire.watch(`${configMaps}?watch=1`)));
    const answers = wires.map((wire) => wire.post(configMaps, { metadata: { generateName: "last-" } }));
    await Promise.all(answers);
    await server.close();
    await Promise.all(watches.map(({ ended }) => ended));
    expect(watches.map(({ all }) => all.map(({ type }) => type))).toEqual([
      ["ADDED", "ADDED"],
      ["ADDED", "ADDED"],
    ]);
    await expect(wires[0]?.get("/version")).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
  });
});
