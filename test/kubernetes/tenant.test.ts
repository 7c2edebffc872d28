import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Tenant } from "../../examples/tenant/tenant.js";
import { tenants } from "../../examples/tenant/tenants.js";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import {
  CustomResourceDefinition,
  Deployment,
  Event,
  Namespace,
  NetworkPolicy,
  Secret,
  Service,
  StatefulSet,
} from "../../src/client/kinds/kubernetes.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { isForbidden } from "../../src/model/index.js";
import { operator, type Operator } from "../../src/plane/operator.js";
import { describeWith, kubernetes } from "../components/index.js";
import { endNamespaces } from "../runtime/homes/namespaces.js";
import { eventually, until } from "../runtime/until.js";
import { manifestsOf, podOf, type Pod } from "./tenant-pod.js";

const module = fileURLToPath(new URL("../../examples/tenant/tenants.ts", import.meta.url));

/** Cluster that enforces permissions on owner references (OwnerReferencesPermissionEnforcement). */
const strict = kubernetes.with({
  args: ["--enable-admission-plugins=OwnerReferencesPermissionEnforcement"],
});

describeWith("the tenant operator on Kubernetes", strict, (get) => {
  const stop = new AbortController();
  let admin: Client;
  let pod: Pod;
  let running: Operator;
  let ending: Promise<void>;

  beforeAll(async () => {
    const connection = await loadConnection({ kubeconfig: get().kubeconfig });
    admin = createClient({ transport: httpTransport({ connection }) });
    const options = { name: "tenants", image: "registry.example.com/tenants:1" };
    for (const manifest of await manifestsOf([module], options)) {
      await admin.apply(manifest, { fieldManager: "kubectl", fieldValidation: "Strict" });
    }
    ending = endNamespaces(admin, stop.signal);
    // With the service account and the permissions of the generated manifests.
    pod = await podOf(get(), "tenants", "tenants");
    running = await operator({ controllers: [tenants], connection: pod.connection });
    await running.controllers.ready();
  });
  afterAll(async () => {
    stop.abort();
    await ending;
    await running?.stop();
    await pod?.[Symbol.asyncDispose]();
    await admin?.[Symbol.asyncDispose]();
  });

  /** Marks pods as ready in place of Kubernetes' controllers, which do not run here. */
  const podsAreReady = async (namespace: string): Promise<void> => {
    const status = { replicas: 1, readyReplicas: 1 };
    await admin.patchStatus(StatefulSet, { name: "redis", namespace }, { status });
    await admin.patchStatus(Deployment, { name: "server", namespace }, { status });
  };
  const startTenant = async (name: string): Promise<string> => {
    await admin.create(Tenant, { metadata: { name }, spec: { displayName: name } });
    await until(admin, Tenant, name, (tenant) => tenant?.status?.serverStatus === "Starting");
    await podsAreReady(`tenant-${name}`);
    await until(admin, Tenant, name, (tenant) => tenant?.status?.phase === "Running");
    return `tenant-${name}`;
  };
  const namesOf = async (kind: typeof Service | typeof NetworkPolicy, namespace: string) =>
    (await admin.list(kind, { namespace })).items.map(({ metadata }) => metadata.name);

  test("creates the namespace of a tenant with its content, with the generated permissions", async () => {
    const namespace = await startTenant("acme");
    expect(running.lease).toBe("tenants/tenants.neurallog.io");
    const tenant = await admin.get(Tenant, "acme");
    expect(tenant.metadata.finalizers).toEqual(["tenant.neurallog.io/finalizer"]);
    expect(tenant.status).toMatchObject({
      namespace,
      redisStatus: "Running",
      serverStatus: "Running",
      conditions: [{ type: "Ready", status: "True", reason: "TenantReady" }],
    });
    const owner = { kind: "Tenant", name: "acme", uid: tenant.metadata.uid, controller: true };
    expect((await admin.get(Namespace, namespace)).metadata).toMatchObject({
      labels: { "neurallog.io/tenant": "acme" },
      ownerReferences: [owner],
    });
    const redis = await admin.get(StatefulSet, { name: "redis", namespace });
    expect(redis.metadata.ownerReferences).toMatchObject([owner]);
    expect(await namesOf(Service, namespace)).toEqual(["redis", "server"]);
    expect(await namesOf(NetworkPolicy, namespace)).toEqual(["allow-redis", "allow-server", "deny-all"]);
    await eventually(async () => {
      const events = (await admin.list(Event, { namespace: "default" })).items;
      return events.some(
        ({ reason, message, involvedObject }) =>
          involvedObject.name === "acme" &&
          reason === "Created" &&
          message === "Created namespace tenant-acme",
      );
    });
  });

  test("writes nothing when all is up to date, despite the server's defaults", async () => {
    await startTenant("quiet");
    await running.controllers.idle();
    running.controllers.enqueue(Tenant, "quiet", { reason: "look" });
    await running.controllers.idle();
    const runs = await running.controllers.runs.find({ kind: "Tenant", key: "quiet" });
    const look = runs.find(({ triggers }) => triggers.some(({ text }) => text === "look"));
    expect(look).toMatchObject({ outcome: { type: "requeue" }, writes: [] });
  });

  test("reverts manual changes and deletions", async () => {
    const namespace = await startTenant("steady");
    await admin.patch(Deployment, { name: "server", namespace }, { spec: { replicas: 7 } });
    await admin.delete(NetworkPolicy, { name: "deny-all", namespace });
    await eventually(async () => {
      const server = await admin.get(Deployment, { name: "server", namespace });
      const policies = await namesOf(NetworkPolicy, namespace);
      return server.spec?.replicas === 1 && policies.includes("deny-all");
    });
  });

  test("recreates a namespace that was deleted, retrying until that is possible", async () => {
    const namespace = await startTenant("phoenix");
    const { uid } = (await admin.get(Namespace, namespace)).metadata;
    await admin.delete(Namespace, namespace);
    await eventually(async () => {
      const now = await admin.find(Namespace, namespace);
      return now !== undefined && now.metadata.uid !== uid && now.metadata.deletionTimestamp === undefined;
    });
    await eventually(async () => (await namesOf(NetworkPolicy, namespace)).length === 3);
  });

  test("deletes all namespaces of a deleted tenant", async () => {
    await startTenant("gone");
    const labels = { "neurallog.io/tenant": "gone" };
    await admin.create(Namespace, { metadata: { name: "gone-extra", labels } });
    await running.controllers.idle();
    await admin.delete(Tenant, "gone");
    await until(admin, Tenant, "gone", (tenant) => tenant === undefined);
    for (const name of ["tenant-gone", "gone-extra"])
      expect(await admin.find(Namespace, name)).toBeUndefined();
    expect(await admin.find(Namespace, "tenants")).toBeDefined();
  });

  test("reports an invalid tenant", async () => {
    await admin.create(Tenant, { metadata: { name: "blank" }, spec: { displayName: " " } });
    const failed = await until(admin, Tenant, "blank", (tenant) => tenant?.status?.phase === "Failed");
    expect(failed?.status?.message).toContain("displayName is blank");
    expect(await admin.find(Namespace, "tenant-blank")).toBeUndefined();
  });

  test("was never denied a request, and has no permissions that it does not need", async () => {
    const refused = (await running.controllers.runs.find()).filter(
      ({ outcome }) => outcome.type === "error" && outcome.message.includes("cannot"),
    );
    expect(refused).toEqual([]);
    const { client } = running;
    await expect(client.list(Secret)).rejects.toSatisfy(isForbidden);
    await expect(
      client.create(Tenant, { metadata: { name: "x" }, spec: { displayName: "X" } }),
    ).rejects.toSatisfy(isForbidden);
    await expect(client.delete(Tenant, "acme")).rejects.toSatisfy(isForbidden);
    await expect(client.delete(CustomResourceDefinition, "tenants.neurallog.io")).rejects.toSatisfy(
      isForbidden,
    );
    await expect(client.list("coordination.k8s.io/v1/Lease", { namespace: "default" })).rejects.toSatisfy(
      isForbidden,
    );
  });
});
