import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { failures, VirtualClock } from "../../../model/core.js";
import { ask, createWidgets, sendRaw, widget, widgetsPath } from "../fixtures/http-client.js";
import { startWatch } from "../fixtures/watch-client.js";
import { adminToken, widgetServer, type WidgetServer } from "../fixtures/widget-server.js";
import type { Registry } from "../../registry/registry.js";
import type { ObjectEvent } from "../../registry/requests.js";
import { PlainObject } from "../../resources/stored-object.js";
import { encodeStoredEvent } from "./encode-event.js";

let api: WidgetServer;

beforeAll(async () => {
  api = await widgetServer();
  await createWidgets(api, "a");
});
afterAll(() => api[Symbol.asyncDispose]());

/** A server whose registry has the given implementation of watch. */
function watchedBy(watch: Registry["watch"], options = {}): Promise<WidgetServer> {
  return widgetServer(options, (registry) => {
    return Object.assign(Object.create(registry) as Registry, { types: registry.types, watch });
  });
}

function events(count: number, size: number): ObjectEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: "ADDED",
    object: new PlainObject({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { name: `w-${index}` },
      spec: { text: "é".repeat(size / 2) },
    }),
  }));
}

describe("over HTTP", () => {
  test("sends the headers at once and each event as a line", async () => {
    const before = (await ask(api, widgetsPath)).json.metadata.resourceVersion as string;
    const watch = await startWatch(api, `${widgetsPath}?watch=1&resourceVersion=${before}`);
    expect(watch.response.statusCode).toBe(200);
    expect(watch.response.headers).toMatchObject({
      "content-type": "application/json",
      "transfer-encoding": "chunked",
      "cache-control": "no-cache, private",
    });
    await ask(api, widgetsPath, { method: "POST", body: widget("w", { size: 1 }) });
    await ask(api, `${widgetsPath}/w`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"spec":{"size":2}}',
    });
    await ask(api, `${widgetsPath}/w`, { method: "DELETE" });
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { spec: { size: 1 } } });
    expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: { spec: { size: 2 } } });
    expect(await watch.next()).toMatchObject({ type: "DELETED", object: { spec: { size: 2 } } });
    watch.close();
  });

  test("starts with the existing objects", async () => {
    const watch = await startWatch(api, `${widgetsPath}?watch=true`);
    expect(await watch.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    watch.close();
  });

  test.each([
    "/apis/demo.dev/v1/watch/widgets",
    "/apis/demo.dev/v1/watch/namespaces/default/widgets",
    "/apis/demo.dev/v1/watch/namespaces/default/widgets/a",
  ])("serves the deprecated path %s", async (path) => {
    const watch = await startWatch(api, path);
    expect(await watch.next()).toMatchObject({ object: { metadata: { name: "a" } } });
    watch.close();
  });

  test("sends Tables, with column definitions in the first only", async () => {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    await createWidgets(api, "b");
    const watch = await startWatch(api, `${widgetsPath}?watch=1`, { accept });
    const first = await watch.next();
    expect(first).toMatchObject({ type: "ADDED", object: { kind: "Table" } });
    expect(first?.object.columnDefinitions.length).toBeGreaterThan(0);
    expect(first?.object.rows).toHaveLength(1);
    const second = await watch.next();
    expect(second?.object).toMatchObject({ kind: "Table", columnDefinitions: null });
    watch.close();
    await ask(api, `${widgetsPath}/b`, { method: "DELETE" });
  });

  test("sends PartialObjectMetadata", async () => {
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    const watch = await startWatch(api, `${widgetsPath}?watch=1`, { accept });
    expect(await watch.next()).toMatchObject({ object: { kind: "PartialObjectMetadata" } });
    watch.close();
  });

  test("returns 406 for YAML", async () => {
    const reply = await ask(api, `${widgetsPath}?watch=1`, { headers: { accept: "application/yaml" } });
    expect(reply.status).toBe(406);
    expect(reply.json.message).toContain("application/json;stream=watch");
  });

  test("ends a HEAD request at once", async () => {
    expect(await ask(api, `${widgetsPath}?watch=1`, { method: "HEAD" })).toMatchObject({
      status: 200,
      text: "",
    });
  });

  test.each([
    ["resourceVersion=abc", 422],
    ["resourceVersionMatch=Exact", 422],
    ["sendInitialEvents=true", 422],
    ["timeoutSeconds=x", 400],
    ["labelSelector=%3D", 400],
    ["fieldSelector=spec.nothing%3D1", 400],
  ])("rejects invalid options before it starts: %s", async (query, status) => {
    expect(await ask(api, `${widgetsPath}?watch=1&${query}`)).toMatchObject({
      status,
      json: { code: status },
    });
  });

  test("sends the 410 for an expired resourceVersion as an ERROR event", async () => {
    await using other = await widgetServer();
    await createWidgets(other, "a", "b", "c");
    const { revision } = await other.store.status();
    await other.store.compact(revision);
    const watch = await startWatch(other, `${widgetsPath}?watch=1&resourceVersion=1`);
    expect(watch.response.statusCode).toBe(200);
    expect(await watch.rest()).toMatchObject([
      { type: "ERROR", object: { kind: "Status", reason: "Expired", code: 410 } },
    ]);
  });

  test("ends with an ERROR event when the watch fails", async () => {
    await using other = await watchedBy(async function* () {
      yield events(1, 10);
      await Promise.resolve();
      throw failures.resourceExpired("too slow");
    });
    const watch = await startWatch(other, `${widgetsPath}?watch=1`);
    expect(await watch.rest()).toMatchObject([
      { type: "ADDED" },
      { type: "ERROR", object: { code: 410, message: "too slow" } },
    ]);
    expect(other.errors).toEqual([]);
  });

  test("reports an unexpected error to onError", async () => {
    const broken = new Error("something broke");
    await using other = await watchedBy(async function* () {
      yield events(1, 10);
      await Promise.resolve();
      throw broken;
    });
    const watch = await startWatch(other, `${widgetsPath}?watch=1`);
    expect((await watch.rest()).at(-1)).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect(other.errors).toEqual([broken]);
  });

  test("ends after timeoutSeconds", async () => {
    const watch = await startWatch(
      api,
      `${widgetsPath}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da`,
    );
    expect(await watch.rest()).toMatchObject([{ type: "ADDED" }]);
  });

  test("lasts 30 to 60 minutes without timeoutSeconds", async () => {
    let asked: number | undefined;
    await using other = await watchedBy(async function* ({ options }) {
      asked = options.timeoutSeconds;
      yield events(1, 10);
    });
    await (await startWatch(other, `${widgetsPath}?watch=1`)).rest();
    expect(asked).toBeGreaterThanOrEqual(1800);
    expect(asked).toBeLessThanOrEqual(3600);
    await (await startWatch(other, `${widgetsPath}?watch=1&timeoutSeconds=7`)).rest();
    expect(asked).toBe(7);
  });

  test("sends large batches completely", async () => {
    const sent = events(3000, 400);
    await using other = await watchedBy(async function* () {
      yield sent.slice(0, 1);
      yield sent.slice(1);
    });
    const seen = await (await startWatch(other, `${widgetsPath}?watch=1`)).rest();
    expect(seen.map(({ object }) => object)).toEqual(sent.map(({ object }) => object.object));
  });

  test("works with HTTP/1.0 and with pipelined requests", async () => {
    await using other = await watchedBy(async function* () {
      yield events(2, 10);
      await new Promise((resolve) => setImmediate(resolve));
      yield events(1, 10);
    });
    const auth = `Host: localhost\r\nAuthorization: Bearer ${adminToken}\r\n`;
    const old = await sendRaw(other.server.port, `GET ${widgetsPath}?watch=1 HTTP/1.0\r\n${auth}\r\n`);
    expect(old.split("\r\n\r\n")[1]?.trim().split("\n")).toHaveLength(3);
    const pipelined = await sendRaw(
      other.server.port,
      `GET /version HTTP/1.1\r\n${auth}\r\nGET ${widgetsPath}?watch=1 HTTP/1.1\r\n${auth}\r\n` +
        `GET /healthz HTTP/1.1\r\n${auth}Connection: close\r\n\r\n`,
    );
    expect(pipelined.match(/HTTP\/1.1 200/g)).toHaveLength(3);
    expect(pipelined.match(/"type":"ADDED"/g)).toHaveLength(3);
    expect(pipelined).toMatch(/0\r\n\r\nHTTP\/1.1 200 OK[^]*ok$/);
  });

  test("stops reading events for a client that does not read, and disconnects it after the timeout", async () => {
    const clock = new VirtualClock();
    let taken = 0;
    let ended = false;
    await using other = await watchedBy(
      async function* ({ signal }) {
        try {
          while (!signal?.aborted) {
            taken++;
            yield events(20, 50_000);
          }
        } finally {
          ended = true;
        }
      },
      { clock },
    );
    const socket = connect(other.server.port, "127.0.0.1");
    socket.pause();
    socket.write(
      `GET ${widgetsPath}?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    );
    // As much as the socket buffers hold, and no more.
    let before = -1;
    await vi.waitFor(
      () => {
        const same = taken === before && taken > 0;
        before = taken;
        expect(same).toBe(true);
      },
      { interval: 50, timeout: 10_000 },
    );
    expect(taken).toBeLessThan(50);
    expect(ended).toBe(false);
    await clock.advance(61_000);
    await vi.waitFor(() => expect(ended).toBe(true));
    socket.destroy();
  });

  test("ends when the client disconnects", async () => {
    let signal: AbortSignal | undefined;
    await using other = await watchedBy(async function* (request) {
      signal = request.signal;
      yield events(1, 10);
      if (signal !== undefined && !signal.aborted) await once(signal, "abort");
    });
    const watch = await startWatch(other, `${widgetsPath}?watch=1`);
    await watch.next();
    expect(signal?.aborted).toBe(false);
    watch.close();
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
    await vi.waitFor(async () => {
      const { text } = await ask(other, "/metrics");
      expect(text).toMatch(/apiserver_longrunning_requests\{verb="WATCH",[^}]*\} 0/);
    });
    expect(other.errors).toEqual([]);
  });

  test("ends when the server closes", async () => {
    const other = await widgetServer();
    const watches = await Promise.all([1, 2, 3].map(() => startWatch(other, `${widgetsPath}?watch=1`)));
    const ends = watches.map((watch) => watch.rest());
    await other.server.close();
    expect(await Promise.all(ends)).toEqual([[], [], []]);
    await other.store.close();
  });
});

test("encodes an event once for all watches", () => {
  const [event] = events(1, 100);
  if (event === undefined) throw new Error("there is no event");
  const encoded = encodeStoredEvent(event);
  expect(encodeStoredEvent({ ...event })).toBe(encoded);
  expect(encodeStoredEvent({ ...event, type: "MODIFIED" })).not.toBe(encoded);
  const line = JSON.stringify({ type: "ADDED", object: event.object.object });
  expect(encoded.line.toString()).toBe(`${line}\n`);
  expect(encoded.chunk.toString()).toBe(`${(Buffer.byteLength(line) + 1).toString(16)}\r\n${line}\n\r\n`);
});

describe("over a WebSocket", () => {
  const socketTo = (
    server: WidgetServer,
    path: string,
    protocols: string[] = [],
    headers = {},
  ): WebSocket => {
    return new WebSocket(`${server.server.url.replace("http", "ws")}${path}`, protocols, { headers });
  };
  const authorization = `Bearer ${adminToken}`;

  test("sends one message for each event", async () => {
    const socket = socketTo(api, `${widgetsPath}?watch=1`, [], { authorization });
    const [data, binary] = (await once(socket, "message")) as [Buffer, boolean];
    expect(binary).toBe(false);
    expect(JSON.parse(data.toString())).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    const next = once(socket, "message");
    await ask(api, widgetsPath, { method: "POST", body: widget("socket") });
    expect(JSON.parse(String((await next)[0]))).toMatchObject({ object: { metadata: { name: "socket" } } });
    await ask(api, `${widgetsPath}/socket`, { method: "DELETE" });
    socket.close();
    await once(socket, "close");
  });

  test("accepts a token in the subprotocols, as browsers send it", async () => {
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(adminToken).toString("base64url")}`;
    const socket = socketTo(api, `${widgetsPath}?watch=1`, [protocol, "base64.binary.k8s.io"]);
    await once(socket, "message");
    expect(socket.protocol).toBe("base64.binary.k8s.io");
    socket.terminate();
    const alone = socketTo(api, `${widgetsPath}?watch=1`, [protocol]);
    await expect(once(alone, "open")).rejects.toThrow("401");
  });

  test("returns an HTTP error when the request is invalid", async () => {
    await expect(once(socketTo(api, `${widgetsPath}?watch=1`), "open")).rejects.toThrow("403");
    const wrong = socketTo(api, `${widgetsPath}?watch=1&resourceVersion=x`, [], { authorization });
    await expect(once(wrong, "open")).rejects.toThrow("422");
    const list = socketTo(api, widgetsPath, [], { authorization });
    await expect(once(list, "open")).rejects.toThrow("200");
    const origin = socketTo(api, `${widgetsPath}?watch=1`, [], { authorization, origin: "http://evil.dev" });
    await expect(once(origin, "open")).rejects.toThrow("403");
  });

  test("ends with the watch, and with the server", async () => {
    const socket = socketTo(api, `${widgetsPath}?watch=1&timeoutSeconds=1`, [], { authorization });
    expect((await once(socket, "close"))[0]).toBe(1000);
    const other = await widgetServer();
    const open = socketTo(other, `${widgetsPath}?watch=1`, [], { authorization });
    await once(open, "open");
    const closed = once(open, "close");
    await other.server.close();
    await closed;
    await other.store.close();
  });

  test("waits for a slow client", async () => {
    let taken = 0;
    await using other = await watchedBy(async function* ({ signal }) {
      while (!signal?.aborted && taken < 500) {
        taken++;
        yield events(10, 50_000);
      }
    });
    const socket = socketTo(other, `${widgetsPath}?watch=1`, [], { authorization });
    await once(socket, "open");
    socket.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const same = taken === before && taken > 0;
        before = taken;
        expect(same).toBe(true);
      },
      { interval: 50, timeout: 10_000 },
    );
    expect(taken).toBeLessThan(100);
    socket.terminate();
  });

  test("returns 400 for an invalid handshake", async () => {
    const text = await sendRaw(
      api.server.port,
      `GET ${widgetsPath}?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n` +
        "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect(api.errors).toEqual([]);
  });
});
