import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { resource } from "../../../model/resource/resource.js";
import { controller } from "../../../runtime/controller/controller.js";
import { controlPlane, type ControlPlane, type ControlPlaneOptions } from "../../control-plane.js";
import { defineOperator } from "../../operators/define-operator.js";
import { adminToken } from "../fixtures/admin-token.js";
import { restResource } from "./rest-resource.js";

const Backend = resource("proxy.dev/v1", "Backend", {
  spec: z.object({ address: z.string().min(1), weight: z.number().int().min(1).max(100).default(1) }),
  status: z.object({ health: z.string() }),
});
const Site = resource("proxy.dev/v1", "ProxyConfig", {
  spec: z.object({ host: z.string(), upstream: z.string().optional() }),
});

const proxy = defineOperator({
  name: "proxy",
  kinds: [Backend, Site],
  topics: { "config.changes": ["dev.proxy.proxyconfig.*"] },
  rest: [
    restResource({
      path: "backends",
      kind: Backend,
      description: "Servers behind the proxy",
      views: { health: ({ status }) => status && { status: status.health } },
    }),
    restResource({
      path: "config",
      kind: Site,
      toResource: ({ metadata, spec }) => ({
        id: metadata.name,
        server_name: spec.host,
        team: metadata.labels?.["team"],
      }),
      toObject: ({ server_name: host, team }) => {
        if (team === "none") throw new Error("team none does not exist");
        const labels = { team: typeof team === "string" ? team : null };
        return {
          metadata: { labels },
          spec: { host: String(host) },
        };
      },
      toField: (field) => (field === "spec.host" ? "server_name" : field),
      schema: { type: "object", properties: { id: { type: "string" }, server_name: { type: "string" } } },
    }),
  ],
  setup: () => ({
    controllers: [
      controller({
        for: Backend,
        reconcile(backend, { report, ready }) {
          report({ health: backend.spec.address.startsWith("bad") ? "unhealthy" : "healthy" });
          ready("Checked");
        },
      }),
    ],
  }),
});

let plane: ControlPlane;
let token = "";
beforeAll(async () => {
  plane = await start();
  token = adminToken(plane);
});
afterAll(() => plane.stop());
beforeEach(async () => {
  await plane.client.deleteAll(Backend, {});
  await plane.client.deleteAll(Site, {});
});

function start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  return controlPlane({ store: "memory", listen: { port: 0, tls: false }, operators: [proxy], ...options });
}

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly as?: string | null;
  readonly of?: ControlPlane;
}

async function ask(path: string, { method = "GET", body, headers = {}, as = token, of = plane }: Asked = {}) {
  const response = await request(`${of.url}/api/v2${path}`, {
    method: method as "GET",
    headers: {
      ...(as !== null && { authorization: `Bearer ${as}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.body.text();
  return {
    code: response.statusCode,
    headers: response.headers as Record<string, string | undefined>,
    text,
    json: text.startsWith("{") ? JSON.parse(text) : undefined,
  };
}

const put = (id: string, body: object, headers = {}) =>
  ask(`/backends/${id}`, { method: "PUT", body, headers });

describe("items", () => {
  test("are created, read, replaced and deleted", async () => {
    const created = await ask("/backends", { method: "POST", body: { id: "a", address: "10.0.0.1:80" } });
    expect(created).toMatchObject({
      code: 201,
      headers: { location: "/api/v2/backends/a", "content-type": "application/json" },
      json: { id: "a", address: "10.0.0.1:80", weight: 1 },
    });
    await plane.controllers.idle();
    const read = await ask("/backends/a");
    expect(read).toMatchObject({ code: 200, json: { id: "a", status: { health: "healthy" } } });
    expect(await put("a", { address: "10.0.0.2:80", weight: 3 })).toMatchObject({
      code: 200,
      json: { address: "10.0.0.2:80", weight: 3 },
    });
    // The same object as everybody else sees, with the changes of the REST API as those of their own manager.
    const object = await plane.client.get(Backend, "a");
    expect(object.spec).toEqual({ address: "10.0.0.2:80", weight: 3 });
    expect(object.metadata.managedFields?.map(({ manager }) => manager)).toContain("fettle-rest");
    expect(await ask("/backends/a", { method: "DELETE" })).toMatchObject({ code: 204, text: "" });
    expect(await ask("/backends/a")).toMatchObject({
      code: 404,
      headers: { "content-type": "application/problem+json" },
      json: { type: "about:blank", title: "Not Found", status: 404, instance: "/api/v2/backends/a" },
    });
    expect((await ask("/backends/a", { method: "DELETE" })).code).toBe(404);
  });

  test("get a name if they have none, and can be created by PUT", async () => {
    const { json, headers } = await ask("/backends", { method: "POST", body: { address: "x" } });
    expect(json.id).toMatch(/^backend-/);
    expect(headers["location"]).toBe(`/api/v2/backends/${json.id}`);
    expect((await put("b", { address: "x" })).code).toBe(201);
    expect((await put("b", { address: "x" })).code).toBe(200);
    expect((await put("c", { address: "x" }, { "if-none-match": "*" })).code).toBe(201);
    expect((await put("c", { address: "y" }, { "if-none-match": "*" })).code).toBe(412);
  });

  test("have ETags: conditional reads and writes", async () => {
    const first = (await put("a", { address: "x" })).headers["etag"] ?? "";
    await plane.controllers.idle();
    const { headers } = await ask("/backends/a");
    const etag = headers["etag"] ?? "";
    // The status is part of the document.
    expect(etag).not.toBe(first);
    expect(await ask("/backends/a", { headers: { "if-none-match": etag } })).toMatchObject({
      code: 304,
      text: "",
      headers: { etag },
    });
    expect(await put("a", { address: "y" }, { "if-match": first })).toMatchObject({
      code: 412,
      json: { reason: "PreconditionFailed", detail: expect.stringContaining(`its ETag is ${etag} now`) },
    });
    expect((await put("a", { address: "y" }, { "if-match": etag })).code).toBe(200);
    expect((await put("none", { address: "y" }, { "if-match": "*" })).code).toBe(412);
    expect((await ask("/backends/a", { method: "DELETE", headers: { "if-match": etag } })).code).toBe(412);
    expect((await ask("/backends/a", { method: "DELETE", headers: { "if-match": "*" } })).code).toBe(204);
  });

  test("of one writer at a time: without lost updates", async () => {
    await put("a", { address: "x", weight: 1 });
    const add = async (): Promise<void> => {
      for (;;) {
        const { json, headers } = await ask("/backends/a");
        const { code } = await put(
          "a",
          { address: "x", weight: Number(json.weight) + 1 },
          { "if-match": headers["etag"] ?? "" },
        );
        if (code === 200) return;
        expect(code).toBe(412);
      }
    };
    await Promise.all(Array.from({ length: 8 }, add));
    expect((await plane.client.get(Backend, "a")).spec.weight).toBe(9);
  });

  test("have views", async () => {
    await put("a", { address: "bad:80" });
    await plane.controllers.idle();
    expect(await ask("/backends/a/health")).toMatchObject({ code: 200, json: { status: "unhealthy" } });
    expect((await ask("/backends/none/health")).code).toBe(404);
    expect((await ask("/backends/a/other")).code).toBe(404);
    expect(await ask("/backends/a/health", { method: "PUT", body: {} })).toMatchObject({
      code: 405,
      headers: { allow: "GET, HEAD, OPTIONS" },
    });
  });

  test("are mapped by functions, also in errors", async () => {
    const body = { id: "a", server_name: "example.com", team: "web" };
    expect(await ask("/config", { method: "POST", body })).toMatchObject({ code: 201, json: body });
    const { spec, metadata } = await plane.client.get(Site, "a");
    expect({ spec, labels: metadata.labels }).toEqual({
      spec: { host: "example.com" },
      labels: { team: "web" },
    });
    // Fields that the document does not show are kept, unless the mapping sets them.
    await plane.client.modify(Site, "a", (site) => ({
      ...site,
      metadata: {
        ...site.metadata,
        annotations: { note: "kept" },
        labels: { ...site.metadata.labels, owner: "somebody" },
      },
    }));
    await ask("/config/a", { method: "PUT", body: { server_name: "example.org" } });
    const changed = await plane.client.get(Site, "a");
    expect([changed.spec.host, changed.metadata.annotations?.["note"]]).toEqual(["example.org", "kept"]);
    expect(changed.metadata.labels).toEqual({ owner: "somebody" });
    expect(await ask("/config/a", { method: "PUT", body: { team: "none" } })).toMatchObject({
      code: 422,
      json: { detail: "the document cannot be converted: team none does not exist" },
    });
  });
});

describe("bad input", () => {
  test.each([
    ["an invalid value", { id: "a", address: "", weight: 200 }, 422, ["address", "weight"]],
    ["a missing value", { id: "a" }, 422, ["address"]],
    ["an unknown field", { id: "a", address: "x", color: "red" }, 422, ["color"]],
    ["an id of another type", { id: 7, address: "x" }, 422, ["id"]],
    ["an invalid id", { id: "A B", address: "x" }, 422, ["metadata.name"]],
    ["a list", [], 400, undefined],
    ["malformed JSON", "{", 400, undefined],
  ])("is a problem with fields: %s", async (_, body, code, fields) => {
    const { json, headers, code: actual } = await ask("/backends", { method: "POST", body });
    expect(actual).toBe(code);
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(json.errors?.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test("has the right codes", async () => {
    await put("a", { address: "x" });
    const body = { id: "a", address: "x" };
    expect((await ask("/backends", { method: "POST", body })).json).toMatchObject({
      status: 409,
      reason: "AlreadyExists",
    });
    const headers = { "content-type": "text/plain" };
    expect((await ask("/backends", { method: "POST", body: "x", headers })).code).toBe(415);
    expect((await put("b", { id: "a", address: "x" })).json.errors[0].field).toBe("id");
    expect(await ask("/backends", { method: "PATCH", body: {} })).toMatchObject({
      code: 405,
      headers: { allow: "GET, POST, PUT, DELETE, HEAD, OPTIONS" },
    });
    expect(await ask("/backends", { method: "OPTIONS" })).toMatchObject({ code: 204 });
    expect((await ask("/nothing")).code).toBe(404);
    expect((await ask("/backends/..%2f..%2fsecrets")).code).toBe(404);
    expect((await ask("/backends", { as: null })).json).toMatchObject({ status: 401 });
    expect((await ask("/backends?limit=0")).code).toBe(400);
    expect((await ask("/backends", { method: "POST", body: `{"x":"${"x".repeat(4_000_000)}"}` })).code).toBe(
      413,
    );
  });
});

describe("collections", () => {
  test("are read in pages", async () => {
    for (const id of ["a", "b", "c", "d", "e"]) await put(id, { address: id });
    await plane.controllers.idle();
    const ids: string[] = [];
    let next = "/backends?limit=2";
    for (let page = 0; next !== ""; page++) {
      const { json, headers } = await ask(next);
      ids.push(...(json.items as { id: string }[]).map(({ id }) => id));
      expect(headers["link"]).toBe(json.next === undefined ? undefined : `<${json.next}>; rel="next"`);
      next = (json.next as string | undefined)?.replace("/api/v2", "") ?? "";
      expect(page).toBeLessThan(3);
    }
    expect(ids).toEqual(["a", "b", "c", "d", "e"]);
    const { headers } = await ask("/backends");
    expect((await ask("/backends", { headers: { "if-none-match": headers["etag"] ?? "" } })).code).toBe(304);
  });

  test("are replaced and emptied with a confirmation only", async () => {
    for (const id of ["a", "b", "c"]) await put(id, { address: id });
    await plane.controllers.idle();
    const items = [
      { id: "b", address: "b" },
      { id: "c", address: "changed" },
      { id: "d", address: "d" },
    ];
    const replace = (
      body: unknown,
      headers: Record<string, string> = { "x-fettle-confirm": "replace-all" },
    ) => ask("/backends", { method: "PUT", body, headers });
    expect(await replace({ items }, {})).toMatchObject({
      code: 428,
      json: {
        detail: "this replaces all backends: confirm it with the header X-Fettle-Confirm: replace-all",
      },
    });
    expect((await replace({ items }, { "x-fettle-confirm": "delete-all" })).code).toBe(428);
    expect(await replace({ items })).toMatchObject({
      code: 200,
      json: { created: ["d"], updated: ["c"], unchanged: ["b"], deleted: ["a"] },
    });
    // Nothing is written if one document is wrong.
    const wrong = await replace([
      { id: "x", address: "x" },
      { id: "y", address: "" },
    ]);
    expect(wrong).toMatchObject({ code: 422, json: { errors: [{ field: "items[1].address" }] } });
    expect(
      (
        await replace([
          { id: "x", address: "x" },
          { id: "x", address: "x" },
        ])
      ).json.errors[0].field,
    ).toBe("items[1].id");
    expect((await replace(Array.from({ length: 1001 }, (_, id) => ({ id: `i${id}` })))).code).toBe(422);
    expect((await replace([{ address: "x" }])).code).toBe(422);
    expect((await replace("7")).code).toBe(400);
    const etag = (await ask("/backends")).headers["etag"] ?? "";
    await put("d", { address: "new" });
    const stale = { "x-fettle-confirm": "replace-all", "if-match": etag };
    expect((await replace({ items }, stale)).code).toBe(412);
    expect((await ask("/backends", { method: "DELETE" })).code).toBe(428);
    const confirmed = { "x-fettle-confirm": "delete-all" };
    expect(await ask("/backends", { method: "DELETE", headers: confirmed })).toMatchObject({
      json: { deleted: ["b", "c", "d"] },
    });
    expect((await ask("/backends")).json).toEqual({ items: [] });
  });

  test("are those of a namespace", async () => {
    await plane.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    onTestFinished(() => void plane.client.delete("v1/Namespace", "team"));
    const body = { id: "a", address: "x" };
    const { headers, json } = await ask("/backends?namespace=team", { method: "POST", body });
    expect(headers["location"]).toBe("/api/v2/backends/a?namespace=team");
    expect(json.namespace).toBe("team");
    expect((await ask("/backends")).json.items).toEqual([]);
    expect((await ask("/backends/a?namespace=team")).code).toBe(200);
  });
});

test("access is that of the API", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fettle-tokens-"));
  const tokenFile = join(folder, "tokens.csv");
  await writeFile(tokenFile, 'token-of-anna-1234567,anna,1,""\n', { mode: 0o600 });
  await using other = await start({
    listen: { port: 0, tls: false, tokenFile },
    authorize: ({ user, verb, resource: of }) => ({
      allowed:
        user.groups.includes("system:masters") ||
        (of?.resource === "backends" && ["get", "list"].includes(verb)),
    }),
  });
  const as = "token-of-anna-1234567";
  await other.client.create(Backend, { metadata: { name: "a" }, spec: { address: "x" } });
  expect((await ask("/backends/a", { as, of: other })).code).toBe(200);
  expect((await ask("/backends", { as, of: other })).json.items).toHaveLength(1);
  expect((await ask("/config", { as, of: other })).json).toMatchObject({
    status: 403,
    detail: expect.stringContaining('User "anna" cannot list resource "proxyconfigs"'),
  });
  for (const [path, method] of [
    ["/backends/a", "PUT"],
    ["/backends", "POST"],
    ["/control/reconcile", "POST"],
  ]) {
    const body = method === "POST" && path === "/control/reconcile" ? {} : { id: "a", address: "y" };
    expect((await ask(path ?? "", { method: method ?? "", body, as, of: other })).code).toBe(403);
  }
  expect((await ask("/backends/a", { method: "DELETE", as, of: other })).code).toBe(403);
  const headers = { "x-fettle-confirm": "delete-all" };
  expect((await ask("/backends", { method: "DELETE", as, of: other, headers })).code).toBe(403);
  expect((await ask("/control/status", { as, of: other })).code).toBe(403);
  expect((await other.client.list(Backend)).items).toHaveLength(1);
});

describe("control", () => {
  test("shows the state of the controllers", async () => {
    const { json } = await ask("/control/status");
    expect(json).toMatchObject({
      // A busy machine may have degraded it.
      status: expect.stringMatching(/healthy|degraded/) as string,
      reasons: expect.any(Array) as string[],
      leader: true,
      running: true,
      controllers: [{ name: "backends.proxy.dev", kind: "Backend", queue: { dead: 0 } }],
      subscriptions: [],
    });
  });

  test("reconciles one object, those of a kind, or all, and links to their runs", async () => {
    await put("a", { address: "x" });
    await put("b", { address: "x" });
    await plane.controllers.idle();
    const reconcile = (body?: object) => ask("/control/reconcile", { method: "POST", body });
    const { code, headers, json } = await reconcile({ kind: "Backend", name: "a", reason: "a test" });
    expect(code).toBe(202);
    expect(json).toMatchObject({
      count: 1,
      trigger: expect.stringMatching(/^a test \(by fettle-admin, request \w{8}\)$/),
    });
    expect(headers["location"]).toBe(json.runs);
    await plane.controllers.idle();
    const response = await request(`${plane.url}${json.runs}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { runs } = (await response.body.json()) as {
      runs: { key: string; triggers: { text?: string }[] }[];
    };
    const own = runs.filter(({ triggers }) => triggers.some(({ text }) => text === json.trigger));
    expect(own.map(({ key }) => key)).toEqual(["default/a"]);
    expect((await reconcile({ kind: "backends" })).json.count).toBe(2);
    expect((await reconcile()).json.count).toBe(2);
    expect((await reconcile({ kind: "Backend", name: "none" })).code).toBe(404);
    expect((await reconcile({ kind: "Nothing" })).json.detail).toContain("the kinds are: Backend");
    expect((await reconcile({ name: "a" })).json.detail).toContain("kind is missing");
    expect((await reconcile({ what: "a" })).code).toBe(400);
    await plane.controllers.idle();
  });
});

describe("description", () => {
  test("is an OpenAPI document", async () => {
    const { json } = await ask("/openapi.json");
    expect(json).toMatchObject({
      openapi: "3.1.0",
      info: { version: "v2" },
      servers: [{ url: "/api/v2" }],
      components: {
        schemas: {
          Backend: {
            type: "object",
            required: ["address"],
            properties: {
              id: { type: "string" },
              weight: { type: "integer", minimum: 1, maximum: 100, default: 1 },
              status: { readOnly: true },
            },
          },
          ProxyConfig: { properties: { server_name: { type: "string" } } },
        },
      },
    });
    expect(Object.keys(json.paths as object)).toEqual([
      "/control/status",
      "/control/reconcile",
      "/backends",
      "/backends/{id}",
      "/backends/{id}/health",
      "/config",
      "/config/{id}",
    ]);
    expect(Object.keys(json.paths["/config"] as object)).toEqual([
      "parameters",
      "get",
      "post",
      "put",
      "delete",
    ]);
    expect((await ask("/openapi.json", { as: null })).code).toBe(401);
  });

  test("is a page in a browser, without credentials and without foreign parts", async () => {
    const { headers, text, code } = await ask("/", { as: null, headers: { accept: "text/html,*/*" } });
    expect(code).toBe(200);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(text).not.toMatch(/https?:\/\//);
    expect((await ask("", { as: null })).code).toBe(401);
    expect((await ask("")).json.paths["/api/v2/backends"].methods).toEqual(["GET", "POST", "PUT", "DELETE"]);
  });

  test("can be restricted and moved by options", async () => {
    const warnings: string[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: object, text: string) => void warnings.push(text),
    };
    await using other = await start({
      log: { ...log, child: () => ({ ...log, child: () => undefined as never }) },
      rest: {
        basePath: "/api/v3",
        version: "v3",
        endpoints: [
          { path: "/backends", methods: ["GET"], description: "All of them" },
          { path: "/backends/{id}", methods: ["GET", "PATCH"] },
          { path: "/nothing" },
        ],
      },
    });
    const asAdmin = { authorization: `Bearer ${adminToken(other)}` };
    const get = async (path: string, method = "GET") =>
      (await request(`${other.url}${path}`, { method: method as "GET", headers: asAdmin })).statusCode;
    expect(await get("/api/v3/backends")).toBe(200);
    expect(await get("/api/v3/backends", "DELETE")).toBe(405);
    expect(await get("/api/v3/config")).toBe(404);
    expect(await get("/api/v2/backends")).toBe(404);
    expect(await get("/api/v1/namespaces")).toBe(200);
    expect(warnings.filter((text) => text.startsWith("api.endpoints"))).toEqual([
      "api.endpoints: /backends/{id} has no PATCH; its methods are GET, PUT, DELETE",
      expect.stringContaining("api.endpoints: no operator serves /nothing; the paths are: /control/status"),
    ]);
  });
});

test("mappings that cannot be served fail at the start", async () => {
  expect(() => restResource({ path: "/backends", kind: Backend })).toThrow('"/backends" is not a path');
  expect(() => restResource({ path: "control", kind: Backend })).toThrow("control is taken");
  expect(() => restResource({ path: "a", kind: Backend, methods: ["PATCH" as never] })).toThrow("not PATCH");
  expect(() => restResource({ path: "a", kind: Backend, views: { "a/b": () => 1 } })).toThrow(
    '"a/b" is not a name',
  );
  const again = defineOperator({ name: "again", rest: [restResource({ path: "config", kind: Site })] });
  await expect(start({ operators: [proxy, again] })).rejects.toThrow(
    "operator again: the REST API serves another kind at /config",
  );
  await expect(start({ rest: { basePath: "/api/v1" } })).rejects.toThrow(
    "the API server answers these paths",
  );
  await expect(start({ rest: { basePath: "/apis/x" } })).rejects.toThrow(
    "the API server answers these paths",
  );
});
