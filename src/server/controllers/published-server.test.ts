import { expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import { startApi } from "../api.js";
import { testApi, type TestApi } from "../registry/fixtures/test-api.js";

const server = { address: "192.0.2.7", port: 7700, secure: true, ca: "-----BEGIN CERTIFICATE-----" };

async function names(api: TestApi, plural: string, namespace: string): Promise<string[]> {
  const { items } = await api.core(plural, namespace).list();
  return items.map(({ object }) => object.metadata.name ?? "");
}

test("the Service kubernetes has the first address and points to the server", async () => {
  await using api = await testApi();
  api.api.publish(server);
  await api.api.idle();
  const service = await api.core("services").get("kubernetes");
  expect(service).toMatchObject({
    metadata: { labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 7700 }],
    },
  });
  expect(await api.core("endpoints").get("kubernetes")).toMatchObject({
    subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ name: "https", port: 7700, protocol: "TCP" }] }],
  });
  const slices = api.resource("endpointslices", { group: "discovery.k8s.io" });
  expect(await slices.get("kubernetes")).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
  });
});

test("the address family of the Service is that of the range of addresses", async () => {
  await using api = await testApi({ services: { clusterIPRange: "fd00::/112" } });
  api.api.publish(server);
  await api.api.idle();
  expect(await api.core("services").get("kubernetes")).toMatchObject({
    spec: { clusterIP: "fd00::1", ipFamilies: ["IPv6"], ipFamilyPolicy: "SingleStack" },
  });
});

test("they follow the server to another port, and come back when they are deleted", async () => {
  await using api = await testApi();
  api.api.publish(server);
  await api.api.idle();
  const before = (await api.core("services").get("kubernetes")) as unknown as KubeObject;
  api.api.publish({ ...server, port: 7701 });
  await api.api.idle();
  expect(await api.core("services").get("kubernetes")).toMatchObject({
    metadata: { uid: before.metadata.uid },
    spec: { clusterIP: "10.96.0.1", ports: [{ port: 443, targetPort: 7701 }] },
  });
  await api.core("services").delete("kubernetes");
  await api.core("endpoints").delete("kubernetes");
  await api.api.idle();
  expect(await api.core("services").get("kubernetes")).toMatchObject({ spec: { clusterIP: "10.96.0.1" } });
  expect(await api.core("endpoints").get("kubernetes")).toMatchObject({
    subsets: [{ ports: [{ port: 7701 }] }],
  });
});

test("every namespace has the certificate authority, also new ones and after a deletion", async () => {
  await using api = await testApi();
  api.api.publish(server);
  await api.core("namespaces").create({ metadata: { name: "shop" } });
  await api.api.idle();
  for (const namespace of ["default", "kube-system", "shop"]) {
    expect(await names(api, "configmaps", namespace)).toEqual(["kube-root-ca.crt"]);
  }
  await api.core("configmaps", "shop").delete("kube-root-ca.crt");
  await api.api.idle();
  expect(await api.core("configmaps", "shop").get("kube-root-ca.crt")).toMatchObject({
    data: { "ca.crt": server.ca },
  });
  await api.core("namespaces").delete("shop");
  await api.api.idle();
  expect(await names(api, "configmaps", "shop")).toEqual([]);
});

test("without TLS there is no authority, and the port is that of HTTP", async () => {
  await using api = await testApi();
  api.api.publish({ address: "127.0.0.1", port: 7700, secure: false });
  await api.api.idle();
  expect(await names(api, "configmaps", "default")).toEqual([]);
  expect(await api.core("services").get("kubernetes")).toMatchObject({
    spec: { ports: [{ name: "http", port: 80, targetPort: 7700 }] },
  });
});

test("two servers with one store do not undo each other's address", async () => {
  await using first = await testApi();
  await using second = await startApi({ store: first.store, clock: first.clock });
  first.api.publish(server);
  second.publish({ ...server, address: "192.0.2.8", ca: "another" });
  const settled = async (): Promise<number> => {
    for (const api of [first.api, second, first.api, second]) await api.idle();
    return (await first.store.status()).revision;
  };
  const revision = await settled();
  await first.clock.advance(600_000);
  expect(await settled()).toBe(revision);
});

test("a server that nobody reaches publishes nothing", async () => {
  await using api = await testApi();
  await api.api.idle();
  expect(await names(api, "services", "default")).toEqual([]);
});
