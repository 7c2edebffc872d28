import type { ObjectOf } from "fettle";
import type { Namespace } from "fettle/kubernetes";
import { describe, expect, test } from "vitest";
import type { ListenerSpec } from "../../kinds/gateway-api.js";
import { gateway, gatewayClass, input, listener, parentRef, route, rule } from "../fixtures.js";
import { translate } from "../translate.js";
import type { RouteResult, Translation, TranslationInput } from "../translation.js";

function accepted({ parents }: RouteResult): string[] {
  return parents.map(({ conditions }) => `${conditions[0]?.status}/${conditions[0]?.reason}`);
}

function run(fields: Partial<TranslationInput>): Translation {
  return translate(input(fields));
}

/** Hosts of a port with the paths of their rules. */
function paths({ configuration }: Translation, port = 80): Record<string, string[]> {
  const servers = configuration.ports.find((other) => other.port === port)?.servers ?? [];
  return Object.fromEntries(
    servers.map(({ hostname = "", rules }) => [hostname, rules.map(({ match }) => match.path.value)]),
  );
}

describe("references to listeners", () => {
  const listeners = [listener({ name: "a" }), listener({ name: "b", port: 8080 })];
  const gateways = [gateway({ listeners })];

  test.each([
    ["the whole gateway", {}, "True/Accepted", [80, 8080]],
    ["a listener", { sectionName: "b" }, "True/Accepted", [8080]],
    ["a port", { port: 80 }, "True/Accepted", [80]],
    ["a listener and its port", { sectionName: "a", port: 80 }, "True/Accepted", [80]],
    ["a listener and another port", { sectionName: "a", port: 8080 }, "False/NoMatchingParent", []],
    ["a listener that does not exist", { sectionName: "c" }, "False/NoMatchingParent", []],
    ["a port that does not exist", { port: 81 }, "False/NoMatchingParent", []],
  ])("%s", (_, fields, condition, ports) => {
    const result = run({ gateways, routes: [route({ parentRefs: [parentRef(fields)] })] });
    expect(result.routes.flatMap(accepted)).toEqual([condition]);
    const withRules = result.configuration.ports.filter(({ servers }) => servers[0]?.rules.length === 1);
    expect(withRules.map(({ port }) => port)).toEqual(ports);
  });

  test("a route has a result for each of its references, in their order", () => {
    const parentRefs = [parentRef({ sectionName: "c" }), parentRef({ sectionName: "b" })];
    const [result] = run({ gateways, routes: [route({ generation: 7, parentRefs })] }).routes;
    expect(result).toMatchObject({
      generation: 7,
      parents: parentRefs.map((reference) => ({ parentRef: reference })),
    });
    expect(result && accepted(result)).toEqual(["False/NoMatchingParent", "True/Accepted"]);
  });

  test("references to other gateways and kinds are left to others", () => {
    const parentRefs = [parentRef({ name: "unknown" }), parentRef({ kind: "Service", group: "" })];
    expect(run({ gateways, routes: [route({ parentRefs })] }).routes).toEqual([]);
    const foreign = gateway({ className: "other" });
    const gatewayClasses = [gatewayClass(), gatewayClass("other", "other")];
    expect(run({ gateways: [foreign], gatewayClasses, routes: [route()] }).routes).toEqual([]);
  });
});

describe("allowed namespaces", () => {
  const namespace = (name: string, labels: Record<string, string>): ObjectOf<typeof Namespace> => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  });
  const namespaces = [namespace("apps", { team: "web" }), namespace("others", { team: "db" })];
  const findNamespace = (name: string) => namespaces.find(({ metadata }) => metadata.name === name);
  const inNamespace = (name: string) =>
    route({ namespace: name, parentRefs: [parentRef({ namespace: "default" })] });
  const selector = { matchLabels: { team: "web" } };

  test.each<[string, ListenerSpec["allowedRoutes"]["namespaces"], string, boolean]>([
    ["the same", { from: "Same" }, "default", true],
    ["the same, from another one", { from: "Same" }, "apps", false],
    ["all", { from: "All" }, "apps", true],
    ["none", { from: "None" }, "default", false],
    ["by label", { from: "Selector", selector }, "apps", true],
    ["by another label", { from: "Selector", selector }, "others", false],
    ["by label of a namespace that is unknown", { from: "Selector", selector }, "nowhere", false],
    ["by a selector that is missing", { from: "Selector" }, "apps", false],
  ])("%s", (_, allowed, from, isAllowed) => {
    const gateways = [gateway({ listeners: [listener({ allowedRoutes: { namespaces: allowed } })] })];
    const result = run({ gateways, findNamespace, routes: [inNamespace(from)] });
    expect(result.routes.flatMap(accepted)).toEqual([
      isAllowed ? "True/Accepted" : "False/NotAllowedByListeners",
    ]);
    expect(result.gateways[0]?.listeners[0]?.attachedRoutes).toBe(isAllowed ? 1 : 0);
  });
});

describe("host names", () => {
  test("a route without common hosts is not accepted", () => {
    const gateways = [gateway({ listeners: [listener({ hostname: "*.a.com" })] })];
    const result = run({ gateways, routes: [route({ hostnames: ["a.com", "b.com"] })] });
    expect(result.routes.flatMap(accepted)).toEqual(["False/NoMatchingListenerHostname"]);
    expect(paths(result)).toEqual({ "*.a.com": [] });
  });

  test("hosts that the listener does not have are ignored", () => {
    const gateways = [gateway({ listeners: [listener({ hostname: "*.a.com" })] })];
    const routes = [route({ hostnames: ["x.a.com", "x.b.com", "*.y.a.com"], rules: [rule("/p")] })];
    expect(paths(run({ gateways, routes }))).toEqual({
      "x.a.com": ["/p"],
      "*.y.a.com": ["/p"],
      "*.a.com": [],
    });
  });

  test("the most specific host decides alone", () => {
    const routes = [
      route({ name: "any", rules: [rule("/any")] }),
      route({ name: "wild", hostnames: ["*.a.com"], rules: [rule("/wild")] }),
      route({ name: "exact", hostnames: ["x.a.com"], rules: [rule("/exact")] }),
    ];
    expect(paths(run({ routes }))).toEqual({ "x.a.com": ["/exact"], "*.a.com": ["/wild"], "": ["/any"] });
  });

  test("on one host, the rules of the route with the more specific host come first", () => {
    const gateways = [gateway({ listeners: [listener({ hostname: "x.a.com" })] })];
    const routes = [
      route({ name: "any", rules: [rule("/any/longest")] }),
      route({ name: "wild", hostnames: ["*.a.com"], rules: [rule("/wild/long")] }),
      route({ name: "exact", hostnames: ["*.com", "x.a.com"], rules: [rule("/")] }),
    ];
    expect(paths(run({ gateways, routes }))).toEqual({ "x.a.com": ["/", "/wild/long", "/any/longest"] });
  });

  // The cases are those of the Gateway API's test for isolated listeners.
  test("a request for a host belongs to the most specific listener only", () => {
    const hostnames = [undefined, "*.example.com", "*.foo.example.com", "abc.foo.example.com"];
    const listeners = hostnames.map((hostname, index) =>
      listener({ name: `l${index}`, ...(hostname !== undefined && { hostname }) }),
    );
    const routes = listeners.map(({ name }) =>
      route({
        name,
        parentRefs: [parentRef({ sectionName: name })],
        hostnames: ["bar.com", "*.example.com", "*.foo.example.com", "abc.foo.example.com"],
        rules: [rule(`/${name}`)],
      }),
    );
    const result = run({ gateways: [gateway({ listeners })], routes });
    expect(paths(result)).toEqual({
      "": [],
      "bar.com": ["/l0"],
      "*.example.com": ["/l1"],
      "*.foo.example.com": ["/l2"],
      "abc.foo.example.com": ["/l3"],
    });
    expect(result.routes.flatMap(accepted)).toEqual(Array.from({ length: 4 }, () => "True/Accepted"));
  });
});

test("a route whose listener is not served says so", () => {
  const gateways = [gateway({ listeners: [listener({ protocol: "HTTPS" })] })];
  const [result] = run({ gateways, routes: [route()] }).routes;
  expect(result?.parents[0]?.conditions[0]).toMatchObject({ status: "False", reason: "InvalidListener" });
  expect(result?.parents[0]?.conditions[0]?.message).toContain("needs tls.certificateRefs");
});

test("a route that nginx refused is left out with its message", () => {
  const refused = new Map([["HTTPRoute default/web", "unknown directive"]]);
  const routes = [route(), route({ name: "other", rules: [rule("/other")] })];
  const result = run({ refused, routes });
  expect(paths(result)).toEqual({ "": ["/other"] });
  expect(result.routes.flatMap(accepted)).toEqual(["True/Accepted", "False/RefusedByNginx"]);
});
