import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, createWidgets, sendRaw, widgetsPath } from "./fixtures/http-client.js";
import { bearerTokens } from "./auth/authenticate.js";
import { StaticTokens, type TokenEntry } from "./auth/tokens.js";
import { startWatch } from "./fixtures/watch-client.js";
import { adminToken, guestToken, widgetServer, type WidgetServer } from "./fixtures/widget-server.js";

let api: WidgetServer;

beforeAll(async () => {
  api = await widgetServer({ hosts: ["fettle.example.com"], origins: ["https://console.example.com"] });
  await createWidgets(api, "a");
});
afterAll(() => api[Symbol.asyncDispose]());

describe("anonymous users", () => {
  test.each(["/healthz", "/livez", "/readyz", "/readyz?verbose", "/version", "/version/"])(
    "may get %s",
    async (path) => {
      expect((await ask(api, path, { token: null })).status).toBe(200);
    },
  );

  test.each<[string, string, string]>([
    ["GET", "/", 'User "system:anonymous" cannot get path "/"'],
    ["GET", "/metrics", 'User "system:anonymous" cannot get path "/metrics"'],
    ["GET", "/readyz/ping", 'User "system:anonymous" cannot get path "/readyz/ping"'],
    ["GET", "/<script>", 'User "system:anonymous" cannot get path "/&lt;script&gt;"'],
    ["POST", "/healthz", 'User "system:anonymous" cannot post path "/healthz"'],
    ["GET", "/apis/none/v1/things", 'cannot list resource "things" in API group "none" at the cluster scope'],
  ])("may not %s %s", async (method, path, message) => {
    const reply = await ask(api, path, { method, token: null });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403 });
    expect(reply.json.message).toContain(message);
    expect(reply.headers["x-content-type-options"]).toBe("nosniff");
  });
});

describe("users without permissions", () => {
  const user = 'User "guest" cannot';
  const where = 'in API group "demo.dev" in the namespace "default"';

  test.each<[string, string, string]>([
    ["GET", widgetsPath, `widgets.demo.dev is forbidden: ${user} list resource "widgets" ${where}`],
    [
      "GET",
      `${widgetsPath}?watch=1`,
      `widgets.demo.dev is forbidden: ${user} watch resource "widgets" ${where}`,
    ],
    ["GET", `${widgetsPath}/a`, `widgets.demo.dev "a" is forbidden: ${user} get resource "widgets" ${where}`],
    ["POST", widgetsPath, `widgets.demo.dev is forbidden: ${user} create resource "widgets" ${where}`],
    [
      "DELETE",
      widgetsPath,
      `widgets.demo.dev is forbidden: ${user} deletecollection resource "widgets" ${where}`,
    ],
    [
      "PATCH",
      `${widgetsPath}/a/status`,
      `widgets.demo.dev "a" is forbidden: ${user} patch resource "widgets/status" ${where}`,
    ],
    [
      "GET",
      "/api/v1/namespaces/x",
      `namespaces "x" is forbidden: ${user} get resource "namespaces" in API group "" in the namespace "x"`,
    ],
    [
      "GET",
      "/api/v1/namespaces",
      `namespaces is forbidden: ${user} list resource "namespaces" in API group "" at the cluster scope`,
    ],
  ])("get a 403: %s %s", async (method, path, message) => {
    const reply = await ask(api, path, { method, token: guestToken });
    expect(reply).toMatchObject({ status: 403, json: { message } });
  });
});

describe("tokens", () => {
  test.each([
    ["a wrong token", "Bearer wrong"],
    ["a truncated token", `Bearer ${adminToken.slice(0, -1)}`],
    ["an extended token", `Bearer ${adminToken}x`],
  ])("returns 401 for %s", async (_, authorization) => {
    const reply = await ask(api, widgetsPath, { headers: { authorization } });
    expect(reply).toMatchObject({
      status: 401,
      json: { message: "Unauthorized", reason: "Unauthorized", code: 401 },
    });
    expect((await ask(api, "/healthz", { headers: { authorization } })).status).toBe(401);
  });

  test("treats other authentication schemes as anonymous", async () => {
    for (const authorization of ["Basic YWRtaW46YWRtaW4=", "Bearer", adminToken]) {
      expect((await ask(api, widgetsPath, { headers: { authorization } })).status).toBe(403);
    }
  });

  test("accepts the scheme in any case", async () => {
    const headers = { authorization: `bEaReR ${adminToken}` };
    expect((await ask(api, widgetsPath, { headers })).status).toBe(200);
  });

  test("authenticates each request of a connection", async () => {
    const get = (token: string): string =>
      `GET ${widgetsPath}/a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    const text = await sendRaw(
      api.server.port,
      `${get(adminToken)}\r\n${get("wrong")}\r\n${get(guestToken)}\r\n${get(adminToken)}Connection: close\r\n\r\n`,
    );
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual([
      "HTTP/1.1 200",
      "HTTP/1.1 401",
      "HTTP/1.1 403",
      "HTTP/1.1 200",
    ]);
  });
});

describe("impersonation", () => {
  test.each(["Impersonate-User", "impersonate-group", "IMPERSONATE-UID", "Impersonate-Extra-scope"])(
    "is refused: %s",
    async (name) => {
      const reply = await ask(api, `${widgetsPath}/a`, { headers: { [name]: "nobody" } });
      expect(reply.status).toBe(403);
      expect(reply.json.message).toContain("this server does not support impersonation; remove --as");
    },
  );

  test("is told apart from other headers with the same first letter", async () => {
    const headers = { "if-none-match": "x", "i-am": "fine", impersonate: "no prefix" };
    expect((await ask(api, `${widgetsPath}/a`, { headers })).status).toBe(200);
  });
});

describe("revoked credentials", () => {
  const admin = { token: adminToken, user: { name: "admin", groups: ["system:masters"] } };
  const boss = { token: "boss-token-for-tests", user: { name: "boss", groups: ["system:masters"] } };

  test.each<[string, TokenEntry[]]>([
    ["is removed", [admin]],
    ["belongs to another user", [admin, { ...boss, user: { ...boss.user, name: "other" } }]],
    ["belongs to other groups", [admin, { ...boss, user: { ...boss.user, groups: ["guests"] } }]],
  ])("end the watches of a token that %s, and no others", async (_, entries) => {
    const tokens = new StaticTokens([admin, boss]);
    await using other = await widgetServer({ authenticate: bearerTokens(tokens) });
    const authorization = `Bearer ${boss.token}`;
    const revoked = await startWatch(other, `${widgetsPath}?watch=1`, { authorization });
    const kept = await startWatch(other, `${widgetsPath}?watch=1`);
    tokens.set(entries);
    other.server.recheckCredentials();
    expect(await revoked.rest()).toEqual([]);
    await createWidgets(other, "a");
    expect(await kept.next()).toMatchObject({ type: "ADDED" });
    kept.close();
  });
});

describe("Host header", () => {
  test("must not be repeated", async () => {
    const text = await sendRaw(
      api.server.port,
      "GET /version HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect(text).toMatch(/^HTTP\/1.1 400 .*the request has more than one Host header/s);
  });

  test.each(["localhost", "127.0.0.1:99", "[::1]:99", "fettle.example.com:443"])(
    "accepts %s",
    async (host) => {
      expect((await ask(api, "/version", { headers: { host } })).status).toBe(200);
    },
  );

  test("returns 403 for other hosts", async () => {
    const reply = await ask(api, "/version", { headers: { host: "evil.example.com" } });
    expect(reply.status).toBe(403);
    expect(reply.json.message).toContain('the host name "evil.example.com" is not allowed');
  });
});

describe("Origin header", () => {
  test("accepts the server's own and allowed origins", async () => {
    const { host } = new URL(api.server.url);
    for (const origin of [`http://${host}`, "https://console.example.com"]) {
      expect((await ask(api, "/version", { headers: { host, origin } })).status, origin).toBe(200);
    }
  });

  test.each(["http://evil.example.com", "null", "http://localhost:1"])(
    "returns 403 for %s",
    async (origin) => {
      const reply = await ask(api, widgetsPath, { headers: { origin } });
      expect(reply.status).toBe(403);
      expect(reply.json.message).toContain(`requests from the origin "${origin}" are not allowed`);
    },
  );
});

test("returns 500 when the authorizer throws", async () => {
  await using other = await widgetServer({
    authorize() {
      throw new Error("no idea");
    },
  });
  expect((await ask(other, widgetsPath)).status).toBe(500);
  expect(other.errors).toHaveLength(1);
});

test("includes the authorizer's reason in the 403", async () => {
  await using other = await widgetServer({ authorize: () => ({ allowed: false, reason: "it is late" }) });
  expect((await ask(other, "/version")).json.message).toBe(
    'forbidden: User "admin" cannot get path "/version": it is late',
  );
});
