import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from "node:http2";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { widget, widgetsPath } from "../fixtures/http-client.js";
import { adminToken, widgetServer, type WidgetServer } from "../fixtures/widget-server.js";
import type { Extension } from "../paths/extension.js";
import { ensureCertificates, type ServerCertificates } from "./certificates.js";

let folder: string;
let certificates: ServerCertificates;
let api: WidgetServer;
let session: ClientHttp2Session;

const authorization = `Bearer ${adminToken}`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fettle-tls-server-"));
  certificates = await ensureCertificates(folder, { names: ["fettle.example.com"] });
  const socket: Extension = {
    path: "/socket",
    serve: async () => ({ code: 426, headers: { Upgrade: "websocket" }, json: {} }),
  };
  api = await widgetServer({ tls: certificates, extensions: [socket] });
  session = connectHttp2(api.server.url, { ca: certificates.ca });
});
afterAll(async () => {
  session.close();
  await api[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Reply {
  readonly headers: IncomingHttpHeaders & { ":status"?: number };
  readonly text: string;
}

async function ask(path: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
  const stream = session.request({ ":path": path, authorization, ...headers });
  stream.end(body);
  const [replied] = (await once(stream, "response")) as [Reply["headers"]];
  let text = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) text += String(chunk);
  return { headers: replied, text };
}

test("HTTP/2: writes and reads", async () => {
  expect(api.server.url).toMatch(/^https:\/\/127.0.0.1:\d+$/);
  const post = { ":method": "POST", "content-type": "application/json" };
  const created = await ask(widgetsPath, post, JSON.stringify(widget("a", { size: 1 })));
  expect(created.headers[":status"]).toBe(201);
  const got = await ask(`${widgetsPath}/a`);
  expect(got.headers).toMatchObject({
    ":status": 200,
    "content-type": "application/json",
    "content-length": String(got.text.length),
    "cache-control": "no-cache, private",
  });
  expect(JSON.parse(got.text)).toMatchObject({ spec: { size: 1 } });
  const head = await ask(`${widgetsPath}/a`, { ":method": "HEAD" });
  expect(head).toMatchObject({ headers: { ":status": 200 }, text: "" });
  expect((await ask(`${widgetsPath}/none`)).headers[":status"]).toBe(404);
  const warned = await ask(widgetsPath, post, JSON.stringify(widget("b", { no: 1, nor: 2 })));
  expect(String(warned.headers["warning"])).toContain("spec.nor");
});

test("HTTP/2: a path for WebSockets says so, without the header that HTTP/2 forbids", async () => {
  const { headers } = await ask("/socket");
  expect(headers[":status"]).toBe(426);
  expect(headers.upgrade).toBeUndefined();
});

test("HTTP/2: large lists, plain and compressed", async () => {
  const post = { ":method": "POST", "content-type": "application/json" };
  for (let index = 0; index < 100; index++) {
    await ask(widgetsPath, post, JSON.stringify(widget(`w-${index}`, { text: "x".repeat(5000) })));
  }
  const list = await ask(widgetsPath);
  expect(JSON.parse(list.text).items.length).toBeGreaterThanOrEqual(100);
  const packed = await ask(widgetsPath, { "accept-encoding": "gzip" });
  expect(packed.headers["content-encoding"]).toBe("gzip");
});

test("HTTP/2: many watches on one connection", async () => {
  const revision = JSON.parse((await ask(`${widgetsPath}?limit=1`)).text).metadata.resourceVersion as string;
  const streams = Array.from({ length: 20 }, () => {
    return session.request({ ":path": `${widgetsPath}?watch=1&resourceVersion=${revision}`, authorization });
  });
  await Promise.all(streams.map((stream) => once(stream, "response")));
  const first = streams.map((stream) => once(stream, "data"));
  const post = { ":method": "POST", "content-type": "application/json" };
  await ask(widgetsPath, post, JSON.stringify(widget("watched")));
  for (const [data] of await Promise.all(first)) {
    expect(JSON.parse(String(data))).toMatchObject({
      type: "ADDED",
      object: { metadata: { name: "watched" } },
    });
  }
  for (const stream of streams) stream.close();
  await vi.waitFor(async () => {
    const { text } = await ask("/metrics");
    expect(text).toMatch(/apiserver_longrunning_requests\{verb="WATCH",[^}]*\} 0/);
  });
});

test("HTTP/2: returns 403, and survives a stream reset", async () => {
  expect((await ask("/metrics", { authorization: "Bearer wrong" })).headers[":status"]).toBe(401);
  expect((await ask("/version", { ":authority": "evil.example.com" })).headers[":status"]).toBe(403);
  expect((await ask("/version", { ":authority": "fettle.example.com" })).headers[":status"]).toBe(200);
  const stream = session.request({ ":path": widgetsPath, ":method": "POST", authorization });
  stream.write("{");
  await ask("/version");
  stream.close(8);
  await once(stream, "close");
  expect((await ask("/healthz")).text).toBe("ok");
  expect(api.errors).toEqual([]);
});

test("HTTP/1.1 over TLS, with WebSockets", async () => {
  const { port } = api.server;
  const text = await new Promise<string>((resolve, reject) => {
    httpsRequest({ port, host: "127.0.0.1", path: "/version", ca: certificates.ca }, (response) => {
      expect(response.httpVersion).toBe("1.1");
      let all = "";
      response.on("data", (chunk) => (all += String(chunk))).on("end", () => resolve(all));
    })
      .on("error", reject)
      .end();
  });
  expect(text).toContain("gitVersion");
  const socket = new WebSocket(`wss://127.0.0.1:${port}${widgetsPath}?watch=1`, {
    ca: certificates.ca,
    headers: { authorization },
  });
  const [data] = await once(socket, "message");
  expect(JSON.parse(String(data))).toMatchObject({ type: "ADDED" });
  socket.terminate();
});

test("survives malformed TLS, and malformed HTTP inside TLS", async () => {
  const plain = connect(api.server.port, "127.0.0.1", () => plain.write("GET / HTTP/1.1\r\n\r\n"));
  plain.on("error", () => {});
  await once(plain.resume(), "close");
  const inside = connectTls({ port: api.server.port, host: "127.0.0.1", ca: certificates.ca });
  let text = "";
  inside.on("data", (chunk) => (text += String(chunk))).on("error", () => {});
  inside.write("nonsense\r\n\r\n");
  await once(inside, "close");
  expect(text).toContain("HTTP/1.1 400 Bad Request");
  const broken = connectTls({
    port: api.server.port,
    host: "127.0.0.1",
    ca: certificates.ca,
    ALPNProtocols: ["h2"],
  });
  broken.on("error", () => {});
  broken.write("this is no preface of HTTP/2 at all, whatever it may be\r\n\r\n");
  await once(broken.resume(), "close");
  expect((await ask("/healthz")).text).toBe("ok");
});

test("uses a replaced certificate for new connections", async () => {
  const next = await ensureCertificates(folder, { names: ["other.example.com"] });
  api.server.setCertificate(next);
  const socket = connectTls({ port: api.server.port, host: "127.0.0.1", ca: next.ca });
  await once(socket, "secureConnect");
  expect(socket.getPeerCertificate().subjectaltname).toContain("other.example.com");
  socket.destroy();
});

test("ends sessions and watches on close", async () => {
  const other = await widgetServer({ tls: certificates });
  const client = connectHttp2(other.server.url, { ca: certificates.ca });
  const watch = client.request({ ":path": `${widgetsPath}?watch=1`, authorization });
  await once(watch, "response");
  const ended = once(watch.resume(), "end");
  const closed = once(client, "close");
  await other.server.close();
  await expect(Promise.all([ended, closed])).resolves.toHaveLength(2);
  await other.store.close();
});

test("requires TLS except on loopback", async () => {
  await expect(widgetServer({ host: "0.0.0.0" })).rejects.toThrow("cannot listen on 0.0.0.0 without TLS");
  await expect(widgetServer({ tls: { cert: certificates.cert, key: "x" } })).rejects.toThrow("private key");
});
