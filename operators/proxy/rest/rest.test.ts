import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { controlPlane, defineOperator, type ControlPlane } from "fettle";
import { afterAll, beforeAll, expect, test } from "vitest";
import { memoizedHealth } from "../backends/health-view.js";
import { Backend, ProxyConfig } from "../kinds/proxy.js";
import { proxyRest } from "./rest.js";

const operator = defineOperator({
  name: "proxy",
  kinds: [Backend, ProxyConfig],
  setup: ({ state }) => ({ rest: proxyRest(memoizedHealth(state)) }),
});

let plane: ControlPlane;
let headers: Record<string, string>;

beforeAll(async () => {
  plane = await controlPlane({ store: "memory", listen: { port: 0, tls: false }, operators: [operator] });
  const token = readFileSync(join(dirname(plane.kubeconfig ?? ""), "auth", "admin-token"), "utf8").trim();
  headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
});
afterAll(() => plane.stop());

interface Answer {
  readonly code: number;
  readonly json: {
    readonly errors?: { readonly field: string }[];
    readonly items?: { readonly id: string }[];
  };
}

async function ask(method: string, path: string, body?: unknown, more: object = {}): Promise<Answer> {
  const response = await fetch(`${plane.url}/api/v2${path}`, {
    method,
    headers: { ...headers, ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { code: response.status, json: text === "" ? {} : (JSON.parse(text) as Answer["json"]) };
}

const document = {
  id: "shop",
  hostnames: ["shop.example"],
  listen: 8081,
  routes: [{ path: "/api/*", methods: ["GET"], backends: [{ id: "web", weight: 3 }], rateLimit: 10 }],
  tls: { selfSigned: true },
  priority: "critical",
  type: "security_update",
};

test("a configuration is created, read, replaced and deleted", async () => {
  const created = await ask("POST", "/config", document);
  expect(created.code).toBe(201);
  const stored = await plane.client.get(ProxyConfig, "shop");
  expect(stored.spec.routes[0]?.rateLimit).toMatchObject({ requests: 10, per: "second" });
  expect(stored.metadata.annotations).toEqual({
    "fettle.dev/priority": "critical",
    "fettle.dev/change-type": "security_update",
  });
  const read = await ask("GET", "/config/shop");
  expect(read.json).toMatchObject({
    id: "shop",
    listen: { port: 8081 },
    priority: "critical",
    type: "security_update",
    tls: { selfSigned: true, redirect: true },
  });
  // What was read can be written again, and changes nothing.
  expect((await ask("PUT", "/config/shop", read.json)).code).toBe(200);
  expect((await plane.client.get(ProxyConfig, "shop")).metadata.resourceVersion).toBe(
    stored.metadata.resourceVersion,
  );
  await ask("PUT", "/config/shop", { ...document, routes: [], tls: undefined });
  const replaced = await plane.client.get(ProxyConfig, "shop");
  expect([replaced.spec.routes, replaced.spec.tls]).toEqual([[], undefined]);
  const list = await ask("GET", "/config");
  expect(list.json.items?.map(({ id }) => id)).toEqual(["shop"]);
  expect((await ask("DELETE", "/config/shop")).code).toBe(204);
});

test("the collection is replaced and deleted with a confirmation", async () => {
  const all = [
    { id: "a", routes: [] },
    { id: "b", listen: 1 },
  ];
  expect((await ask("PUT", "/config", all, { "x-fettle-confirm": "replace-all" })).code).toBe(200);
  expect((await ask("GET", "/config")).json.items?.map(({ id }) => id)).toEqual(["a", "b"]);
  expect((await ask("DELETE", "/config")).code).toBe(428);
  expect((await ask("DELETE", "/config", undefined, { "x-fettle-confirm": "delete-all" })).code).toBe(200);
  expect((await ask("GET", "/config")).json.items).toEqual([]);
});

test.each([
  [{ hostname: ["a"] }, ["hostname"]],
  [{ priority: "urgent", nope: 1 }, ["nope", "priority"]],
  [{ routes: [{ path: "/", backends: [], foo: 1 }] }, ["routes[0].foo"]],
  [{ routes: [{ path: "api", backends: [{ id: "a" }] }] }, ["routes[0].path"]],
  [{ routes: [{ path: "/", backends: [{ id: "a" }], methods: ["GOT"] }] }, ["routes[0].methods[0]"]],
  [{ routes: [{ path: "/", backends: [{ id: "a" }], rateLimit: 0 }] }, ["routes[0].rateLimit.requests"]],
  [{ routes: [{ path: "/", backends: [] }] }, ["routes[0].backends"]],
  [{ listen: 70_000 }, ["listen.port"]],
  [{ listen: "80" }, ["listen"]],
  [{ hostnames: ["UPPER.example; }"] }, ["hostnames[0]"]],
  [{ tls: {} }, ["tls"]],
  [{ routes: "all" }, ["routes"]],
])("%j is refused with the fields of the document", async (body, fields) => {
  const { code, json } = await ask("POST", "/config", { id: "bad", ...body });
  // As in Kubernetes, one more says that rules were not checked because of the others.
  const named = json.errors?.map(({ field }) => field).filter((field) => field !== "<nil>");
  expect([code, named]).toEqual([422, fields]);
  expect(await plane.client.find(ProxyConfig, "bad")).toBeUndefined();
});

test("a backend is created, and its health is a view", async () => {
  const body = {
    id: "web",
    targets: [{ host: "10.0.0.1", port: 80, weight: 2 }],
    healthCheck: { path: "/up" },
  };
  expect((await ask("POST", "/backends", body)).code).toBe(201);
  expect((await ask("GET", "/backends/web")).json).toMatchObject({ ...body, keepalive: 32 });
  expect((await ask("GET", "/backends/web/health")).json).toMatchObject({ id: "web", status: "unknown" });
  await plane.client.patchStatus(Backend, "web", { status: { health: "degraded", healthy: 1, total: 2 } });
  expect((await ask("GET", "/backends/web/health")).json).toMatchObject({
    status: "degraded",
    healthy: 1,
    total: 2,
  });
  expect((await ask("GET", "/backends/none/health")).code).toBe(404);
  const wrong = await ask("POST", "/backends", { id: "b", targets: [{ host: "a b", port: 0, x: 1 }] });
  expect(wrong.code).toBe(422);
  expect(wrong.json.errors?.map(({ field }) => field)).toContain("targets[0].x");
  expect((await ask("DELETE", "/backends/web")).code).toBe(204);
});

test("the OpenAPI document describes both, with the short forms", async () => {
  const { json } = await ask("GET", "/openapi.json");
  const { paths, components } = json as unknown as {
    readonly paths: object;
    readonly components: {
      readonly schemas: Record<string, { readonly properties: Record<string, unknown> }>;
    };
  };
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining([
      "/config",
      "/config/{id}",
      "/backends",
      "/backends/{id}",
      "/backends/{id}/health",
    ]),
  );
  const { properties } = components.schemas["ProxyConfig"] ?? { properties: {} };
  expect(Object.keys(properties).sort()).toEqual(
    ["className", "hostnames", "id", "listen", "priority", "routes", "status", "tls", "type"].sort(),
  );
  expect(properties["listen"]).toMatchObject({ anyOf: [{ type: "integer" }, { type: "object" }] });
  expect(JSON.stringify(properties)).not.toContain("x-kubernetes");
});
