import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { failures, VirtualClock } from "../../../model/core.js";
import { required } from "../../../model/object/field-errors.js";
import { bearerTokens } from "../auth/authenticate.js";
import { StaticTokens } from "../auth/tokens.js";
import { ask } from "../fixtures/http-client.js";
import { adminToken, guestToken, widgetServer, type WidgetServer } from "../fixtures/widget-server.js";
import type { Extension } from "./extension.js";

const notes: Extension = {
  path: "/api/v2",
  access: "own",
  errors: "problem",
  async serve(request) {
    const { path, method, headers, user } = request;
    switch (path) {
      case "echo":
        return {
          code: 201,
          type: "application/vnd.note+json",
          headers: { Location: "/api/v2/1", ETag: '"1"' },
          json: { method, headers, user: user.name, size: (await request.bytes(1000)).length },
        };
      case "same":
        return { code: 304, headers: { ETag: '"1"' }, empty: true };
      case "wrong":
        throw failures.invalid({ group: "", kind: "Note" }, "a", [required("spec.text")]);
      case "busy":
        throw failures.tooManyRequests("wait", 7);
      default:
        return undefined;
    }
  },
};

let sent = 0;
const ended: unknown[] = [];

const echo: Extension = {
  path: "/echo",
  maxMessageBytes: 1000,
  serve: async () => ({ code: 426, headers: { Upgrade: "websocket" }, json: {} }),
  async upgrade({ path, user }) {
    if (path === "missing") return undefined;
    if (path === "closed") throw failures.serviceUnavailable("closed");
    return async (connection) => {
      connection.signal.addEventListener("abort", () => ended.push(connection.signal.reason));
      if (path === "broken") throw new Error("broken");
      if (path === "flood") while (await connection.send("x".repeat(10_000))) sent++;
      for await (const message of connection.messages) {
        if (message === "bye") return;
        await connection.send(`${user.name}: ${message}`);
      }
    };
  },
};

const extensions = [notes, echo];
let api: WidgetServer;
beforeAll(async () => void (api = await widgetServer({ extensions })));
afterAll(() => api[Symbol.asyncDispose]());

describe("requests", () => {
  test("get headers without credentials, and set code, type and headers of the response", async () => {
    const { status, headers, json } = await ask(api, "/api/v2/echo", {
      method: "POST",
      headers: { "if-match": '"1"', cookie: "a=b" },
      body: { text: "x" },
    });
    expect(status).toBe(201);
    expect(headers).toMatchObject({
      location: "/api/v2/1",
      etag: '"1"',
      "content-type": "application/vnd.note+json",
    });
    expect(json).toMatchObject({ method: "POST", user: "admin", size: 12, headers: { "if-match": '"1"' } });
    expect(Object.keys(json.headers as object)).not.toContain("authorization");
    expect(Object.keys(json.headers as object)).not.toContain("cookie");
  });

  test("with own access get anonymous users, too; others need permission for the path", async () => {
    expect((await ask(api, "/api/v2/echo", { token: null })).json).toMatchObject({
      user: "system:anonymous",
    });
    expect((await ask(api, "/echo", { token: null })).status).toBe(403);
    expect((await ask(api, "/echo", { token: guestToken })).status).toBe(403);
    expect((await ask(api, "/echo")).status).toBe(426);
  });

  test("can have responses without a body", async () => {
    const { status, headers, text } = await ask(api, "/api/v2/same");
    expect({ status, etag: headers.etag, text }).toEqual({ status: 304, etag: '"1"', text: "" });
  });

  test("fail with problems", async () => {
    const wrong = await ask(api, "/api/v2/wrong");
    expect(wrong.headers["content-type"]).toBe("application/problem+json");
    expect(wrong.json).toEqual({
      type: "about:blank",
      title: "Unprocessable Entity",
      status: 422,
      detail: 'Note "a" is invalid: spec.text: Required value',
      instance: "/api/v2/wrong",
      reason: "Invalid",
      errors: [{ field: "spec.text", detail: "Required value" }],
    });
    expect((await ask(api, "/api/v2/none")).json).toMatchObject({ status: 404, title: "Not Found" });
    expect((await ask(api, "/api/v2/echo", { token: "no" })).json).toMatchObject({ status: 401 });
    expect((await ask(api, "/api/v2/busy")).headers["retry-after"]).toBe("7");
    const large = await ask(api, "/api/v2/echo", { method: "POST", body: "x".repeat(1001) });
    expect(large.json).toMatchObject({ status: 413, detail: "Request entity too large: limit is 1000" });
  });

  test("leave the paths of the Kubernetes API alone", async () => {
    expect((await ask(api, "/api")).json).toMatchObject({ kind: "APIVersions" });
    expect((await ask(api, "/api/v1")).json).toMatchObject({ kind: "APIResourceList" });
    expect((await ask(api, "/api/v1/namespaces")).json).toMatchObject({ kind: "NamespaceList" });
    expect((await ask(api, "/api/v3/namespaces")).status).toBe(404);
  });
});

describe("WebSockets", () => {
  const authorization = `Bearer ${adminToken}`;
  const open = (path: string, options: { headers?: object; protocols?: string[] } = {}, server = api) =>
    new WebSocket(`${server.server.url.replace("http", "ws")}${path}`, options.protocols ?? [], {
      headers: (options.headers ?? { authorization }) as Record<string, string>,
    });

  test("exchange messages until the function returns", async () => {
    const socket = open("/echo");
    await once(socket, "open");
    for (const text of ["one", "two"]) socket.send(text);
    const received: string[] = [];
    socket.on("message", (data: Buffer) => {
      received.push(data.toString());
      if (received.length === 2) socket.send("bye");
    });
    expect((await once(socket, "close"))[0]).toBe(1000);
    expect(received).toEqual(["admin: one", "admin: two"]);
  });

  test("take the token of a browser from the subprotocols", async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(adminToken).toString("base64url")}`;
    const socket = open("/echo", { headers: {}, protocols: [token, "echo"] });
    await once(socket, "open");
    expect(socket.protocol).toBe("echo");
    socket.terminate();
  });

  test.each([
    ["no token", "/echo", {}, "403"],
    ["a wrong token", "/echo", { authorization: "Bearer wrong" }, "401"],
    ["a user without permission", "/echo", { authorization: `Bearer ${guestToken}` }, "403"],
    ["another origin", "/echo", { authorization, origin: "http://evil.dev" }, "403"],
    ["another host", "/echo", { authorization, host: "evil.dev" }, "403"],
    ["a path without one", "/echo/missing", { authorization }, "404"],
    ["an error", "/echo/closed", { authorization }, "503"],
    ["an extension without them", "/api/v2/echo", { authorization }, "201"],
  ])("are refused by an HTTP response: %s", async (_, path, headers, code) => {
    await expect(once(open(path, { headers }), "open")).rejects.toThrow(code);
  });

  test("count as watches", async () => {
    await using small = await widgetServer({ extensions, limits: { watches: 1 } });
    const first = open("/echo", {}, small);
    await once(first, "open");
    await expect(once(open("/echo", {}, small), "open")).rejects.toThrow("429");
    first.close();
    await once(first, "close");
    await vi.waitFor(async () => {
      const next = open("/echo", {}, small);
      await once(next, "open");
      next.terminate();
    });
  });

  test("are closed after a message that is too large, or binary", async () => {
    const large = open("/echo");
    await once(large, "open");
    large.send("x".repeat(1001));
    expect((await once(large, "close"))[0]).toBe(1009);
    const binary = open("/echo");
    await once(binary, "open");
    binary.send(Buffer.from("x"));
    expect((await once(binary, "close"))[0]).toBe(1003);
    expect(api.errors).toEqual([]);
  });

  test("end with an error of the function, which is reported and not shown", async () => {
    const socket = open("/echo/broken");
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([1011, "internal error"]);
    expect(api.errors.splice(0)).toMatchObject([{ message: "broken" }]);
  });

  test("wait for a client that does not read, and disconnect it in the end", async () => {
    const clock = new VirtualClock();
    await using other = await widgetServer({ extensions, clock });
    sent = 0;
    const socket = open("/echo/flood", {}, other);
    await once(socket, "open");
    socket.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const same = sent === before && sent > 0;
        before = sent;
        expect(same).toBe(true);
      },
      { interval: 50, timeout: 10_000 },
    );
    expect(sent).toBeLessThan(2000);
    const count = ended.length;
    await clock.advance(60_000);
    await vi.waitFor(() => expect(ended.length).toBeGreaterThan(count));
    socket.terminate();
  });

  test("are closed when the client does not answer pings", async () => {
    const clock = new VirtualClock();
    await using other = await widgetServer({ extensions, clock });
    const socket = open("/echo", {}, other);
    await once(socket, "open");
    const pinged = once(socket, "ping");
    await clock.advance(30_000);
    await pinged;
    // The answer to the first ping was sent; then the client stops reading.
    socket.send("hello");
    await once(socket, "message");
    socket.pause();
    await clock.advance(30_000);
    const count = ended.length;
    await clock.advance(30_000);
    await vi.waitFor(() => expect(ended.length).toBeGreaterThan(count));
    socket.terminate();
  });

  test("are closed when their token is revoked, and when the server stops", async () => {
    const user = { name: "anna", groups: ["system:masters"] };
    const tokens = new StaticTokens([{ token: "token-of-anna-1234", user }]);
    const other = await widgetServer({ extensions, authenticate: bearerTokens(tokens) });
    const headers = { authorization: "Bearer token-of-anna-1234" };
    const revoked = open("/echo", { headers }, other);
    await once(revoked, "open");
    tokens.set([{ token: "token-of-anna-5678", user }]);
    other.server.recheckCredentials();
    expect((await once(revoked, "close"))[0]).toBe(1008);
    const open2 = open("/echo", { headers: { authorization: "Bearer token-of-anna-5678" } }, other);
    await once(open2, "open");
    const closed = once(open2, "close");
    await other[Symbol.asyncDispose]();
    expect((await closed)[0]).toBe(1001);
  });
});
