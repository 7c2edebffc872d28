import { triggers, type Controller, type TriggerSource } from "fettle";
import { strategies } from "fettle/runtime";
import { testPlane, type TestPlane } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Gateway, HTTPRoute } from "../kinds/gateway-api.js";
import { Backend, Certificate, ProxyClass, ProxyConfig, RateLimitPolicy } from "../kinds/proxy.js";
import { childKinds, createClass, serve } from "./fixtures/simulated-nginx.js";
import { configLabel, proxyConfigs } from "./proxy-configs.js";

let plane: TestPlane;
let requests: TriggerSource;
let served: number | undefined;

beforeEach(async () => {
  requests = triggers();
  served = undefined;
  const results = {
    gateway: () =>
      served === undefined
        ? undefined
        : ({ className: "nginx", programming: { generation: served } } as never),
  };
  plane = await testPlane({ controllers: [proxyConfigs({ results, requests })], kinds: [...childKinds] });
});
afterEach(() => plane[Symbol.asyncDispose]());

const api = { path: "/api/*", backends: [{ id: "web" }] };

async function create(
  spec: object = { routes: [api] },
  annotations: Record<string, string> = {},
): Promise<void> {
  await createClass(plane.client);
  await plane.client.create(Backend, { metadata: { name: "web" }, spec: {} });
  await plane.client.create(ProxyConfig, { metadata: { name: "shop", annotations }, spec });
  await plane.settled();
}

async function condition(type = "Ready"): Promise<string> {
  const { status } = await plane.client.get(ProxyConfig, "shop");
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? "none" : `${found.status} ${found.reason}: ${found.message}`;
}

async function names(
  kind: typeof HTTPRoute | typeof RateLimitPolicy | typeof Certificate,
): Promise<string[]> {
  return (await plane.client.list(kind)).items.map(({ metadata }) => metadata.name ?? "");
}

const recorded = async () =>
  (await plane.events()).map(({ reason, message, count }) => `${count} ${reason}: ${message}`);

test("a configuration is ready when its gateway is programmed and its routes are accepted", async () => {
  await create({ hostnames: ["shop.example"], routes: [api] });
  expect(await condition()).toBe("False Programming: gateway: nginx is being configured");
  served = 4;
  await serve(plane.client);
  await plane.settled();
  expect(await condition()).toBe("True Programmed: nginx serves 1 route");
  const { status } = await plane.client.get(ProxyConfig, "shop");
  expect(status).toMatchObject({ routes: 1, generation: 4, url: "http://shop.example:8080/" });
  expect(await recorded()).toEqual(["1 Programmed: nginx serves 1 route"]);
});

test("children have the label of the configuration, and the annotations that decide when they are applied", async () => {
  await create(undefined, {
    "fettle.dev/priority": "critical",
    "fettle.dev/change-type": "security_update",
    other: "x",
  });
  for (const kind of [Gateway, HTTPRoute]) {
    const [child] = (await plane.client.list(kind)).items;
    expect(child?.metadata.labels).toEqual({ [configLabel]: "shop" });
    expect(child?.metadata.annotations).toEqual({
      "fettle.dev/priority": "critical",
      "fettle.dev/change-type": "security_update",
      "proxy.fettle.dev/spec-hash": expect.any(String) as string,
    });
  }
});

test("a status of an earlier generation does not count", async () => {
  await create();
  await serve(plane.client);
  await plane.settled();
  const patch = { spec: { routes: [{ ...api, methods: ["GET" as const] }] } };
  await plane.client.patch(ProxyConfig, "shop", patch);
  await plane.settled();
  expect(await condition()).toBe("False Programming: route /api: nginx is being configured");
  await serve(plane.client);
  await plane.settled();
  expect(await condition()).toContain("True Programmed");
  expect(await recorded()).toEqual(["2 Programmed: nginx serves 1 route"]);
});

test("at no time is a changed configuration ready before its children are", async () => {
  await create();
  await serve(plane.client);
  await plane.settled();
  const wrong: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { object } of plane.client.watch(ProxyConfig, { signal: stop.signal })) {
      const ready = object.status?.conditions?.find(({ type }) => type === "Ready");
      if (ready?.status === "True" && (ready.observedGeneration ?? 0) > 1) wrong.push(ready.message);
    }
  })().catch(() => {});
  for (const method of ["GET", "PUT", "POST"] as const) {
    await plane.client.patch(ProxyConfig, "shop", { spec: { routes: [{ ...api, methods: [method] }] } });
    await plane.settled();
  }
  stop.abort();
  await watching;
  expect(wrong).toEqual([]);
});

test("a backend that is missing is named, and its creation is enough", async () => {
  await create({ routes: [{ ...api, backends: [{ id: "other" }] }] });
  const unresolved = {
    in: "routes",
    type: "ResolvedRefs",
    status: "False",
    reason: "BackendNotFound",
    message: "rule 1: there is no Backend default/other",
  } as const;
  await serve(plane.client, [unresolved]);
  await plane.settled();
  expect(await condition()).toBe(
    "False BackendNotFound: route /api: backend other not found: create it, or correct the id",
  );
  expect(await condition("Stalled")).toBe("none");
  await plane.client.create(Backend, { metadata: { name: "other" }, spec: {} });
  await serve(plane.client);
  await plane.settled();
  expect(await condition()).toContain("True Programmed");
});

test("a host name that another configuration has is a refusal, which ends with the conflict", async () => {
  await create({ hostnames: ["shop.example"], routes: [api] });
  const conflict = {
    in: "listeners",
    type: "Conflicted",
    status: "True",
    reason: "HostnameConflict",
    message: "Gateway default/older has it",
  } as const;
  await serve(plane.client, [conflict]);
  await plane.settled();
  expect(await condition()).toBe("False HostnameConflict: shop.example: Gateway default/older has it");
  expect(await condition("Stalled")).toContain("True HostnameConflict");
  expect(await recorded()).toContain("1 Refused: shop.example: Gateway default/older has it");
  await serve(plane.client);
  await plane.settled();
  expect(await condition()).toContain("True Programmed");
  expect(await condition("Stalled")).toBe("none");
});

test.each([
  ["gateway", "Programmed", "RefusedByNginx", "True"],
  ["gateway", "Programmed", "Invalid", "True"],
  ["gateway", "Programmed", "Pending", "none"],
  ["routes", "Accepted", "NotAllowedByListeners", "True"],
  ["listeners", "ResolvedRefs", "InvalidCertificateRef", "none"],
  ["policies", "Accepted", "Conflicted", "True"],
] as const)("%s %s False %s: the configuration is stalled: %s", async (part, type, reason, stalled) => {
  await create({ routes: [{ ...api, rateLimit: { requests: 5 } }] });
  await serve(plane.client, [{ in: part, type, reason, status: "False", message: "because" }]);
  await plane.settled();
  expect(await condition()).toContain("because");
  expect(await condition()).toMatch(/^False/);
  expect(await condition("Stalled")).toMatch(new RegExp(`^${stalled}`));
});

test("routes that are removed are removed although others are refused", async () => {
  await create({ routes: [api, { path: "/old", backends: [{ id: "web" }] }] });
  const refusal = {
    in: "gateway",
    type: "Programmed",
    status: "False",
    reason: "Invalid",
    message: "no",
  } as const;
  await serve(plane.client, [refusal]);
  await plane.settled();
  expect(await names(HTTPRoute)).toHaveLength(2);
  await plane.client.patch(ProxyConfig, "shop", { spec: { routes: [api] } });
  await plane.settled();
  await plane.advance("2s");
  expect(await names(HTTPRoute)).toHaveLength(1);
  expect(await condition("Stalled")).toContain("True Invalid");
});

test("a configuration that cannot be translated leaves what is served alone, and says which field is wrong", async () => {
  await create();
  await serve(plane.client);
  await plane.settled();
  const before = await names(HTTPRoute);
  await plane.client.patch(ProxyConfig, "shop", { spec: { routes: [api, api] } });
  await plane.settled();
  expect(await condition()).toContain(
    "False DuplicateRoute: routes[1]: any method of /api is routed by routes[0]",
  );
  expect(await names(HTTPRoute)).toEqual(before);
});

test("it owns a certificate and policies while it needs them", async () => {
  await create({
    routes: [{ ...api, rateLimit: { requests: 5 } }],
    tls: { selfSigned: true },
    listen: { tlsPort: 443 },
  });
  expect(await names(Certificate)).toEqual(["shop-tls"]);
  expect(await names(RateLimitPolicy)).toHaveLength(1);
  expect(await names(HTTPRoute)).toHaveLength(2);
  expect((await plane.client.get(ProxyConfig, "shop")).status?.url).toBe("https://localhost/");
  await plane.client.patch(ProxyConfig, "shop", { spec: { routes: [api], tls: null } });
  await plane.settled();
  expect([await names(Certificate), await names(RateLimitPolicy)]).toEqual([[], []]);
  expect(await names(HTTPRoute)).toHaveLength(1);
  await plane.client.delete(ProxyConfig, "shop");
  await plane.settled();
  expect([await names(HTTPRoute), (await plane.client.list(Gateway)).items]).toEqual([[], []]);
});

test("the ports are those of the class, also after they have changed", async () => {
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: { routes: [api] } });
  await plane.settled();
  expect(await condition()).toContain("False ClassNotFound: there is no GatewayClass nginx");
  await createClass(plane.client);
  await plane.settled();
  const ports = async () => (await plane.client.get(Gateway, "shop")).spec.listeners.map(({ port }) => port);
  expect(await ports()).toEqual([8080]);
  await plane.client.patch(ProxyClass, "nginx", { spec: { ports: { http: 9090 } } });
  await plane.settled();
  expect(await ports()).toEqual([9090]);
});

test("a gateway of that name that belongs to others is left alone", async () => {
  await createClass(plane.client);
  const listeners = [{ name: "mine", port: 1, protocol: "HTTP" }];
  await plane.client.create(Gateway, {
    metadata: { name: "shop" },
    spec: { gatewayClassName: "other", listeners },
  });
  await plane.client.create(ProxyConfig, { metadata: { name: "shop" }, spec: { routes: [api] } });
  await plane.settled();
  expect(await condition()).toContain("Gateway default/shop already exists and belongs to nobody");
  expect((await plane.client.get(Gateway, "shop")).spec.gatewayClassName).toBe("other");
});

test("a request of a handler runs it, with its reason", async () => {
  await create();
  await serve(plane.client);
  await plane.settled();
  requests.send("shop", "config.updated 4711");
  await plane.settled();
  const runs = await plane.runs(ProxyConfig, "shop");
  expect(runs.at(-1)?.triggers[0]?.text).toBe("config.updated 4711");
});

test("while a batch holds changes back, the status is brought up to date by looking again", async () => {
  await plane[Symbol.asyncDispose]();
  // As `reconciliation.strategies` of the configuration does it.
  const strategy = strategies.byAnnotations([
    { conditions: [{ priority: "normal" }], strategy: strategies.batched({ size: 10, timeout: "30s" }) },
  ]);
  const controller = proxyConfigs({ results: { gateway: () => undefined } });
  const configured = { ...controller, options: { ...controller.options, strategy } } as Controller;
  plane = await testPlane({ controllers: [configured], kinds: [...childKinds] });
  await create();
  expect(await condition()).toBe("none");
  await plane.advance("31s");
  await serve(plane.client);
  await plane.advance("3s");
  expect(await condition()).toContain("True Programmed");
});
