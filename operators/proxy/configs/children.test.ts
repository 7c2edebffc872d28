import { names } from "fettle/model";
import { expect, test } from "vitest";
import { childrenOf, type ConfigChildren } from "./children.js";
import { childName, labelValue, listenerName, pathSuffix } from "./child-names.js";
import { prefixOf } from "./route-paths.js";

type Config = Parameters<typeof childrenOf>[0];
type Route = Config["spec"]["routes"][number];

const ports = { http: 8080, https: 8443 };

function route(path: string, more: Partial<Route> = {}): Route {
  return { path, methods: [], backends: [{ id: "web", weight: 1 }], ...more };
}

function describeConfig(spec: Partial<Config["spec"]>, name = "shop"): ReturnType<typeof childrenOf> {
  const defaults = { className: "nginx", hostnames: [], listen: {}, routes: [] };
  return childrenOf({ metadata: { name }, spec: { ...defaults, ...spec } }, ports);
}

function childrenFor(spec: Partial<Config["spec"]>, name?: string): ConfigChildren {
  const described = describeConfig(spec, name);
  if ("problem" in described) throw new Error(described.problem.message);
  return described;
}

function problemOf(spec: Partial<Config["spec"]>): string | undefined {
  const described = describeConfig(spec);
  return "problem" in described ? `${described.problem.reason}: ${described.problem.message}` : undefined;
}

const limit = { requests: 5, per: "second", burst: 0, key: { type: "ClientAddress" }, status: 429 } as const;

test("a configuration without host names and TLS has one listener", () => {
  const { gateway, routes, policies, certificate } = childrenFor({ routes: [route("/")] });
  expect(gateway).toEqual({
    name: "shop",
    spec: { gatewayClassName: "nginx", listeners: [{ name: "http", port: 8080, protocol: "HTTP" }] },
  });
  expect(routes).toEqual([
    {
      about: "route /",
      name: `shop-${pathSuffix("/")}`,
      spec: {
        parentRefs: [{ name: "shop" }],
        rules: [
          {
            name: "any",
            matches: [{ path: { type: "PathPrefix", value: "/" } }],
            backendRefs: [{ group: "proxy.fettle.dev", kind: "Backend", name: "web", weight: 1 }],
          },
        ],
      },
    },
  ]);
  expect([policies, certificate]).toEqual([[], undefined]);
});

test("every host name has a listener, and with TLS another one", () => {
  const { gateway, routes, certificate } = childrenFor({
    hostnames: ["a.example", "*.a.example", "a.example"],
    routes: [route("/")],
    tls: { selfSigned: true, redirect: true },
  });
  expect(gateway.spec.listeners.map(({ name, hostname, port }) => `${name} ${hostname} ${port}`)).toEqual([
    "http-a.example a.example 8080",
    "http.any.a.example *.a.example 8080",
    "https-a.example a.example 8443",
    "https.any.a.example *.a.example 8443",
  ]);
  expect(gateway.spec.listeners[2]?.tls).toEqual({ certificateRefs: [{ name: "shop-tls" }] });
  expect(certificate).toEqual({
    name: "shop-tls",
    spec: { secretName: "shop-tls", dnsNames: ["a.example", "*.a.example"] },
  });
  expect(routes.map(({ spec }) => spec.parentRefs?.map(({ sectionName }) => sectionName))).toEqual([
    ["https-a.example", "https.any.a.example"],
    ["http-a.example", "http.any.a.example"],
  ]);
  expect(routes[1]?.spec.rules?.[0]?.filters).toEqual([
    { type: "RequestRedirect", requestRedirect: { scheme: "https", port: 8443, statusCode: 301 } },
  ]);
});

test("without a redirect, both ports serve the routes; a secret of one's own needs no certificate", () => {
  const { routes, certificate, gateway } = childrenFor({
    routes: [route("/")],
    tls: { secretName: "mine", redirect: false },
  });
  expect(routes.map(({ spec }) => spec.parentRefs)).toEqual([[{ name: "shop" }]]);
  expect(certificate).toBeUndefined();
  expect(gateway.spec.listeners[1]?.tls?.certificateRefs).toEqual([{ name: "mine" }]);
});

test("a certificate without host names is for this machine", () => {
  const { certificate } = childrenFor({ tls: { selfSigned: true, redirect: true } });
  expect(certificate?.spec).toMatchObject({ dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"] });
});

test.each([
  ["/api/*", "/api"],
  ["/api/", "/api"],
  ["/api", "/api"],
  ["/*", "/"],
  ["/", "/"],
  ["/a*", "/a*"],
  ["/*/b", "/*/b"],
])("the path %s is the prefix %s", (path, prefix) => expect(prefixOf(path)).toBe(prefix));

test("methods are matches, and routes of one path are rules of one HTTPRoute", () => {
  const { routes } = childrenFor({
    routes: [
      route("/api/*", { methods: ["POST", "GET"] }),
      route("/other"),
      route("/api", { backends: [{ id: "rest", weight: 3 }] }),
    ],
  });
  expect(routes.map(({ about, spec }) => [about, spec.rules?.map(({ name }) => name)])).toEqual([
    ["route /api", ["get-post", "any"]],
    ["route /other", ["any"]],
  ]);
  expect(routes[0]?.spec.rules?.[0]?.matches?.map(({ method }) => method)).toEqual(["GET", "POST"]);
});

test("a rate limit is a policy for the rule of its route", () => {
  const { routes, policies } = childrenFor({
    routes: [route("/api", { methods: ["GET"], rateLimit: limit }), route("/api", { rateLimit: limit })],
  });
  const name = routes[0]?.name;
  expect(policies).toEqual(
    ["get", "any"].map((rule) => ({
      about: "rateLimit of route /api",
      name: `${name}-${rule}`,
      spec: { targetRefs: [{ name, sectionName: rule }], limit },
    })),
  );
});

test("a change of one of 500 routes leaves the objects of the others alone", () => {
  const paths = Array.from({ length: 500 }, (_, index) => `/path/${index}`);
  const before = childrenFor({ routes: paths.map((path) => route(path, { rateLimit: limit })) });
  const without = paths.filter((path) => path !== "/path/7").map((path) => route(path, { rateLimit: limit }));
  const after = childrenFor({ routes: [route("/new", { rateLimit: limit }), ...without.toReversed()] });
  const texts = (all: readonly object[]) => new Set(all.map((each) => JSON.stringify(each)));
  const kept = (one: readonly object[], other: readonly object[]) => {
    const present = texts(other);
    return [...texts(one)].filter((each) => present.has(each)).length;
  };
  expect(kept(before.routes, after.routes)).toBe(499);
  expect(kept(before.policies, after.policies)).toBe(499);
  expect(new Set(before.routes.map(({ name }) => name)).size).toBe(500);
});

test.each([
  [
    [route("/a"), route("/a/*")],
    "DuplicateRoute: routes[1]: any method of /a is routed by routes[0] already",
  ],
  [
    [route("/a", { methods: ["GET", "PUT"] }), route("/a", { methods: ["PUT"] })],
    "DuplicateRoute: routes[1]: PUT of /a is routed by routes[0] already",
  ],
  [[route("/a b")], 'InvalidPath: routes[0].path: "/a b" has characters'],
  [[route("/a;{}\n")], "InvalidPath: routes[0].path"],
  [[route("/a?b")], "InvalidPath"],
  [[route("/a//b")], "contains //"],
  [[route("//")], undefined],
  [[route("/a/../b")], "contains /../"],
  [[route("/a/..")], "contains /../"],
  [[route("/a%2Fb")], "contains %2F"],
  [[route("/caf%C3%A9/~me:@x")], undefined],
])("routes that cannot be served as they are: %j", (routes, message) => {
  const found = problemOf({ routes });
  if (message === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(message);
});

test("ports that are the same are a problem only with TLS", () => {
  const same = { http: 80, https: 80 };
  const spec = { className: "nginx", hostnames: [], listen: {}, routes: [] };
  expect(childrenOf({ metadata: { name: "a" }, spec }, same)).not.toHaveProperty("problem");
  expect(
    childrenOf(
      { metadata: { name: "a" }, spec: { ...spec, tls: { selfSigned: true, redirect: true } } },
      same,
    ),
  ).toMatchObject({ problem: { reason: "PortConflict" } });
});

test("names are valid and unique, however long the configuration's name and the path are", () => {
  const long = `${"x".repeat(180)}.${"y".repeat(72)}`;
  const other = `${long.slice(0, -1)}z`;
  const paths = [
    "/",
    `/${"a/".repeat(400)}`,
    `/${"a/".repeat(401)}`,
    "/ÄÖ".replaceAll(/[ÄÖ]/g, "%C3%84"),
    "/-.-",
  ];
  const hostnames = [`${"h".repeat(63)}.${"i".repeat(189)}`, "*.a.example", "any.a.example"];
  const routes = paths.map((path) => route(path, { rateLimit: limit }));
  const tls = { selfSigned: true, redirect: true };
  const all: string[] = [];
  for (const config of [long, other]) {
    const children = childrenFor({ hostnames, routes, tls }, config);
    for (const { name } of children.gateway.spec.listeners)
      expect(names.validateDns1123Subdomain(name)).toEqual([]);
    all.push(...children.routes.map(({ name }) => `HTTPRoute ${name}`));
    all.push(...children.policies.map(({ name }) => `RateLimitPolicy ${name}`));
    all.push(`Certificate ${children.certificate?.name}`);
  }
  expect(new Set(all).size).toBe(all.length);
  for (const each of all) expect(names.validateDns1123Subdomain(each.split(" ")[1] ?? "")).toEqual([]);
  expect(labelValue(long).length).toBeLessThanOrEqual(63);
  expect(labelValue(long)).not.toBe(labelValue(other));
  expect(childName("a.-b".padEnd(300, "."), "tls")).toMatch(/^[a-z0-9].*[a-z0-9]$/);
  expect(listenerName("http", "*.a.example")).not.toBe(listenerName("http", "any.a.example"));
});
