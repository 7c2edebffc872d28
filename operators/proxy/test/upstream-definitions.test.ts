import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlane, MemoryStore, type Client, type Condition, type ControlPlane } from "fettle";
import type { AdmissionPlugin } from "fettle/server";
import { expect, onTestFinished, test } from "vitest";
import { describeWith, nginx, type Need } from "../../../test/components/index.js";
import { proxyOperator } from "../index.js";
import { Gateway, GatewayClass, HTTPRoute, type HTTPRouteObject } from "../kinds/gateway-api.js";
import { controllerName } from "../kinds/proxy.js";
import { freePort } from "./fixtures/proxy-plane.js";
import { until } from "../../../test/runtime/until.js";
import { gatewayApi } from "./fixtures/gateway-api.js";
import {
  deleteClasses,
  deploySite,
  expectedResponses,
  expectSettled,
  hasParents,
  responsesOf,
} from "./fixtures/gateway-api-site.js";

const both: Need = {
  name: "nginx and the definitions of the Gateway API",
  async obtain() {
    await nginx.obtain();
    await gatewayApi.obtain();
  },
};

const timeout = 120_000;

describeWith("the proxy operator with the definitions of the Gateway API project", both, () => {
  test("leaves the definitions alone, and serves a gateway", { timeout }, async () => {
    const { plane, generations } = await startPlane();
    const site = await deploySite(plane.client);
    expect(await responsesOf(site)).toEqual(expectedResponses);
    expect(await gatewayApi.generations(plane.client)).toEqual(generations);
    await expectSettled(plane.controllers);
  });

  test("writes statuses that the definitions allow for objects with faults", { timeout }, async () => {
    const { client, controllers } = (await startPlane()).plane;
    const { port } = await deploySite(client);
    const tls = { certificateRefs: [{ name: "missing" }] };
    const listeners = [
      { name: "no-certificate", protocol: "HTTPS", port: await freePort(), tls },
      { name: "unsupported-protocol", protocol: "UDP", port: await freePort() },
      { name: "conflict", protocol: "HTTPS", port, tls },
      { name: "kinds", protocol: "HTTP", port, allowedRoutes: { kinds: [{ kind: "TCPRoute" }] } },
    ];
    await client.create(Gateway, {
      metadata: { name: "faulty" },
      spec: { gatewayClassName: "nginx", listeners },
    });
    const parentRefs = [
      { name: "faulty", sectionName: "nowhere" },
      { name: "web", sectionName: "http" },
    ];
    const path = { type: "RegularExpression", value: "(" };
    const backendRefs = [{ name: "missing", port: 80 }];
    const rules = [{ matches: [{ path }] }, { backendRefs }];
    await client.create(HTTPRoute, { metadata: { name: "faulty" }, spec: { parentRefs, rules } });

    const gateway = await until(client, Gateway, "faulty", (found) => found?.status?.listeners?.length === 4);
    expect(reasonsOf(gateway?.status?.conditions)).toEqual({
      Accepted: "ListenersNotValid",
      Programmed: "Invalid",
    });
    const route = await until(
      client,
      HTTPRoute,
      "faulty",
      (found) => (found?.status?.parents?.length ?? 0) === 2,
    );
    const reasons = route?.status?.parents?.map(({ conditions }) => reasonsOf(conditions));
    expect(reasons).toEqual([
      { Accepted: "NoMatchingParent", ResolvedRefs: "BackendNotFound" },
      { Accepted: "Accepted", PartiallyInvalid: "UnsupportedValue", ResolvedRefs: "BackendNotFound" },
    ]);
    await expectSettled(controllers);
  });

  test("accepts routes without rules", { timeout }, async () => {
    const { client, controllers } = (await startPlane()).plane;
    await deploySite(client);
    const parentRefs = [{ name: "web" }];
    await client.create(HTTPRoute, { metadata: { name: "default" }, spec: { parentRefs } });
    await client.create(HTTPRoute, { metadata: { name: "none" }, spec: { parentRefs, rules: [] } });
    for (const name of ["default", "none"])
      await until(client, HTTPRoute, name, (found) => hasParents(found, "Accepted", "ResolvedRefs"));
    await expectSettled(controllers);
  });

  test("leaves objects of other controllers alone", { timeout }, async () => {
    const { plane } = await startPlane();
    const { client, controllers } = plane;
    await deploySite(client);
    const metadata = { name: "other" };
    await client.create(GatewayClass, { metadata, spec: { controllerName: "example.com/other" } });
    await client.create(Gateway, {
      metadata,
      spec: { gatewayClassName: "other", listeners: [{ name: "http", protocol: "HTTP", port: 80 }] },
    });
    await client.create(HTTPRoute, { metadata, spec: { parentRefs: [metadata] } });
    const key = "default/other";
    await expect.poll(() => controllers.runs.find({ kind: HTTPRoute, key })).not.toEqual([]);
    await expectSettled(controllers);
    for (const each of [GatewayClass, Gateway, HTTPRoute]) {
      const { metadata: found } = await client.get(each, "other");
      expect(found.managedFields?.map(({ subresource }) => subresource)).toEqual([undefined]);
    }
  });

  test("keeps what another controller writes into the status meanwhile", { timeout }, async () => {
    let client: Client | undefined;
    /** Writes right before the operator does, so that its first attempt is a conflict. */
    const rivalWrites: AdmissionPlugin = {
      name: "rival",
      async validate({ type, subresource, old }) {
        if (type.plural !== HTTPRoute.plural || subresource !== "status" || client === undefined) return;
        if (old?.metadata.name !== "contested") return;
        const writer = client;
        client = undefined;
        await writer.modify(HTTPRoute, "contested", withRival, { subresource: "status" });
      },
    };
    const { plane } = await startPlane(rivalWrites);
    await deploySite(plane.client);
    ({ client } = plane);
    const parentRefs = [{ name: "web" }, { name: "rival" }];
    await plane.client.create(HTTPRoute, { metadata: { name: "contested" }, spec: { parentRefs } });
    const isComplete = (route: HTTPRouteObject | undefined): boolean =>
      controllersOf(route).includes(controllerName);
    const route = await until(plane.client, HTTPRoute, "contested", isComplete);
    expect(client).toBeUndefined();
    expect(controllersOf(route)).toEqual([rival, controllerName]);
    await expectSettled(plane.controllers);
  });
});

const rival = "example.com/rival";

/** Adds the entry of another controller. */
function withRival(route: HTTPRouteObject): HTTPRouteObject {
  const condition = {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  } as const;
  const entry = { parentRef: { name: "rival" }, controllerName: rival, conditions: [condition] };
  return { ...route, status: { parents: [...(route.status?.parents ?? []), entry] } };
}

/** Controllers with an entry in the status of a route. */
function controllersOf(route: HTTPRouteObject | undefined): readonly string[] {
  return route?.status?.parents?.map(({ controllerName: name }) => name) ?? [];
}

function reasonsOf(conditions: readonly Condition[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]));
}

/** Plane with the definitions of the project, on which the operator is started. */
async function startPlane(...admission: readonly AdmissionPlugin[]): Promise<{
  readonly plane: ControlPlane;
  /** Generations of the definitions before. */
  readonly generations: ReadonlyMap<string, number | undefined>;
}> {
  const data = mkdtempSync(join(tmpdir(), "proxy-"));
  const options = { store: new MemoryStore(), data, listen: false } as const;
  const before = await controlPlane(options);
  await gatewayApi.install(before.client);
  const generations = await gatewayApi.generations(before.client);
  await before.stop();
  const plane = await controlPlane({ ...options, admission, operators: [proxyOperator()] });
  onTestFinished(async () => {
    await deleteClasses(plane.client);
    await plane.stop();
    rmSync(data, { recursive: true });
  });
  return { plane, generations };
}
