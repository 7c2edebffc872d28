import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { systemClock } from "fettle/model";
import { TestClock } from "fettle/testing";
import { afterEach, expect, test } from "vitest";
import { checkTarget, type HealthCheck } from "./check-target.js";

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  servers.push(server);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.once("close", () => sockets.delete(socket)).on("error", () => {}));
  });
  await once(server.listen(0, host), "listening");
  return (server.address() as AddressInfo).port;
}

const http = (listener: RequestListener) => listen(createServer(listener));
const tcp = (listener: (socket: Socket) => void) => listen(createTcpServer(listener));

const defaults: HealthCheck = {
  type: "http",
  path: "/",
  expect: { min: 200, max: 399 },
  interval: "10s",
  timeout: "10s",
  healthyThreshold: 2,
  unhealthyThreshold: 3,
};

function check(port: number, settings: Partial<HealthCheck> = {}, clock = systemClock) {
  const { signal } = new AbortController();
  const target = { address: "127.0.0.1", host: "app.example", port };
  return checkTarget(target, { ...defaults, ...settings }, { clock, signal });
}

test("a status within the range is healthy, and another one is named", async () => {
  const port = await http(({ url }, response) => void response.writeHead(Number(url?.slice(1))).end("text"));
  const statuses = [200, 301, 399, 400, 404, 503];
  const results = await Promise.all(statuses.map((status) => check(port, { path: `/${status}` })));
  expect(results).toEqual([undefined, undefined, undefined, "status 400", "status 404", "status 503"]);
  expect(await check(port, { path: "/404", expect: { min: 404, max: 404 } })).toBeUndefined();
});

test("the request has the path and host of the check, and a connection of its own", async () => {
  const seen: unknown[] = [];
  const port = await http(({ method, url, headers }, response) => {
    seen.push([method, url, headers.host, headers.connection]);
    response.end();
  });
  await check(port, { path: "/health?full=1" });
  await check(port, { host: "other.example" });
  expect(seen).toEqual([
    ["GET", "/health?full=1", `app.example:${port}`, "close"],
    ["GET", "/", "other.example", "close"],
  ]);
});

test("the port of the check replaces that of the target", async () => {
  const port = await http((_, response) => void response.end());
  expect(await check(1, { port })).toBeUndefined();
  expect(await check(1, { port, type: "tcp" })).toBeUndefined();
});

test("a port without a server is refused", async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  expect(await check(port)).toBe("connection refused");
  expect(await check(port, { type: "tcp" })).toBe("connection refused");
});

test("a server that does not respond is given up after the timeout", async () => {
  const clock = new TestClock();
  const connected = new Promise<void>((resolve) => {
    void tcp(() => resolve()).then((port) => (result = check(port, { timeout: "2s" }, clock)));
  });
  let result: Promise<string | undefined> | undefined;
  await connected;
  await clock.advance(2000);
  expect(await result).toBe("no response within 2s");
});

test("a connection that is closed, and a response that is not HTTP, are failures", async () => {
  const closing = await tcp((socket) => void socket.once("data", () => socket.destroy()));
  expect(await check(closing)).toBe("the connection was closed before a response");
  const garbage = await tcp((socket) => void socket.end("220 mail.example ESMTP\r\n"));
  expect(await check(garbage)).toBe("the response is not HTTP");
});

test("an endless body is cut off, and its status counts", async () => {
  const port = await http((_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write("x".repeat(10_000))) {}
    };
    response.on("drain", write);
    write();
  });
  expect(await check(port)).toBeUndefined();
});

test("a body that does not end is healthy at the timeout", async () => {
  const clock = new TestClock();
  let responded = (): void => {};
  const responding = new Promise<void>((resolve) => (responded = resolve));
  const port = await http((_, response) => {
    response.write("data: 1\n\n", () => responded());
  });
  const result = check(port, { timeout: "2s" }, clock);
  await responding;
  // The status may still be on its way, so time passes only while the check waits.
  const timer = setInterval(() => void clock.advance(100), 50);
  try {
    expect(await result).toBeUndefined();
  } finally {
    clearInterval(timer);
  }
});

test("a tcp check needs nothing but a connection", async () => {
  const port = await tcp(() => {});
  expect(await check(port, { type: "tcp" })).toBeUndefined();
});

test("a cancelled check rejects", async () => {
  const stop = new AbortController();
  const port = await tcp(() => stop.abort(new Error("stopped")));
  const target = { address: "127.0.0.1", host: "a", port };
  await expect(checkTarget(target, defaults, { clock: systemClock, signal: stop.signal })).rejects.toThrow(
    "stopped",
  );
});
