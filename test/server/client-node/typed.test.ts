import {
  ApisApi,
  CoordinationV1Api,
  EventsV1Api,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
  Watch,
  type KubernetesObject,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { Happenings } from "../happenings.js";
import { clientsFor, failureOf } from "./clients.js";

const namespace = "typed";
const clients = clientsFor(namespace);

test("version and groups", async () => {
  expect((await clients.config.makeApiClient(VersionApi).getCode()).gitVersion).toMatch(/^v1\.\d+\.\d+/);
  const { groups } = await clients.config.makeApiClient(ApisApi).getAPIVersions();
  expect(groups.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["apiextensions.k8s.io", "coordination.k8s.io", "demo.dev", "events.k8s.io"]),
  );
});

test("namespaces", async () => {
  const made = await clients.core.createNamespace({ body: { metadata: { generateName: "made-" } } });
  const name = made.metadata?.name ?? "";
  expect(name).toMatch(/^made-[a-z0-9]{5}$/);
  expect(made.status?.phase).toBe("Active");
  expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
  const { items } = await clients.core.listNamespace({ fieldSelector: `metadata.name=${name}` });
  expect(items.map(({ metadata }) => metadata?.uid)).toEqual([made.metadata?.uid]);
  await clients.core.deleteNamespace({ name });
});

test("configmaps: create, read, replace, conflict, list, delete", async () => {
  const body: V1ConfigMap = {
    metadata: { name: "settings", labels: { app: "demo" } },
    data: { color: "red" },
    binaryData: { raw: Buffer.from([0, 255]).toString("base64") },
  };
  const made = await clients.core.createNamespacedConfigMap({ namespace, body });
  expect(made).toMatchObject({ kind: "ConfigMap", data: { color: "red" }, binaryData: { raw: "AP8=" } });
  expect(made.metadata?.managedFields?.[0]?.operation).toBe("Update");
  const again = await failureOf(clients.core.createNamespacedConfigMap({ namespace, body }));
  expect(again).toMatchObject({
    code: 409,
    status: { reason: "AlreadyExists", message: 'configmaps "settings" already exists' },
  });

  made.data = { color: "blue" };
  const replaced = await clients.core.replaceNamespacedConfigMap({ name: "settings", namespace, body: made });
  expect(replaced.metadata?.resourceVersion).not.toBe(made.metadata?.resourceVersion);
  made.data = { color: "green" };
  const staleUpdate = clients.core.replaceNamespacedConfigMap({ name: "settings", namespace, body: made });
  expect(await failureOf(staleUpdate)).toMatchObject({ code: 409, status: { reason: "Conflict" } });

  const { items } = await clients.core.listNamespacedConfigMap({ namespace, labelSelector: "app in (demo)" });
  expect(items.map(({ data }) => data)).toEqual([{ color: "blue" }]);
  const status = await clients.core.deleteNamespacedConfigMap({ name: "settings", namespace });
  expect(status).toMatchObject({ status: "Success", details: { name: "settings", kind: "configmaps" } });
  const gone = await failureOf(clients.core.readNamespacedConfigMap({ name: "settings", namespace }));
  expect(gone).toMatchObject({
    code: 404,
    status: { reason: "NotFound", message: 'configmaps "settings" not found' },
  });
});

test("pages through a long list", async () => {
  const names = Array.from({ length: 7 }, (_, index) => `page-${index}`);
  for (const name of names) {
    const body = { metadata: { name, labels: { pages: "yes" } } };
    await clients.core.createNamespacedConfigMap({ namespace, body });
  }
  const found: (string | undefined)[] = [];
  let _continue: string | undefined;
  let pages = 0;
  do {
    const page = await clients.core.listNamespacedConfigMap({
      namespace,
      labelSelector: "pages",
      limit: 3,
      ...(_continue !== undefined && { _continue }),
    });
    found.push(...page.items.map(({ metadata }) => metadata?.name));
    _continue = page.metadata?._continue;
    pages++;
  } while (_continue);
  expect(found).toEqual(names);
  expect(pages).toBe(3);
  await clients.core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "pages" });
  const { items } = await clients.core.listNamespacedConfigMap({ namespace, labelSelector: "pages" });
  expect(items).toEqual([]);
});

test("secrets", async () => {
  const body = {
    metadata: { name: "login" },
    stringData: { user: "me" },
    data: { password: "aHVudGVyMg==" },
  };
  const secret = await clients.core.createNamespacedSecret({ namespace, body });
  expect(secret).toMatchObject({ type: "Opaque", data: { user: "bWU=", password: "aHVudGVyMg==" } });
  expect(secret.stringData).toBeUndefined();
  const patched = await clients.core.patchNamespacedSecret(
    { name: "login", namespace, body: { data: { user: null } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
  expect(patched.data).toEqual({ password: "aHVudGVyMg==" });
});

test("every namespace has a default service account", async () => {
  const informed = new Happenings<string>();
  const request = await new Watch(clients.config).watch(
    `/api/v1/namespaces/${namespace}/serviceaccounts`,
    {},
    (type, object: KubernetesObject) => informed.add(`${type} ${object.metadata?.name}`),
    (error) => error && informed.fail(error),
  );
  await informed.until((all) => all.includes("ADDED default"));
  request.abort();
  const body = { metadata: { name: "robot" }, automountServiceAccountToken: false };
  const robot = await clients.core.createNamespacedServiceAccount({ namespace, body });
  expect(robot.automountServiceAccountToken).toBe(false);
});

test("events are the same in both groups", async () => {
  const now = new Date(1_700_000_000_000);
  await clients.core.createNamespacedEvent({
    namespace,
    body: {
      metadata: { name: "rang" },
      involvedObject: { kind: "ConfigMap", namespace, name: "settings" },
      reason: "Rang",
      message: "it rang",
      type: "Normal",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 3,
    },
  });
  const events = clients.config.makeApiClient(EventsV1Api);
  const event = await events.readNamespacedEvent({ name: "rang", namespace });
  expect(event).toMatchObject({ note: "it rang", deprecatedCount: 3, regarding: { name: "settings" } });
  expect(event.deprecatedFirstTimestamp).toEqual(now);
  const fieldSelector = "involvedObject.name=settings,reason=Rang";
  const { items } = await clients.core.listNamespacedEvent({ namespace, fieldSelector });
  expect(items.map(({ message }) => message)).toEqual(["it rang"]);
});

test("leases keep microseconds", async () => {
  const leases = clients.config.makeApiClient(CoordinationV1Api);
  const renewTime = new V1MicroTime("2026-01-31T09:30:15.123Z");
  const spec = { holderIdentity: "me", leaseDurationSeconds: 15, renewTime };
  await leases.createNamespacedLease({ namespace, body: { metadata: { name: "leader" }, spec } });
  const lease = await leases.readNamespacedLease({ name: "leader", namespace });
  expect(lease.spec).toMatchObject({ holderIdentity: "me", leaseDurationSeconds: 15 });
  // The client writes such times, but reads them as strings.
  expect(lease.spec?.renewTime).toBe("2026-01-31T09:30:15.123000Z");
  // Of two concurrent updates of the lease, one gets a conflict.
  const claims = ["a", "b"].map((holderIdentity) =>
    leases.replaceNamespacedLease({
      name: "leader",
      namespace,
      body: { metadata: lease.metadata ?? {}, spec: { holderIdentity } },
    }),
  );
  const outcomes = await Promise.allSettled(claims);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});
