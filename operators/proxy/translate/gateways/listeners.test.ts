import { describe, expect, test } from "vitest";
import { gateway, gatewayClass, input, listener, parentRef, proxyClass, route } from "../fixtures.js";
import { translate } from "../translate.js";
import type { GatewayObject } from "../../kinds/gateway-api.js";
import type { GatewayResult, TranslationInput } from "../translation.js";

/** Conditions as text, such as `Accepted=False/Invalid`. */
function conditions(list: GatewayResult["conditions"] | undefined): string[] {
  return (list ?? []).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
}

function resultOf(fields: Partial<TranslationInput>, index = 0): GatewayResult {
  const result = translate(input(fields)).gateways[index];
  if (result === undefined) throw new Error("there is no result");
  return result;
}

const served = ["Accepted=True/Accepted", "ResolvedRefs=True/ResolvedRefs", "Conflicted=False/NoConflicts"];

test("a valid gateway is accepted with all its listeners", () => {
  const result = resultOf({ gateways: [gateway({ generation: 3 })] });
  expect(result).toMatchObject({
    uid: "Gateway-default-web",
    name: "web",
    namespace: "default",
    generation: 3,
  });
  expect(conditions(result.conditions)).toEqual(["Accepted=True/Accepted"]);
  expect(result.listeners).toMatchObject([
    {
      name: "http",
      supportedKinds: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }],
      attachedRoutes: 0,
    },
  ]);
  expect(conditions(result.listeners[0]?.conditions)).toEqual(served);
});

describe("gateways of a class", () => {
  const ours = (fields: Partial<TranslationInput>): string[] =>
    translate(input(fields)).gateways.map(({ name }) => name);

  test("a class without parameters belongs to the default ProxyClass only", () => {
    expect(ours({})).toEqual(["web"]);
    expect(ours({ proxyClass: proxyClass({}, "other") })).toEqual([]);
  });

  test("a class with parameters belongs to the ProxyClass that it names", () => {
    const gatewayClasses = [gatewayClass("nginx", "other")];
    expect(ours({ gatewayClasses })).toEqual([]);
    expect(ours({ gatewayClasses, proxyClass: proxyClass({}, "other") })).toEqual(["web"]);
  });

  test("classes of other controllers are ignored", () => {
    const foreign = { ...gatewayClass(), spec: { controllerName: "example.com/other" } };
    expect(ours({ gatewayClasses: [foreign] })).toEqual([]);
  });
});

test.each([
  ["an unknown protocol", { protocol: "TCP" }, "Accepted=False/UnsupportedProtocol"],
  ["tls without TLS", { tls: { mode: "Terminate" } }, "Accepted=False/UnsupportedValue"],
  [
    "TLS that is passed on",
    { protocol: "HTTPS", tls: { mode: "Passthrough" } },
    "Accepted=False/UnsupportedValue",
  ],
  [
    "an invalid selector",
    {
      allowedRoutes: {
        namespaces: { from: "Selector", selector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
      },
    },
    "Accepted=False/UnsupportedValue",
  ],
] as const)("a listener with %s is left out, and the others are served", (_, fields, condition) => {
  const listeners = [listener({ name: "bad", port: 81, ...fields }), listener()];
  const { configuration, gateways } = translate(input({ gateways: [gateway({ listeners })] }));
  expect(configuration.ports.map(({ port }) => port)).toEqual([80]);
  expect(conditions(gateways[0]?.conditions)).toEqual(["Accepted=True/ListenersNotValid"]);
  expect(conditions(gateways[0]?.listeners[0]?.conditions)).toContain(condition);
  expect(conditions(gateways[0]?.listeners[0]?.conditions)).toContain("Programmed=False/Invalid");
  expect(conditions(gateways[0]?.listeners[1]?.conditions)).toEqual(served);
});

test("a gateway without any valid listener is not accepted", () => {
  const result = resultOf({ gateways: [gateway({ listeners: [listener({ protocol: "UDP" })] })] });
  expect(conditions(result.conditions)).toEqual([
    "Accepted=False/ListenersNotValid",
    "Programmed=False/Invalid",
  ]);
});

test("a port that others use is left out, and says who uses it", () => {
  const listeners = [listener(), listener({ name: "other", port: 8080 })];
  const portsInUse = new Map([[80, "process 7 (apache) listens on it"]]);
  const { configuration, gateways } = translate(input({ gateways: [gateway({ listeners })], portsInUse }));
  expect(configuration.ports.map(({ port }) => port)).toEqual([8080]);
  const result = gateways[0]?.listeners[0];
  expect(conditions(result?.conditions)).toContain("Accepted=False/PortUnavailable");
  expect(conditions(result?.conditions)).toContain("Programmed=False/Pending");
  expect(result?.conditions[0]?.message).toBe("port 80 cannot be used: process 7 (apache) listens on it");
});

describe("kinds of routes", () => {
  const group = "gateway.networking.k8s.io";
  test.each([
    ["only a known one", [{ group, kind: "HTTPRoute" }], ["HTTPRoute"], "ResolvedRefs=True/ResolvedRefs"],
    ["only an unknown one", [{ group, kind: "FooRoute" }], [], "ResolvedRefs=False/InvalidRouteKinds"],
    [
      "a known and an unknown one",
      [
        { group, kind: "TCPRoute" },
        { group, kind: "HTTPRoute" },
      ],
      ["HTTPRoute"],
      "ResolvedRefs=False/InvalidRouteKinds",
    ],
  ])("%s", (_, kinds, supported, condition) => {
    const listeners = [listener({ allowedRoutes: { namespaces: { from: "Same" }, kinds } })];
    const [result] = resultOf({ gateways: [gateway({ listeners })], routes: [route()] }).listeners;
    expect(result?.supportedKinds.map(({ kind }) => kind)).toEqual(supported);
    expect(result?.attachedRoutes).toBe(supported.length);
    expect(conditions(result?.conditions)).toContain(condition);
  });
});

describe("listeners that cannot be told apart", () => {
  const of = (fields: Partial<TranslationInput>): string[] =>
    translate(input(fields)).gateways.flatMap(({ name, listeners }) =>
      listeners.map((result) => {
        const conflict = result.conditions.find(({ type }) => type === "Conflicted");
        return `${name}/${result.name} ${conflict?.reason}`;
      }),
    );

  test("within a gateway none of them is served", () => {
    const listeners = [
      listener({ name: "a", hostname: "a.com" }),
      listener({ name: "b", hostname: "a.com" }),
      listener({ name: "c", hostname: "c.com" }),
    ];
    const gateways = [gateway({ listeners })];
    expect(of({ gateways })).toEqual([
      "web/a HostnameConflict",
      "web/b HostnameConflict",
      "web/c NoConflicts",
    ]);
    const { ports } = translate(input({ gateways })).configuration;
    expect(ports[0]?.servers.map(({ hostname }) => hostname)).toEqual(["c.com"]);
  });

  test("one port has one protocol", () => {
    const listeners = [
      listener({ name: "a", hostname: "a.com" }),
      listener({ name: "b", hostname: "b.com", protocol: "HTTPS" }),
    ];
    expect(of({ gateways: [gateway({ listeners })] })).toEqual([
      "web/a ProtocolConflict",
      "web/b ProtocolConflict",
    ]);
  });

  test("between gateways the older one wins, and the status of the other says so", () => {
    const old = gateway({ name: "z-old", age: 1 });
    const young = gateway({
      name: "a-young",
      age: 2,
      listeners: [listener(), listener({ name: "x", hostname: "x.com" })],
    });
    const gateways = [young, old];
    expect(of({ gateways })).toEqual([
      "z-old/http NoConflicts",
      "a-young/http HostnameConflict",
      "a-young/x NoConflicts",
    ]);
    const result = resultOf({ gateways }, 1);
    expect(conditions(result.listeners[0]?.conditions)).toEqual([
      "Accepted=False/HostnameConflict",
      "ResolvedRefs=True/ResolvedRefs",
      "Conflicted=True/HostnameConflict",
      "Programmed=False/Invalid",
    ]);
    expect(result.listeners[0]?.conditions[2]?.message).toContain("listener http of Gateway default/z-old");
    expect(conditions(result.conditions)).toEqual(["Accepted=True/ListenersNotValid"]);
  });

  test("gateways of the same age are ordered by namespace and name", () => {
    expect(of({ gateways: [gateway({ name: "b" }), gateway({ name: "a" })] })).toEqual([
      "a/http NoConflicts",
      "b/http HostnameConflict",
    ]);
  });

  test("listeners that are never served do not stand in the way", () => {
    const old = gateway({ name: "old", listeners: [listener({ protocol: "TCP" })] });
    expect(of({ gateways: [old, gateway({ age: 1 })] })).toEqual([
      "old/http NoConflicts",
      "web/http NoConflicts",
    ]);
  });

  test("gateways share a port with different hosts", () => {
    const one = gateway({ name: "one", listeners: [listener({ hostname: "one.com" })] });
    const two = gateway({ name: "two", listeners: [listener({ hostname: "two.com" })] });
    const { ports } = translate(input({ gateways: [one, two] })).configuration;
    expect(ports).toMatchObject([{ port: 80, servers: [{ hostname: "one.com" }, { hostname: "two.com" }] }]);
  });
});

describe("hosts of another namespace", () => {
  /** Host and namespace of each server. */
  const served = (fields: Partial<TranslationInput>): string[] =>
    translate(input(fields)).configuration.ports.flatMap(({ servers }) =>
      servers.map(({ hostname = "any", origin }) => `${hostname} ${origin.namespace}`),
    );
  const taker = (hostname: string, namespace = "evil", age = 5): GatewayObject =>
    gateway({ namespace, age, listeners: [listener({ hostname })] });
  const owner = gateway({ listeners: [listener({ hostname: "*.a.com" })] });

  test("a listener takes no host below an older wildcard", () => {
    for (const hostname of ["x.a.com", "x.y.a.com", "*.x.a.com"]) {
      const gateways = [taker(hostname), owner];
      expect(served({ gateways })).toEqual(["*.a.com default"]);
      const [, refused] = translate(input({ gateways })).gateways;
      expect(conditions(refused?.listeners[0]?.conditions)).toContain("Conflicted=True/HostnameConflict");
      expect(refused?.listeners[0]?.conditions[0]?.message).toContain("listener http of Gateway default/web");
    }
  });

  test("a wildcard stands in nobody's way outside of it, nor in its own namespace, nor if it is younger", () => {
    expect(served({ gateways: [owner, taker("a.com")] })).toEqual(["a.com evil", "*.a.com default"]);
    expect(
      served({
        gateways: [owner, gateway({ name: "b", age: 5, listeners: [listener({ hostname: "x.a.com" })] })],
      }),
    ).toEqual(["x.a.com default", "*.a.com default"]);
    const young = gateway({ age: 9, listeners: [listener({ hostname: "*.a.com" })] });
    expect(served({ gateways: [young, taker("x.a.com")] })).toEqual(["x.a.com evil", "*.a.com default"]);
  });

  test("a listener takes no host that an older route of a listener without a hostname names", () => {
    const gateways = [gateway(), taker("shop.com")];
    const named = (age: number, hostname = "shop.com"): Partial<TranslationInput> => ({
      gateways,
      routes: [route({ age, hostnames: [hostname] })],
    });
    expect(served(named(4))).toEqual(["shop.com default", "any default"]);
    expect(served(named(4, "*.com"))).toEqual(["*.com default", "any default"]);
    // Nobody named the host before.
    expect(served(named(6))).toEqual(["shop.com evil", "any default"]);
    expect(served({ gateways })).toEqual(["shop.com evil", "any default"]);
    expect(served({ ...named(4), gateways: [gateway(), taker("*.com")] })).toEqual([
      "shop.com default",
      "any default",
    ]);
  });
});

describe("addresses", () => {
  test.each([
    ["none", [], ["Accepted=True/Accepted"], 1],
    ["one of our choice", [{ type: "IPAddress" }], ["Accepted=True/Accepted"], 1],
    ["that of the class", [{ type: "IPAddress", value: "10.0.0.1" }], ["Accepted=True/Accepted"], 1],
    [
      "a name",
      [{ type: "Hostname", value: "a.com" }],
      ["Accepted=False/UnsupportedAddress", "Programmed=False/Invalid"],
      0,
    ],
    [
      "another one",
      [{ type: "IPAddress", value: "10.0.0.2" }],
      ["Accepted=True/Accepted", "Programmed=False/AddressNotUsable"],
      0,
    ],
  ])("%s", (_, addresses, expected, ports) => {
    const fields = {
      proxyClass: proxyClass({ addresses: ["10.0.0.1"] }),
      gateways: [gateway({ addresses })],
    };
    expect(conditions(resultOf(fields).conditions)).toEqual(expected);
    expect(translate(input(fields)).configuration.ports).toHaveLength(ports);
  });

  test("a gateway is not bound to more addresses than it asks for", () => {
    const addresses = [{ type: "IPAddress", value: "127.0.0.1" }];
    const gateways = [gateway({ addresses })];
    const result = resultOf({ gateways, proxyClass: proxyClass({ addresses: ["127.0.0.1", "10.0.0.1"] }) });
    expect(conditions(result.conditions)).toContain("Programmed=False/AddressNotUsable");
  });
});

test("a gateway that nginx refused is left out with its message", () => {
  const refused = new Map([["Gateway default/web", 'invalid parameter "x"']]);
  const { configuration, gateways, routes } = translate(input({ refused, routes: [route()] }));
  expect(configuration.ports).toEqual([]);
  expect(conditions(gateways[0]?.conditions)).toEqual([
    "Accepted=False/RefusedByNginx",
    "Programmed=False/Invalid",
  ]);
  expect(routes[0]?.parents[0]?.conditions[0]).toMatchObject({ status: "False", reason: "InvalidListener" });
});

test("routes are counted once for each listener, also if they or the listener are invalid", () => {
  const listeners = [listener({ hostname: "a.com" }), listener({ name: "tcp", port: 9, protocol: "HTTPS" })];
  const twice = route({
    parentRefs: [parentRef(), parentRef({ sectionName: "http" })],
    rules: [{ matches: [], filters: [{ type: "No" }] }],
  });
  const other = route({ name: "other", hostnames: ["b.com"] });
  const result = resultOf({ gateways: [gateway({ listeners })], routes: [twice, other] });
  expect(result.listeners.map(({ attachedRoutes }) => attachedRoutes)).toEqual([1, 2]);
});
