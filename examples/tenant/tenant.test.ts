import { Deployment, Event, Namespace, NetworkPolicy, Service, StatefulSet } from "fettle/kubernetes";
import { VirtualClock } from "fettle/model";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestPlane, type TestPlane } from "../test-plane.js";
import { tenants } from "./tenants.js";
import { Tenant } from "./tenant.js";

let plane: TestPlane;

beforeEach(async () => {
  plane = await startTestPlane({
    kinds: [Tenant],
    controllers: [tenants],
    clock: new VirtualClock(),
  });
});
afterEach(() => plane[Symbol.asyncDispose]());

const redis = { name: "redis", namespace: "tenant-acme" };
const server = { name: "server", namespace: "tenant-acme" };

/** Plays the part of Kubernetes' own controllers, which are not here to start pods. */
const podsAreReady = async (kind: typeof StatefulSet | typeof Deployment, name: typeof redis, ready = 1) => {
  await plane.client.patchStatus(kind, name, { status: { replicas: 1, readyReplicas: ready } });
};

const createTenant = async () => {
  await plane.client.create(Tenant, { metadata: { name: "acme" }, spec: { displayName: "Acme" } });
  await plane.until(Tenant, "acme", (tenant) => tenant?.status?.serverStatus === "Starting");
};

const startTenant = async () => {
  await createTenant();
  await podsAreReady(StatefulSet, redis);
  await podsAreReady(Deployment, server);
  await plane.until(Tenant, "acme", (tenant) => tenant?.status?.phase === "Running");
};

test("a tenant gets a namespace with Redis, a server and network policies", async () => {
  await createTenant();
  const { client } = plane;
  const tenant = await client.get(Tenant, "acme");
  expect(tenant.metadata.finalizers).toEqual(["tenant.neurallog.io/finalizer"]);
  expect(tenant.status).toMatchObject({ namespace: "tenant-acme", phase: "Provisioning" });
  const namespace = await client.get(Namespace, "tenant-acme");
  expect(namespace.metadata).toMatchObject({
    labels: { "neurallog.io/tenant": "acme" },
    ownerReferences: [{ kind: "Tenant", name: "acme", controller: true }],
  });
  const inside = { namespace: "tenant-acme" };
  const names = async (kind: typeof Service | typeof NetworkPolicy) =>
    (await client.list(kind, inside)).items.map(({ metadata }) => metadata.name);
  expect(await names(Service)).toEqual(["redis", "server"]);
  expect(await names(NetworkPolicy)).toEqual(["allow-redis", "allow-server", "deny-all"]);
  await plane.untilAll(Event, (events) =>
    events.some(({ reason, message }) => reason === "Created" && message === "Created namespace tenant-acme"),
  );
});

test("its parts are made in the order they are named", async () => {
  await createTenant();
  const [first] = await plane.controllers.runs.find({ kind: "Tenant", key: "acme" });
  const applied = first?.writes.filter(({ verb }) => verb === "apply");
  expect(applied?.map(({ kind, name }) => `${kind.kind} ${name}`)).toEqual([
    "Namespace tenant-acme",
    "StatefulSet redis",
    "Service redis",
    "Deployment server",
    "Service server",
    "NetworkPolicy deny-all",
    "NetworkPolicy allow-server",
    "NetworkPolicy allow-redis",
  ]);
});

test("it runs when Redis and the server do, and says so when they no longer do", async () => {
  await createTenant();
  await podsAreReady(StatefulSet, redis);
  const half = await plane.until(Tenant, "acme", (tenant) => tenant?.status?.redisStatus === "Running");
  expect(half?.status).toMatchObject({
    phase: "Provisioning",
    serverStatus: "Starting",
    conditions: [{ type: "Ready", status: "False", message: "Redis is Running, the server is Starting" }],
  });
  await podsAreReady(Deployment, server);
  const running = await plane.until(Tenant, "acme", (tenant) => tenant?.status?.phase === "Running");
  expect(running?.status?.conditions).toMatchObject([
    { type: "Ready", status: "True", reason: "TenantReady", message: "Tenant is ready" },
  ]);
  await podsAreReady(StatefulSet, redis, 0);
  await plane.until(Tenant, "acme", (tenant) => tenant?.status?.phase === "Provisioning");
});

test("what is changed or deleted by hand is set back", async () => {
  await startTenant();
  const { client, until } = plane;
  await client.patch(Deployment, server, { spec: { replicas: 7 } });
  await until(Deployment, server, (deployment) => deployment?.spec?.replicas === 1);
  const denyAll = { name: "deny-all", namespace: "tenant-acme" };
  const { uid } = (await client.get(NetworkPolicy, denyAll)).metadata;
  await client.delete(NetworkPolicy, denyAll);
  const policy = await until(NetworkPolicy, denyAll, (found) => (found?.metadata.uid ?? uid) !== uid);
  expect(policy?.metadata.ownerReferences).toMatchObject([{ kind: "Tenant", name: "acme" }]);
});

test("it is looked at every five minutes", async () => {
  await startTenant();
  await plane.controllers.idle();
  const runs = () => plane.controllers.runs.find({ kind: "Tenant", key: "acme" });
  const before = (await runs()).length;
  await plane.pass("15m");
  const later = (await runs()).slice(before);
  expect(later.map(({ triggers }) => triggers[0]?.text)).toEqual(
    Array.from({ length: 3 }, () => "periodic reconciliation"),
  );
  expect(later.flatMap(({ writes }) => writes)).toEqual([]);
});

test("an invalid tenant fails, is not tried again, and recovers when it is mended", async () => {
  const { client, controllers, until, untilAll, pass } = plane;
  await client.create(Tenant, { metadata: { name: "acme" }, spec: { displayName: " " } });
  const failed = await until(Tenant, "acme", (tenant) => tenant?.status?.phase === "Failed");
  expect(failed?.status).toMatchObject({
    message: expect.stringContaining("displayName is blank"),
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "Ready", status: "False", reason: "InvalidTenant" }),
    ]),
  });
  await untilAll(Event, (events) =>
    events.some(({ type, reason }) => `${type} ${reason}` === "Warning Failed"),
  );
  await controllers.idle();
  const runs = (await controllers.runs.find({ kind: "Tenant", key: "acme" })).length;
  await pass("1h");
  expect(await controllers.runs.find({ kind: "Tenant", key: "acme" })).toHaveLength(runs);
  expect(await client.find(Namespace, "tenant-acme")).toBeUndefined();

  await client.patch(Tenant, "acme", { spec: { displayName: "Acme" } });
  const mended = await until(Tenant, "acme", (tenant) => tenant?.status?.phase === "Provisioning");
  expect(mended?.status?.message).toBeUndefined();
});

test("deleting it deletes its namespaces first, with all that is in them", async () => {
  await startTenant();
  const { client, until } = plane;
  await client.create(Namespace, {
    metadata: { name: "acme-extra", labels: { "neurallog.io/tenant": "acme" } },
  });
  await client.create(Namespace, { metadata: { name: "other" } });
  await plane.controllers.idle();
  await client.delete(Tenant, "acme");
  await until(Tenant, "acme", (tenant) => tenant === undefined);
  const left = (await client.list(Namespace)).items.map(({ metadata }) => metadata.name);
  expect(left).toContain("other");
  expect(left).not.toContain("tenant-acme");
  expect(left).not.toContain("acme-extra");
  expect((await client.list(StatefulSet)).items).toEqual([]);
});
