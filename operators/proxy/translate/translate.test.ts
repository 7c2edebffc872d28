import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HTTPRouteObject } from "../kinds/gateway-api.js";
import {
  backend,
  backendRef,
  gateway,
  input,
  listener,
  match,
  parentRef,
  policy,
  proxyClass,
  route,
  rule,
} from "./fixtures.js";
import { translate } from "./translate.js";
import type { Translation, TranslationInput } from "./translation.js";

const hosts = ["a.com", "x.a.com", "*.a.com", "*.x.a.com", "b.com"];
const names = ["one", "two", "three"];
const name = fc.constantFrom(...names);
const age = fc.integer({ min: 0, max: 2 });

const gatewayOf = (name: string): fc.Arbitrary<TranslationInput["gateways"][number]> =>
  fc
    .record({
      age,
      listeners: fc.array(
        fc.record({
          port: fc.constantFrom(80, 81),
          protocol: fc.constantFrom("HTTP", "HTTP", "HTTP", "HTTPS", "TCP"),
          hostname: fc.option(fc.constantFrom(...hosts), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    })
    .map(({ listeners, ...fields }) =>
      gateway({
        ...fields,
        name,
        listeners: listeners.map(({ hostname, ...other }, index) =>
          listener({ ...other, name: `l${index}`, ...(hostname !== undefined && { hostname }) }),
        ),
      }),
    );

const anyRule = fc
  .record({
    path: fc.constantFrom("/", "/a", "/a/b", "bad", "/(a+)+"),
    type: fc.constantFrom("PathPrefix", "Exact", "RegularExpression"),
    method: fc.option(fc.constantFrom("GET", "BREW"), { nil: undefined }),
    app: fc.constantFrom("one", "two", "missing"),
    weight: fc.integer({ min: 0, max: 2 }),
  })
  .map(({ path, type, method, app, weight }) =>
    rule({
      matches: [match({ path, type, ...(method !== undefined && { method }) })],
      backendRefs: [backendRef(app, { weight })],
    }),
  );

const routeOf = (name: string): fc.Arbitrary<HTTPRouteObject> =>
  fc
    .record({
      age,
      hostnames: fc.uniqueArray(fc.constantFrom(...hosts), { maxLength: 3 }),
      rules: fc.array(anyRule, { minLength: 1, maxLength: 3 }),
      parents: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
    })
    .map(({ parents, ...fields }) =>
      route({ ...fields, name, parentRefs: parents.map((gatewayName) => parentRef({ name: gatewayName })) }),
    );

const lists = fc.record({
  gateways: fc.tuple(...names.map(gatewayOf)),
  routes: fc.tuple(...names.map(routeOf)),
  policies: fc.tuple(
    ...names.map((policyName) =>
      fc
        .record({ age, target: name })
        .map((fields) => policy({ age: fields.age, name: policyName, targets: [{ name: fields.target }] })),
    ),
  ),
});
const backends = [backend({ name: "one" }), backend({ name: "two" })];

function hostsIn({ configuration }: Translation): Map<string, unknown> {
  return new Map(
    configuration.ports.flatMap(({ port, servers }) =>
      servers.map((server) => [`${port} ${server.hostname ?? ""}`, server] as const),
    ),
  );
}

test("the result does not depend on the order of the input", () => {
  fc.assert(
    fc.property(lists, (fields) => {
      const reversed = {
        gateways: fields.gateways.toReversed(),
        routes: fields.routes.toReversed(),
        policies: fields.policies.toReversed(),
      };
      expect(translate(input({ ...reversed, backends }))).toEqual(translate(input({ ...fields, backends })));
    }),
  );
});

test("the configuration is complete: every upstream and zone exists and is used, servers are unique and in order", () => {
  fc.assert(
    fc.property(lists, (fields) => {
      const { configuration } = translate(input({ ...fields, backends }));
      const rules = configuration.ports.flatMap(({ servers }) => servers.flatMap((server) => server.rules));
      const upstreams = rules.flatMap(({ action }) =>
        action.type === "forward"
          ? action.destinations.flatMap((one) => ("upstream" in one ? [one.upstream] : []))
          : [],
      );
      const sorted = (values: Iterable<string>): string[] => [...new Set(values)].toSorted();
      expect(configuration.upstreams.map((one) => one.name)).toEqual(sorted(upstreams));
      expect(configuration.limits.map((one) => one.name)).toEqual(
        sorted(rules.flatMap(({ limit }) => (limit === undefined ? [] : [limit.zone]))),
      );
      for (const { servers } of configuration.ports) {
        expect(new Set(servers.map(({ hostname }) => hostname)).size).toBe(servers.length);
      }
      const ports = configuration.ports.map(({ port }) => port);
      expect(ports).toEqual(ports.toSorted((one, other) => one - other));
    }),
  );
});

test("an invalid route changes nothing on other hosts, and nothing at all if all its rules are invalid", () => {
  fc.assert(
    fc.property(lists, fc.constantFrom(...hosts), fc.boolean(), (fields, host, isPartial) => {
      const bad = rule({ matches: [match({ path: "bad" })] });
      const rules = isPartial ? [bad, rule("/valid")] : [bad];
      const parentRefs = names.map((gatewayName) => parentRef({ name: gatewayName }));
      const invalid = route({ name: "invalid", hostnames: [host], parentRefs, rules });
      const before = hostsIn(translate(input({ ...fields, backends })));
      const after = hostsIn(translate(input({ ...fields, backends, routes: [...fields.routes, invalid] })));
      if (!isPartial) expect(after).toEqual(before);
      // A host of a listener that is narrower than that of the route is one of the route as well.
      const isConcerned = (key: string): boolean =>
        key.endsWith(` ${host}`) || (host.startsWith("*.") && key.endsWith(host.slice(1)));
      for (const [key, server] of after) if (!isConcerned(key)) expect(server).toEqual(before.get(key));
    }),
  );
});

test("every route and gateway of the class has a result, whatever is in it", () => {
  fc.assert(
    fc.property(lists, (fields) => {
      const result = translate(input({ ...fields, backends }));
      expect(result.gateways.map((one) => one.name).toSorted()).toEqual(names.toSorted());
      expect(result.routes.map((one) => one.name).toSorted()).toEqual(names.toSorted());
      for (const { parents } of result.routes) {
        for (const { conditions } of parents) {
          const types = conditions.map(({ type }) => type);
          expect(types.filter((type) => type !== "PartiallyInvalid")).toEqual(["Accepted", "ResolvedRefs"]);
        }
      }
    }),
  );
});

describe("settings", () => {
  test("are those of the ProxyClass", () => {
    const ours = proxyClass({
      addresses: ["127.0.0.1", "::1"],
      workers: 3,
      shutdownTimeout: "1m",
      accessLog: true,
    });
    expect(translate(input({ proxyClass: ours })).configuration.settings).toEqual({
      addresses: ["127.0.0.1", "::1"],
      workers: 3,
      workerConnections: 4096,
      user: "www-data",
      shutdownTimeout: 60_000,
      accessLog: true,
    });
  });

  test("without gateways there are no ports", () => {
    expect(translate(input({ gateways: [] }))).toMatchObject({
      configuration: { ports: [], upstreams: [], limits: [] },
      gateways: [],
      routes: [],
      policies: [],
      certificates: [],
    });
  });
});
