import { ProxyDriverError } from "./driver/driver.js";
import { Event, Secret } from "fettle/kubernetes";
import { testPlane, type TestPlane } from "fettle/testing";
import { Process, processOperator } from "@fettle/process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryDriver } from "../process/driver/memory/memory-driver.js";
import { issueCertificate, type CertificateContent } from "./certificates/issue.js";
import { memoryProxy, type MemoryProxy } from "./driver/memory/memory-proxy.js";
import { Backend, Gateway, HTTPRoute, ProxyClass, ProxyConfig, proxyOperator } from "./index.js";

let proxy: MemoryProxy;
let plane: TestPlane;

beforeEach(async () => {
  plane = await testPlane({
    operators: [
      proxyOperator({
        process: processOperator({ openDriver: async ({ clock }) => memoryDriver({ clock }) }),
        openDriver: async ({ clock }) => {
          proxy = memoryProxy({ clock });
          return proxy;
        },
        findProgram: async (program) => `/usr/sbin/${program}`,
      }),
    ],
  });
  await plane.client.create(Backend, {
    metadata: { name: "web" },
    spec: { targets: [{ host: "10.0.0.1", port: 80 }] },
  });
  await settle();
});
afterEach(() => plane[Symbol.asyncDispose]());

/** Lets changes pass that are collected, and everything that follows from them. */
async function settle(): Promise<void> {
  await plane.settled();
  await plane.advance("1s");
  await plane.settled();
}

const served = (file: string): string => proxy.servedFiles()?.get(file) ?? "";
const statusOfClass = async () => (await plane.client.get(ProxyClass, "nginx")).status;
const conditionOf = (
  conditions:
    | readonly { readonly type: string; readonly status: string; readonly reason: string }[]
    | undefined,
  type: string,
): string => {
  const found = conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
};

async function createGateway(name: string, port: number): Promise<void> {
  await plane.client.create(Gateway, {
    metadata: { name },
    spec: { gatewayClassName: "nginx", listeners: [{ name: "http", protocol: "HTTP", port }] },
  });
}

async function createRoute(name: string, gateway: string, path: string): Promise<void> {
  await plane.client.create(HTTPRoute, {
    metadata: { name },
    spec: {
      parentRefs: [{ name: gateway }],
      rules: [
        {
          matches: [{ path: { value: path } }],
          backendRefs: [{ group: "proxy.fettle.dev", kind: "Backend", name: "web" }],
        },
      ],
    },
  });
}

test("a class is there from the start, and its nginx is a process", async () => {
  expect(await statusOfClass()).toMatchObject({ generation: 1, gateways: 0, routes: 0 });
  const nginx = await plane.client.get(Process, "nginx");
  expect(nginx.spec).toMatchObject({ command: ["/usr/sbin/nginx"], stop: { signal: "SIGQUIT" } });
});

test("a gateway and a route are served, and their status says so", async () => {
  await createGateway("web", 8080);
  await createRoute("web", "web", "/");
  await settle();
  expect(served("ports/8080.conf")).toContain("backend_default_web");
  const gateway = await plane.client.get(Gateway, "web");
  expect(conditionOf(gateway.status?.conditions, "Programmed")).toBe("True Programmed");
  expect(gateway.status?.listeners?.[0]).toMatchObject({ name: "http", attachedRoutes: 1 });
  const route = await plane.client.get(HTTPRoute, "web");
  expect(conditionOf(route.status?.parents?.[0]?.conditions, "Accepted")).toBe("True Accepted");
  expect(conditionOf(route.status?.parents?.[0]?.conditions, "ResolvedRefs")).toBe("True ResolvedRefs");
});

test("changes within a moment are one reload, and a critical one does not wait", async () => {
  await createGateway("web", 8080);
  await settle();
  const before = proxy.reloads;
  for (let index = 0; index < 20; index++) await createRoute(`r${index}`, "web", `/r${index}`);
  await settle();
  expect(proxy.reloads - before).toBe(1);
  await plane.client.create(HTTPRoute, {
    metadata: { name: "urgent", annotations: { "fettle.dev/priority": "critical" } },
    spec: {
      parentRefs: [{ name: "web" }],
      rules: [{ matches: [{ path: { value: "/urgent" } }] }],
    },
  });
  await plane.settled();
  expect(served("ports/8080.conf")).toContain("/urgent");
});

test("nothing is reloaded when nothing changes for nginx", async () => {
  await createGateway("web", 8080);
  await createRoute("web", "web", "/");
  await settle();
  const before = proxy.reloads;
  await plane.client.patch(HTTPRoute, "web", { metadata: { labels: { team: "a" } } });
  await plane.advance("10m");
  await settle();
  expect(proxy.reloads).toBe(before);
});

test("an object that nginx refuses is left out, and the others are served", async () => {
  await createGateway("web", 8080);
  await createRoute("good", "web", "/good");
  await settle();
  proxy.refuse = (_, content) => {
    const line = content.split("\n").findIndex((text) => text.includes("/bad"));
    return line === -1 ? undefined : { message: "[emerg] no", line: line + 1 };
  };
  await createRoute("bad", "web", "/bad");
  await createRoute("other", "web", "/other");
  await settle();
  expect(served("ports/8080.conf")).toContain("/other");
  expect(served("ports/8080.conf")).not.toContain("/bad");
  const bad = await plane.client.get(HTTPRoute, "bad");
  expect(conditionOf(bad.status?.parents?.[0]?.conditions, "Accepted")).toMatch(/^False/);
  expect(bad.status?.parents?.[0]?.conditions?.[0]?.message).toContain("[emerg] no");
  const other = await plane.client.get(HTTPRoute, "other");
  expect(conditionOf(other.status?.parents?.[0]?.conditions, "Accepted")).toBe("True Accepted");
  const events = (await plane.client.list(Event)).items.map(({ reason, message }) => `${reason}: ${message}`);
  expect(events).toContainEqual(expect.stringContaining("ObjectRefused: HTTPRoute default/bad"));

  proxy.refuse = () => undefined;
  await plane.client.patch(HTTPRoute, "bad", { spec: { hostnames: ["example.com"] } });
  await settle();
  expect(served("ports/8080.conf")).toContain("/bad");
});

test("a configuration that is not served is taken back, and tried again", async () => {
  await createGateway("web", 8080);
  await createRoute("web", "web", "/");
  await settle();
  const good = served("ports/8080.conf");
  proxy.keepOldConfiguration = "bind() to 0.0.0.0:9090 failed (98: Address already in use)";
  await createGateway("late", 9090);
  await plane.settled();
  await plane.advance("15s");
  await plane.settled();
  const failed = await statusOfClass();
  expect(failed?.refused?.message).toContain("Address already in use");
  expect(conditionOf(failed?.conditions, "Ready")).toMatch(/^False/);
  expect(conditionOf(failed?.conditions, "RolledBack")).toBe("True StepFailed");
  expect(served("ports/8080.conf")).toBe(good);
  // What nginx serves already is not affected.
  const web = await plane.client.get(Gateway, "web");
  expect(conditionOf(web.status?.conditions, "Programmed")).toBe("True Programmed");
  const late = await plane.client.get(Gateway, "late");
  expect(conditionOf(late.status?.conditions, "Programmed")).toBe("False Pending");

  proxy.keepOldConfiguration = undefined;
  await plane.advance("3m");
  await settle();
  expect((await statusOfClass())?.refused).toBeUndefined();
  const served9090 = await plane.client.get(Gateway, "late");
  expect(conditionOf(served9090.status?.conditions, "Programmed")).toBe("True Programmed");
});

test("a port of another program concerns its listener only, until it is free", async () => {
  proxy.portsInUse.set(9090, "python3 (process 71)");
  await createGateway("taken", 9090);
  await createGateway("web", 8080);
  await settle();
  expect(served("ports/8080.conf")).not.toBe("");
  expect(served("ports/9090.conf")).toBe("");
  const taken = await plane.client.get(Gateway, "taken");
  expect(conditionOf(taken.status?.conditions, "Programmed")).toMatch(/^False/);
  expect(JSON.stringify(taken.status)).toContain("python3 (process 71)");
  expect(conditionOf((await statusOfClass())?.conditions, "Ready")).toBe("False PortInUse");
  proxy.portsInUse.clear();
  await plane.advance("6s");
  await settle();
  expect(served("ports/9090.conf")).not.toBe("");
});

test("an edited file is repaired under a new number", async () => {
  await createGateway("web", 8080);
  await settle();
  const before = await statusOfClass();
  const content = served("ports/8080.conf");
  proxy.edit("ports/8080.conf", "server { listen 1.2.3.4:1; }");
  await settle();
  expect(served("ports/8080.conf")).toBe(content);
  expect((await statusOfClass())?.generation).toBeGreaterThan(before?.generation ?? 0);
  const events = (await plane.client.list(Event)).items.map(({ reason }) => reason);
  expect(events).toContain("FilesEdited");
});

test("a full disk leaves the last good configuration in force, and is tried again", async () => {
  await createGateway("web", 8080);
  await settle();
  proxy.failNext(new ProxyDriverError("DiskFull", "there is no space left for the configuration"), "stage");
  await createRoute("web", "web", "/new");
  await settle();
  expect(conditionOf((await statusOfClass())?.conditions, "Ready")).toBe("False DiskFull");
  await plane.advance("10s");
  await settle();
  expect(served("ports/8080.conf")).toContain("/new");
});

test("a deleted class takes its nginx and its files along", async () => {
  await createGateway("web", 8080);
  await settle();
  await plane.client.delete(ProxyClass, "nginx");
  for (let turn = 0; turn < 5; turn++) await settle();
  expect(await plane.client.find(ProxyClass, "nginx")).toBeUndefined();
  expect(await plane.client.find(Process, "nginx")).toBeUndefined();
  expect((await proxy.inspect()).active).toBeUndefined();
});

test("gateways and routes of a deleted class do not count as served", async () => {
  await createGateway("web", 8080);
  await createRoute("web", "web", "/");
  await settle();
  await plane.client.delete(ProxyClass, "nginx");
  await settle();
  await plane.advance("5s");
  await settle();
  const { status } = await plane.client.get(Gateway, "web");
  expect(conditionOf(status?.conditions, "Programmed")).toBe("False Pending");
  expect((await plane.client.get(HTTPRoute, "web")).status?.parents).toEqual([]);
  await plane.client.create(ProxyClass, { metadata: { name: "nginx" }, spec: {} });
  await settle();
  const served = await plane.client.get(Gateway, "web");
  expect(conditionOf(served.status?.conditions, "Programmed")).toBe("True Programmed");
});

test("a plan shows the files that a route would change, and changes none", async () => {
  await createGateway("web", 8080);
  await settle();
  const before = proxy.snapshot();
  const plan = await plane.controllers.get(HTTPRoute).plan({
    apiVersion: HTTPRoute.apiVersion,
    kind: HTTPRoute.kind,
    metadata: { name: "new", namespace: "default" },
    spec: { parentRefs: [{ name: "web" }], rules: [{ matches: [{ path: { value: "/new" } }] }] },
  });
  expect(plan.steps[0]?.detail).toMatch(/nginx of class nginx would be reloaded:[^]*\+ .*"\/new\/"/);
  expect(proxy.snapshot()).toEqual(before);
});

test("a document becomes a gateway and routes, and is ready when nginx serves it", async () => {
  await plane.client.create(ProxyConfig, {
    metadata: { name: "shop" },
    spec: { hostnames: ["shop.example.com"], routes: [{ path: "/api", backends: [{ id: "web" }] }] },
  });
  for (let turn = 0; turn < 3; turn++) await settle();
  const config = await plane.client.get(ProxyConfig, "shop");
  expect(conditionOf(config.status?.conditions, "Ready")).toBe("True Programmed");
  expect(served("ports/8080.conf")).toContain('server_name "shop.example.com"');
});

test("a certificate that cannot be used any more does not replace the one that is served", async () => {
  const good = await issueCertificate(certificateContent("a.example"), undefined);
  const other = await issueCertificate(certificateContent("a.example"), undefined);
  const data = (certificate: string, key: string) => ({
    "tls.crt": Buffer.from(certificate).toString("base64"),
    "tls.key": Buffer.from(key).toString("base64"),
  });
  await plane.client.create(Secret, {
    metadata: { name: "a" },
    type: "kubernetes.io/tls",
    data: data(good.certificate, good.key),
  });
  await plane.client.create(Gateway, {
    metadata: { name: "a" },
    spec: {
      gatewayClassName: "nginx",
      listeners: [
        { name: "https", protocol: "HTTPS", port: 8443, tls: { certificateRefs: [{ name: "a" }] } },
      ],
    },
  });
  await settle();
  const served443 = served("certificates/default_a.crt");
  expect(served443).toContain("BEGIN CERTIFICATE");

  const conditionsOf = async () => (await plane.client.get(Gateway, "a")).status?.listeners?.[0]?.conditions;
  await plane.client.patch(Secret, "a", { data: data(good.certificate, other.key) });
  await settle();
  expect(served("certificates/default_a.crt")).toBe(served443);
  expect(conditionOf(await conditionsOf(), "ResolvedRefs")).toBe("False InvalidCertificateRef");
  expect(JSON.stringify(await conditionsOf())).toMatch(/the certificate from before is served/);

  // One that Node accepts and nginx does not.
  proxy.refuse = (path, content) =>
    path === "certificates/default_a.crt" && content !== served443
      ? { message: 'SSL_CTX_use_certificate("certificates/default_a.crt") failed (ee key too small)' }
      : undefined;
  await plane.client.patch(Secret, "a", { data: data(other.certificate, other.key) });
  await settle();
  expect(served("certificates/default_a.crt")).toBe(served443);
  expect(JSON.stringify(await conditionsOf())).toMatch(/nginx refuses Secret default\/a/);

  proxy.refuse = () => undefined;
  const third = await issueCertificate(certificateContent("a.example"), undefined);
  await plane.client.patch(Secret, "a", { data: data(third.certificate, third.key) });
  await settle();
  expect(served("certificates/default_a.crt")).not.toBe(served443);
  expect(conditionOf(await conditionsOf(), "ResolvedRefs")).toBe("True ResolvedRefs");
});

function certificateContent(name: string): CertificateContent {
  const now = plane.clock.now();
  return {
    commonName: name,
    dnsNames: [name],
    ipAddresses: [],
    isCA: false,
    notBefore: now - 60_000,
    notAfter: now + 3600_000_000,
  };
}

test("a document whose objects are there is not written again", async () => {
  await plane.client.create(ProxyConfig, {
    metadata: { name: "shop" },
    spec: {
      hostnames: ["shop.example.com"],
      routes: [{ path: "/api", backends: [{ id: "web" }], rateLimit: { requests: 5 } }],
    },
  });
  for (let turn = 0; turn < 3; turn++) await settle();
  plane.controllers.enqueue(ProxyConfig, "shop", { reason: "again" });
  await settle();
  const runs = await plane.controllers.runs.find({ kind: ProxyConfig, key: "default/shop" });
  const again = runs.find(({ triggers }) => triggers.some(({ text }) => text === "again"));
  expect(again?.writes).toEqual([]);
});
