import type { ObjectOf } from "fettle";
import type { EndpointSlice, Service } from "fettle/kubernetes";
import { describe, expect, test } from "vitest";
import { Backend, type BackendObject, type HealthState } from "../../kinds/proxy.js";
import type { RoutingRule } from "../configuration.js";
import { backend, backendRef, gatewayGroup, grant, input, route, rule, serviceRef } from "../fixtures.js";
import { translate } from "../translate.js";
import type { Finding, Translation } from "../translation.js";

type References = NonNullable<Parameters<typeof rule>[0] & object>["backendRefs"];
type Fields = NonNullable<Parameters<typeof input>[0]>;

interface Outcome extends Translation {
  readonly action: RoutingRule["action"] | undefined;
  readonly resolvedRefs: Finding | undefined;
}

function run(backendRefs: References, fields: Fields = {}): Outcome {
  const result = translate(
    input({ routes: [route({ rules: [rule({ backendRefs: backendRefs ?? [] })] })], ...fields }),
  );
  return {
    ...result,
    action: result.configuration.ports[0]?.servers[0]?.rules[0]?.action,
    resolvedRefs: result.routes[0]?.parents[0]?.conditions.find(({ type }) => type === "ResolvedRefs"),
  };
}

function addresses({ configuration }: Translation): string[] {
  return configuration.upstreams.flatMap(({ servers }) =>
    servers.map(({ address, port, weight }) => `${address} ${port} ${weight}`),
  );
}

test("a Backend becomes an upstream", () => {
  const result = run([backendRef("app")]);
  expect(result.action).toEqual({
    type: "forward",
    destinations: [{ weight: 1, upstream: "backend_default_app" }],
    rewrite: undefined,
  });
  expect(result.configuration.upstreams).toEqual([
    {
      name: "backend_default_app",
      servers: [{ address: "10.0.0.1", port: 8080, weight: 1 }],
      keepalive: 32,
      connectTimeout: 5000,
      origin: { kind: "Backend", namespace: "default", name: "app" },
    },
  ]);
  expect(result.resolvedRefs).toMatchObject({ status: "True", reason: "ResolvedRefs" });
});

describe("targets of a Backend", () => {
  type Target = NonNullable<NonNullable<BackendObject["status"]>["targets"]>[number];
  const target = (host: string, health: HealthState, found: readonly string[] = [host]): Target => ({
    host,
    port: 80,
    addresses: found,
    health,
  });

  test.each<[string, Parameters<typeof backend>[0], string[]]>([
    [
      "all but unhealthy ones are used",
      {
        targets: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((host) => ({ host, port: 80 })),
        status: {
          targets: [
            target("10.0.0.1", "healthy"),
            target("10.0.0.2", "unhealthy"),
            target("10.0.0.3", "degraded"),
            target("10.0.0.4", "unknown"),
          ],
        },
      },
      ["10.0.0.1 80 1", "10.0.0.3 80 1", "10.0.0.4 80 1"],
    ],
    [
      "names have the addresses of the status, in a stable order",
      {
        targets: [{ host: "app.internal", port: 80, weight: 3 }],
        status: { targets: [target("app.internal", "healthy", ["10.0.0.9", "10.0.0.10", "2001:db8::1"])] },
      },
      ["10.0.0.10 80 3", "10.0.0.9 80 3", "2001:db8::1 80 3"],
    ],
    [
      "before the first check, only addresses can be used",
      {
        targets: [
          { host: "10.0.0.1", port: 80 },
          { host: "app.internal", port: 80 },
        ],
      },
      ["10.0.0.1 80 1"],
    ],
    [
      "weight 0 takes no requests",
      {
        targets: [
          { host: "10.0.0.1", port: 80, weight: 0 },
          { host: "10.0.0.2", port: 80 },
        ],
      },
      ["10.0.0.2 80 1"],
    ],
    [
      "the same address is one server",
      {
        targets: [
          { host: "10.0.0.1", port: 80, weight: 2 },
          { host: "10.0.0.1", port: 80, weight: 3 },
        ],
      },
      ["10.0.0.1 80 5"],
    ],
    [
      "what nginx cannot read is left out",
      {
        targets: [{ host: "a", port: 80 }],
        status: { targets: [target("a", "healthy", ["fe80::1%eth0", "not an address", "10.0.0.1"])] },
      },
      ["10.0.0.1 80 1"],
    ],
  ])("%s", (_, fields, expected) => {
    expect(addresses(run([backendRef("app")], { backends: [backend(fields)] }))).toEqual(expected);
  });

  test.each<[string, Parameters<typeof backend>[0], RegExp]>([
    ["no targets", { targets: [] }, /has no targets: requests get 503/],
    [
      "only unhealthy targets",
      { targets: [{ host: "10.0.0.1", port: 80 }], status: { targets: [target("10.0.0.1", "unhealthy")] } },
      /has no usable target: requests get 503/,
    ],
    [
      "only names that are not resolved",
      { targets: [{ host: "app.internal", port: 80 }] },
      /no usable target/,
    ],
  ])("a Backend with %s responds 503", (_, fields, message) => {
    const result = run([backendRef("app")], { backends: [backend(fields)] });
    expect(result.action).toEqual({ type: "respond", status: 503 });
    expect(result.configuration.upstreams).toEqual([]);
    expect(result.resolvedRefs).toMatchObject({ status: "True", reason: "ResolvedRefs" });
    expect(result.resolvedRefs?.message).toMatch(message);
  });
});

type ServiceObject = ObjectOf<typeof Service>;
type SliceObject = ObjectOf<typeof EndpointSlice>;

const service = (spec: ServiceObject["spec"]): ServiceObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "app", namespace: "default" },
  spec,
});
const slice = (fields: Partial<SliceObject>): SliceObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "app-1", namespace: "default", labels: { "kubernetes.io/service-name": "app" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.1.0.1"] }],
  ports: [{ name: "http", port: 3000 }],
  ...fields,
});
const web = service({ ports: [{ name: "http", port: 80, targetPort: "web" }] });

describe("Services", () => {
  test("have their ready endpoints, on the port of the slice", () => {
    const slices = [
      slice({
        endpoints: [
          { addresses: ["10.1.0.2"], conditions: { ready: true } },
          { addresses: ["10.1.0.1"] },
          { addresses: ["10.1.0.3"], conditions: { ready: false } },
        ],
      }),
      slice({ ports: [{ name: "other", port: 1 }] }),
      slice({ endpoints: [{ addresses: ["10.1.0.2"] }] }),
      slice({ addressType: "FQDN", endpoints: [{ addresses: ["example.com"] }] }),
    ];
    const result = run([serviceRef("app")], { services: [web], slices });
    expect(result.configuration.upstreams[0]?.name).toBe("service_default_app_80");
    expect(addresses(result)).toEqual(["10.1.0.1 3000 1", "10.1.0.2 3000 1"]);
  });

  test("with a port without a name", () => {
    const unnamed = service({ ports: [{ port: 80 }] });
    const slices = [slice({ ports: [{ name: "", port: 3000 }] })];
    expect(addresses(run([serviceRef("app")], { services: [unnamed], slices }))).toEqual(["10.1.0.1 3000 1"]);
  });

  test("with two address families, those of the first one", () => {
    const six = slice({ addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] });
    const services = [service({ ...web.spec, ipFamilies: ["IPv6", "IPv4"] })];
    expect(addresses(run([serviceRef("app")], { services, slices: [slice({}), six] }))).toEqual([
      "2001:db8::1 3000 1",
    ]);
    expect(addresses(run([serviceRef("app")], { services, slices: [slice({})] }))).toEqual([
      "10.1.0.1 3000 1",
    ]);
  });

  test("without ready endpoints respond 503", () => {
    const result = run([serviceRef("app")], { services: [web] });
    expect(result.action).toEqual({ type: "respond", status: 503 });
    expect(result.resolvedRefs).toMatchObject({ status: "True" });
    expect(result.resolvedRefs?.message).toContain("no ready endpoint for port 80");
  });
});

describe("a reference that cannot be used responds 500", () => {
  const from = { group: gatewayGroup, kind: "HTTPRoute", namespace: "default" };
  const elsewhere = { backends: [backend({ namespace: "other" })] };
  const { port: _, ...withoutPort } = serviceRef("app");
  const external = service({ type: "ExternalName", externalName: "x.com", ports: [{ port: 80 }] });
  const h2c = service({ ports: [{ port: 80, appProtocol: "kubernetes.io/h2c" }] });
  const udp = service({ ports: [{ port: 80, protocol: "UDP" }] });
  const permitted = [grant("other", { from: [from], to: [{ group: Backend.group, kind: "Backend" }] })];
  const onlyServices = [grant("other", { from: [from], to: [{ group: "", kind: "Service" }] })];

  test.each<[string, NonNullable<References>[number], Fields, string, RegExp]>([
    [
      "no Backend",
      backendRef("no"),
      {},
      "BackendNotFound",
      /rules\[0\]\.backendRefs\[0\]: there is no Backend no in namespace default/,
    ],
    ["no Service", serviceRef("no"), {}, "BackendNotFound", /there is no Service no/],
    [
      "a kind of others",
      { ...backendRef("a"), kind: "Bucket" },
      {},
      "InvalidKind",
      /Bucket\.proxy\.fettle\.dev/,
    ],
    [
      "another namespace",
      backendRef("app", { namespace: "other" }),
      elsewhere,
      "RefNotPermitted",
      /ReferenceGrant in other/,
    ],
    [
      "a grant for other kinds",
      backendRef("app", { namespace: "other" }),
      { ...elsewhere, grants: onlyServices },
      "RefNotPermitted",
      /ReferenceGrant/,
    ],
    [
      "no Backend there",
      backendRef("no", { namespace: "other" }),
      { ...elsewhere, grants: permitted },
      "BackendNotFound",
      /namespace other/,
    ],
    ["no port", withoutPort, { services: [web] }, "UnsupportedValue", /needs a port/],
    [
      "a port that does not exist",
      serviceRef("app", { port: 81 }),
      { services: [web] },
      "BackendNotFound",
      /its ports: 80/,
    ],
    ["a name outside", serviceRef("app"), { services: [external] }, "UnsupportedValue", /ExternalName/],
    [
      "another protocol",
      serviceRef("app"),
      { services: [h2c], slices: [slice({})] },
      "UnsupportedProtocol",
      /h2c/,
    ],
    ["UDP", serviceRef("app"), { services: [udp] }, "UnsupportedProtocol", /UDP/],
    [
      "a Backend that nginx refused",
      backendRef("app"),
      { refused: new Map([["Backend default/app", "no"]]) },
      "RefusedByNginx",
      /nginx refused Backend default\/app: no/,
    ],
  ])("%s", (_name, reference, fields, reason, message) => {
    const result = run([reference], fields);
    expect(result.action).toEqual({ type: "respond", status: 500 });
    expect(result.resolvedRefs).toMatchObject({ status: "False", reason });
    expect(result.resolvedRefs?.message).toMatch(message);
    expect(result.configuration.upstreams).toEqual([]);
    expect(result.routes[0]?.parents[0]?.conditions[0]).toMatchObject({ type: "Accepted", status: "True" });
  });

  test("a grant permits another namespace", () => {
    const result = run([backendRef("app", { namespace: "other" })], { ...elsewhere, grants: permitted });
    expect(result.resolvedRefs?.status).toBe("True");
    expect(result.configuration.upstreams[0]?.name).toBe("backend_other_app");
  });
});

describe("weights", () => {
  test("requests for what cannot be used keep their share", () => {
    const backends = [backend(), backend({ name: "empty", targets: [] })];
    const references = [
      backendRef("app", { weight: 8 }),
      backendRef("no", { weight: 1 }),
      backendRef("empty", { weight: 2 }),
      backendRef("app", { weight: 0 }),
    ];
    expect(run(references, { backends }).action).toMatchObject({
      destinations: [
        { weight: 8, upstream: "backend_default_app" },
        { weight: 1, status: 500 },
        { weight: 2, status: 503 },
      ],
    });
  });

  test("references of weight 0 are checked, but not used", () => {
    const backends = [backend(), backend({ name: "spare" })];
    const references = [
      backendRef("app"),
      backendRef("spare", { weight: 0 }),
      backendRef("no", { weight: 0 }),
    ];
    const result = run(references, { backends });
    expect(result.configuration.upstreams.map(({ name }) => name)).toEqual(["backend_default_app"]);
    expect(result.resolvedRefs).toMatchObject({ status: "False", reason: "BackendNotFound" });
  });

  test("if all are 0, there is no backend", () => {
    expect(run([backendRef("app", { weight: 0 })]).action).toEqual({ type: "respond", status: 500 });
  });
});
