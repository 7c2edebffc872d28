import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { ask, createWidgets, sendRaw, widget, widgetsPath } from "./fixtures/http-client.js";
import { adminToken, widgetServer, type WidgetServer } from "./fixtures/widget-server.js";

const head = `Host: localhost\r\nAuthorization: Bearer ${adminToken}\r\n`;

/** A registry whose `get` waits for the call of `go`. */
function waiting(): {
  change: NonNullable<Parameters<typeof widgetServer>[1]>;
  go: () => void;
  began: Promise<void>;
} {
  let go = (): void => {};
  let begin = (): void => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const began = new Promise<void>((resolve) => (begin = resolve));
  return {
    began,
    go: () => go(),
    change: (registry) =>
      new Proxy(registry, {
        get(target, name) {
          if (name === "get") {
            return async (...given: Parameters<typeof registry.get>) => {
              begin();
              await gate;
              return registry.get(...given);
            };
          }
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      }),
  };
}

describe("request bodies", () => {
  let api: WidgetServer;
  beforeAll(async () => {
    api = await widgetServer({ limits: { bodyBytes: 2000 } });
  });
  afterAll(() => api[Symbol.asyncDispose]());

  const large = JSON.stringify(widget("large", { text: "x".repeat(3000) }));

  test("returns 413 for a Content-Length above the limit", async () => {
    const reply = await ask(api, widgetsPath, { method: "POST", body: large });
    expect(reply).toMatchObject({
      status: 413,
      json: { reason: "RequestEntityTooLarge", message: "Request entity too large: limit is 2000" },
    });
  });

  test("returns 413 for a chunked body above the limit", async () => {
    const text = await sendRaw(
      api.server.port,
      `POST ${widgetsPath} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      ...Array.from({ length: 10 }, () => `400\r\n${"x".repeat(1024)}\r\n`),
      "0\r\n\r\n",
    );
    expect(text).toContain("HTTP/1.1 413 ");
  });

  test("does not send 100 Continue for a body above the limit", async () => {
    const text = await sendRaw(
      api.server.port,
      `POST ${widgetsPath} HTTP/1.1\r\n${head}Content-Length: 5000\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 413 /);
  });

  test("sends 100 Continue to authenticated clients only", async () => {
    const body = JSON.stringify(widget("continued"));
    const post = (token: string): Promise<{ status: number; continued: boolean }> =>
      new Promise((resolve, reject) => {
        let continued = false;
        const request = httpRequest(
          `${api.server.url}${widgetsPath}`,
          {
            method: "POST",
            headers: {
              authorization: `Bearer ${token}`,
              "content-type": "application/json",
              "content-length": body.length,
              expect: "100-continue",
            },
          },
          (response) => {
            response.resume().on("end", () => resolve({ status: response.statusCode ?? 0, continued }));
          },
        );
        request.on("continue", () => {
          continued = true;
          request.end(body);
        });
        request.on("error", reject);
        request.flushHeaders();
      });
    expect(await post(adminToken)).toEqual({ status: 201, continued: true });
    expect(await post("wrong")).toEqual({ status: 401, continued: false });
  });

  test("survives a client that disconnects in the middle of a body", async () => {
    const socket = connect(api.server.port, "127.0.0.1");
    socket.write(`POST ${widgetsPath} HTTP/1.1\r\n${head}Content-Length: 500\r\n\r\n{"api`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    await once(socket, "close");
    expect((await ask(api, "/version")).status).toBe(200);
    expect(api.errors).toEqual([]);
  });
});

describe("malformed HTTP", () => {
  let api: WidgetServer;
  beforeAll(async () => {
    api = await widgetServer({ limits: { headersTimeout: 100, receiveTimeout: 200, headerBytes: 8192 } });
    await createWidgets(api, "a");
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test.each<[string, string, string]>([
    ["not HTTP", "hello\r\n\r\n", "400 Bad Request"],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "400 Bad Request"],
    ["HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 Bad Request"],
    ["no Host header", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400 Bad Request"],
    ["an invalid method", `FOO / HTTP/1.1\r\n${head}\r\n`, "400 Bad Request"],
    [
      "two lengths",
      `POST / HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
      "400 Bad Request",
    ],
    [
      "a length and chunks",
      `POST / HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      "400 Bad Request",
    ],
    ["an invalid length", `POST / HTTP/1.1\r\n${head}Content-Length: x\r\n\r\n`, "400 Bad Request"],
    ["a space in the path", `GET /a b HTTP/1.1\r\n${head}\r\n`, "400 Bad Request"],
    ["an invalid header", `GET / HTTP/1.1\r\n${head}a b: c\r\n\r\n`, "400 Bad Request"],
    ["headers without end", `GET / HTTP/1.1\r\n${head}X: ${"x".repeat(10_000)}\r\n\r\n`, "431 "],
    ["a path without end", `GET /${"x".repeat(10_000)} HTTP/1.1\r\n${head}\r\n`, "431 "],
    ["headers that never end", "GET / HTTP/1.1\r\nHost: localhost\r\n", "408 Request Timeout"],
    [
      "a body that never comes",
      `POST ${widgetsPath} HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n`,
      "408 Request Timeout",
    ],
    [
      "a malformed chunk",
      `POST ${widgetsPath} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      "400 Bad Request",
    ],
  ])("%s", async (_, bytes, line) => {
    const text = await sendRaw(api.server.port, bytes);
    expect(text).toContain(`HTTP/1.1 ${line}`);
    expect(text).toContain('"kind":"Status"');
  });

  test("completes the response before it rejects malformed bytes after the request", async () => {
    const text = await sendRaw(
      api.server.port,
      `GET ${widgetsPath}/a HTTP/1.1\r\n${head}\r\nnonsense\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    expect(text).toContain('"kind":"Widget"');
    expect(text).not.toContain("400");
  });

  test("accepts absolute URLs and HTTP/1.0", async () => {
    const absolute = `GET http://localhost/version HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    expect(await sendRaw(api.server.port, absolute)).toContain("gitVersion");
    expect(await sendRaw(api.server.port, "GET /version HTTP/1.0\r\n\r\n")).toContain("gitVersion");
    const list = `GET ${widgetsPath} HTTP/1.0\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`;
    expect(await sendRaw(api.server.port, list)).toContain("WidgetList");
  });

  test("ignores upgrades to other protocols", async () => {
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n";
    const get = await sendRaw(api.server.port, `GET ${widgetsPath}/a HTTP/1.1\r\n${head}${upgrade}`);
    expect(get).toMatch(/^HTTP\/1.1 200 OK/);
    const remove = await sendRaw(api.server.port, `DELETE ${widgetsPath}/none HTTP/1.1\r\n${head}${upgrade}`);
    expect(remove).toMatch(/^HTTP\/1.1 404 /);
    const post = `POST ${widgetsPath} HTTP/1.1\r\n${head}Content-Length: 2\r\n${upgrade}{}`;
    expect(await sendRaw(api.server.port, post)).toMatch(/^HTTP\/1.1 400 /);
  });

  test("does not affect other requests", async () => {
    expect((await ask(api, `${widgetsPath}/a`)).status).toBe(200);
    expect(api.errors).toEqual([]);
  });
});

describe("requests in flight", () => {
  test("returns 429 with Retry-After beyond the limits", async () => {
    const { change, go, began } = waiting();
    await using api = await widgetServer(
      { limits: { readOnly: 1, mutating: 1, watches: 0, queuedPerUser: 0 } },
      change,
    );
    await createWidgets(api, "a");
    const first = ask(api, `${widgetsPath}/a`);
    await began;
    const second = await ask(api, `${widgetsPath}/a`);
    expect(second).toMatchObject({
      status: 429,
      json: { reason: "TooManyRequests", message: "Too many requests, please try again later." },
    });
    expect(second.headers["retry-after"]).toBe("1");
    expect((await ask(api, widgetsPath, { method: "POST", body: widget("b") })).status).toBe(201);
    expect((await ask(api, `${widgetsPath}?watch=1`)).status).toBe(429);
    go();
    expect((await first).status).toBe(200);
    expect((await ask(api, `${widgetsPath}/a`)).status).toBe(200);
    const { text } = await ask(api, "/metrics");
    expect(text).toContain('apiserver_dropped_requests_total{request_kind="readOnly"} 1');
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 0');
  });

  test("starts queued requests in turn, and returns 429 after the queue timeout", async () => {
    const { change, go, began } = waiting();
    const clock = new VirtualClock();
    await using api = await widgetServer({ clock, limits: { readOnly: 1 } }, change);
    await createWidgets(api, "a");
    const path = `${widgetsPath}/a`;
    const inQueue = async (): Promise<string | undefined> => {
      // Metrics bypass the limits.
      const { text } = await ask(api, "/metrics");
      return /apiserver_current_inqueue_requests\{request_kind="readOnly"\} (\d+)/.exec(text)?.[1];
    };
    const first = ask(api, path);
    await began;
    const late = ask(api, path);
    const gone = httpRequest(`${api.server.url}${path}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    gone.on("error", () => {}).end();
    await vi.waitFor(async () => expect(await inQueue()).toBe("2"));
    expect((await ask(api, "/readyz")).status).toBe(200);
    gone.destroy();
    await vi.waitFor(async () => expect(await inQueue()).toBe("1"));
    await clock.advance(16_000);
    const refused = await late;
    expect(refused).toMatchObject({ status: 429, json: { reason: "TooManyRequests" } });
    expect(refused.headers["retry-after"]).toBe("1");
    const second = ask(api, path);
    await vi.waitFor(async () => expect(await inQueue()).toBe("1"));
    go();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(await inQueue()).toBe("0");
    expect(api.errors).toEqual([]);
  });

  test("delays the 429 of clients that ignore Retry-After", async () => {
    const { change, go, began } = waiting();
    const clock = new VirtualClock();
    await using api = await widgetServer({ clock, limits: { readOnly: 1, queuedPerUser: 0 } }, change);
    await createWidgets(api, "a");
    const path = `${widgetsPath}/a`;
    const first = ask(api, path);
    await began;
    const codes = new Set<number>();
    for (let time = 0; time < 100; time++) codes.add((await ask(api, path)).status);
    expect([...codes]).toEqual([429]);
    let rejected = false;
    const later = ask(api, path).finally(() => (rejected = true));
    await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(1));
    expect(rejected).toBe(false);
    await clock.advance(1000);
    expect((await later).status).toBe(429);
    expect((await ask(api, path)).status).toBe(429);
    go();
    expect((await first).status).toBe(200);
  });

  test("returns 504 when a request exceeds its timeout", async () => {
    const { change, go, began } = waiting();
    const clock = new VirtualClock();
    await using api = await widgetServer({ clock }, change);
    await createWidgets(api, "a");
    const late = ask(api, `${widgetsPath}/a`);
    await began;
    await clock.advance(61_000);
    expect(await late).toMatchObject({
      status: 504,
      json: {
        reason: "Timeout",
        message: "Timeout: request did not complete within the allotted timeout",
      },
    });
    const impatient = ask(api, `${widgetsPath}/a?timeout=2s`);
    await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0));
    await clock.advance(3000);
    expect((await impatient).status).toBe(504);
    go();
    expect((await ask(api, `${widgetsPath}/a`)).status).toBe(200);
    expect(api.errors).toEqual([]);
  });
});

test("returns 500 for an unexpected error, and reports it", async () => {
  const broken = new Error("something broke");
  await using api = await widgetServer({}, (registry) => {
    return Object.assign(Object.create(registry) as typeof registry, {
      types: registry.types,
      get: () => Promise.reject(broken),
      list() {
        throw broken;
      },
    });
  });
  for (const path of [`${widgetsPath}/a`, widgetsPath]) {
    expect(await ask(api, path)).toMatchObject({
      status: 500,
      json: { reason: "InternalError", message: "Internal error occurred: something broke" },
    });
  }
  expect(api.errors).toEqual([broken, broken]);
});
