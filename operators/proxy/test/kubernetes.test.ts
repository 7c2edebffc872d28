import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, httpTransport, loadConnection, operator, type Client, type Operator } from "fettle";
import { Process } from "@fettle/process";
import { expect, onTestFinished, test } from "vitest";
import {
  describeWith,
  kubernetes,
  nginx,
  type Component,
  type Kubernetes,
} from "../../../test/components/index.js";
import { until } from "../../../test/runtime/until.js";
import { proxyOperator } from "../index.js";
import { Gateway, HTTPRoute, type GatewayObject } from "../kinds/gateway-api.js";
import { ProxyClass } from "../kinds/proxy.js";
import { gatewayApi } from "./fixtures/gateway-api.js";
import {
  deleteClasses,
  deploySite,
  expectedResponses,
  expectSettled,
  get,
  responsesOf,
} from "./fixtures/gateway-api-site.js";

const cluster: Component<Kubernetes> = {
  ...kubernetes,
  name: "kubernetes, nginx and the definitions of the Gateway API",
  async obtain() {
    await nginx.obtain();
    await gatewayApi.obtain();
    return kubernetes.obtain();
  },
};

const timeout = 240_000;

describeWith("the proxy operator on Kubernetes", cluster, (running) => {
  test("serves a gateway, adopts its nginx after a restart, and cleans up", { timeout }, async () => {
    await serveAndAdopt(running());
  });
});

describeWith("the proxy operator on Kubernetes with the definitions of the project", cluster, (running) => {
  test("leaves them alone, and does the same", { timeout }, async () => {
    const { kubeconfig } = running();
    const connection = await loadConnection({ kubeconfig });
    await using client = createClient({ transport: httpTransport({ connection }) });
    await gatewayApi.install(client);
    const generations = await gatewayApi.generations(client);
    await serveAndAdopt(running());
    expect(await gatewayApi.generations(client)).toEqual(generations);
  });
});

/** Life of a gateway, from its creation to the deletion of its class. */
async function serveAndAdopt({ kubeconfig }: Kubernetes): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "proxy-"));
  const start = (): Promise<Operator> =>
    operator({ operators: [proxyOperator()], kubeconfig, data, leaderElection: false });
  let current = await start();
  onTestFinished(async () => {
    // nginx outlives the operator.
    await deleteClasses(current.client);
    await current.stop();
    rmSync(data, { recursive: true });
  });
  const site = await deploySite(current.client);
  expect(await responsesOf(site)).toEqual(expectedResponses);
  await expectSettled(current.controllers);
  const before = await stateOf(current.client);
  await current.stop();
  expect(await responsesOf(site)).toEqual(expectedResponses);

  current = await start();
  const { client, controllers } = current;
  await controllers.ready();
  await expectSettled(controllers);
  expect(await stateOf(client)).toEqual(before);
  const { pid = 0 } = before.proxyClass ?? {};
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  expect(await responsesOf(site)).toEqual(expectedResponses);

  await client.delete(HTTPRoute, "web");
  await until(client, Gateway, "web", (gateway) => attachedRoutes(gateway) === 0);
  await expect.poll(() => get(`http://127.0.0.1:${site.port}/`), { timeout: 20_000 }).toMatch(/404/);
  await client.delete(Gateway, "web");
  await until(client, ProxyClass, "nginx", (found) => found?.status?.gateways === 0);
  expect(await get(`http://127.0.0.1:${site.port}/`)).toMatch(/ECONNREFUSED/);

  await deleteClasses(client);
  expect((await client.list(Process)).items).toEqual([]);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(readdirSync(join(data, "operators/proxy"))).not.toContain("nginx");
}

/** Pid, generation and reloads of nginx, and versions of objects whose status the operator writes. */
async function stateOf(client: Client) {
  const { status } = await client.get(ProxyClass, "nginx");
  const { metadata: gateway } = await client.get(Gateway, "web");
  const { metadata: route } = await client.get(HTTPRoute, "web");
  return { proxyClass: status, gateway: gateway.resourceVersion, route: route.resourceVersion };
}

function attachedRoutes(gateway: GatewayObject | undefined): number {
  const { listeners = [] } = gateway?.status ?? {};
  return listeners.reduce((sum, listener) => sum + listener.attachedRoutes, 0);
}
