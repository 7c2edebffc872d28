import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.js";
import type { Client } from "../../src/client/client.js";
import { byLabel } from "../../src/client/source/index-functions.js";
import { createInformers } from "../../src/client/informer/create-informers.js";
import type { Informer, Informers } from "../../src/client/informer/informers.js";
import { readYourWrites } from "../../src/client/informer/read-your-writes.js";
import { ConfigMap, Pod } from "../../src/client/kinds/kubernetes.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { retryOnConflict } from "../../src/client/retry.js";
import type { Transport } from "../../src/client/transport/transport.js";
import {
  isAlreadyExists,
  isNotFound,
  systemClock,
  type Clock,
  type KubeObject,
} from "../../src/model/core.js";
import { inProcess } from "../../src/plane/in-process.js";
import { startApi, startServer, type Server } from "../../src/server/index.js";
import { MemoryStore } from "../../src/store/index.js";
import { freePorts } from "../components/process/port.js";
import { startHome, ways, type Home } from "./home.js";

/** Clock with short waits, so that tests do not wait for backoff. */
const hurried: Clock = {
  now: () => systemClock.now(),
  after: (milliseconds, callback) => systemClock.after(milliseconds / 20, callback),
};

interface Reader extends AsyncDisposable {
  readonly client: Client;
  readonly informers: Informers;
}

/** Client that puts its writes into the caches of its informers. */
function readerOf(transport: Transport, namespace: string): Reader {
  const resolve = (kind: Parameters<Client["kind"]>[0]): ReturnType<Client["kind"]> => client.kind(kind);
  const informers = createInformers({ transport, resolve, clock: hurried, onError: () => {} });
  const client = createClient({ transport: readYourWrites(transport, informers), namespace });
  return { client, informers, [Symbol.asyncDispose]: () => informers.close() };
}

/** Waits until a condition holds, checking it after each change. */
function until(informer: Informer, isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (isTrue()) resolve();
    };
    informer.subscribe(check);
    check();
  });
}

function names(objects: Iterable<KubeObject>): string[] {
  return Array.from(objects, ({ metadata }) => metadata.name ?? "").sort();
}

describe.each(ways)("%s", (way) => {
  let home: Home;
  beforeAll(async () => void (home = await startHome()));
  afterAll(() => home[Symbol.asyncDispose]());

  test.each([true, false])("lists all objects, as a stream: %s, and follows changes", async (watchLists) => {
    const client = await home.client(way);
    const { namespace, transport } = client;
    const fast = createClient({ transport: home.transport("in process"), namespace });
    const many = Array.from({ length: 600 }, (_, number) => `c-${number}`);
    await Promise.all(many.map((name) => fast.create(ConfigMap, { metadata: { name } })));
    await using informers = createInformers({ transport, resolve: (kind) => client.kind(kind), watchLists });
    using informer = await informers.open(ConfigMap, { namespace });
    await informer.ready();
    const { items } = await client.list(ConfigMap, { namespace });
    expect(informer.size).toBe(items.length);
    expect(names(informer.list(namespace))).toEqual(names(items));
    const received: string[] = [];
    informer.subscribe(({ type, object, initial }) => {
      if (!initial) received.push(`${type} ${object.metadata.name}`);
    });
    await client.create(ConfigMap, { metadata: { name: "new" } });
    await client.patch(ConfigMap, "new", { data: { a: "1" } });
    await client.delete(ConfigMap, "new");
    await until(informer, () => received.length >= 3);
    expect(received).toEqual(["CREATED new", "UPDATED new", "DELETED new"]);
    expect(informers.states()).toMatchObject([{ synced: true, phase: "watching", errors: 0, lists: 1 }]);
  });

  test("own writes are visible at once in the cache and its indexes", async () => {
    const { namespace } = await home.client(way);
    await using reader = readerOf(home.transport(way), namespace);
    const { client, informers } = reader;
    using informer = await informers.open(ConfigMap, { namespace });
    informer.addIndex("color", byLabel("color"));
    await informer.ready();
    for (let round = 0; round < 50; round++) {
      const name = `c-${round}`;
      const made = await client.create(ConfigMap, { metadata: { name, labels: { color: "red" } } });
      expect(informer.get(`${namespace}/${name}`)).toEqual(made);
      expect(names(informer.byIndex("color", "red"))).toEqual([name]);
      await client.patch(ConfigMap, name, { metadata: { labels: { color: "blue" } } });
      expect(names(informer.byIndex("color", "blue"))).toEqual([name]);
      expect(informer.byIndex("color", "red")).toEqual([]);
      await client.delete(ConfigMap, name);
      expect(informer.get(`${namespace}/${name}`)).toBeUndefined();
      expect(informer.byIndex("color", "blue")).toEqual([]);
    }
  });

  test("also with a field selector", async () => {
    const { namespace } = await home.client(way);
    await using reader = readerOf(home.transport(way), namespace);
    const { client, informers } = reader;
    using here = await informers.open(Pod, { namespace, fieldSelector: "spec.nodeName=here" });
    using nowhere = await informers.open(Pod, { namespace, fieldSelector: "spec.nodeName=" });
    await Promise.all([here.ready(), nowhere.ready()]);
    const containers = [{ name: "main", image: "example" }];
    for (let round = 0; round < 20; round++) {
      await client.create(Pod, { metadata: { name: "bound" }, spec: { nodeName: "here", containers } });
      await client.create(Pod, { metadata: { name: "free" }, spec: { containers } });
      expect([names(here.list()), names(nowhere.list())]).toEqual([["bound"], ["free"]]);
      for (const name of ["bound", "free"]) await client.delete(Pod, name, { gracePeriodSeconds: 0 });
      expect([names(here.list()), names(nowhere.list())]).toEqual([[], []]);
    }
  });

  test("also after deleteAll, including objects that wait for finalizers", async () => {
    const { namespace } = await home.client(way);
    await using reader = readerOf(home.transport(way), namespace);
    const { client, informers } = reader;
    using informer = await informers.open(ConfigMap, { namespace });
    await informer.ready();
    const labels = { color: "red" };
    for (let round = 0; round < 10; round++) {
      const held = `held-${round}`;
      const finalizers = ["demo.dev/hold"];
      await client.create(ConfigMap, { metadata: { name: `red-${round}`, labels } });
      await client.create(ConfigMap, { metadata: { name: held, labels, finalizers } });
      await client.create(ConfigMap, { metadata: { name: `blue-${round}` } });
      await client.deleteAll(ConfigMap, { labelSelector: "color=red" });
      expect(names(informer.list(namespace))).toEqual([`blue-${round}`, held]);
      expect(informer.get(`${namespace}/${held}`)?.metadata.deletionTimestamp).toBeDefined();
      await client.patch(ConfigMap, held, { metadata: { finalizers: null } });
      await client.deleteAll(ConfigMap);
      expect(names(informer.list(namespace))).toEqual([]);
    }
  });

  test("caches metadata only", async () => {
    const client = await home.client(way);
    const { namespace, transport } = client;
    await client.create(ConfigMap, { metadata: { name: "a" }, data: { secret: "yes" } });
    await using informers = createInformers({ transport, resolve: (kind) => client.kind(kind) });
    const informer: Informer = await informers.open(ConfigMap, { namespace, metadataOnly: true });
    const received: string[] = [];
    informer.subscribe(({ type, object }) => received.push(`${type} ${object.metadata.name}`));
    await informer.ready();
    expect(informer.get(`${namespace}/a`)).not.toHaveProperty("data");
    await client.patch(ConfigMap, "a", { data: { secret: "no" } });
    await until(informer, () => received.includes("UPDATED a"));
    expect(informer.get(`${namespace}/a`)).not.toHaveProperty("data");
  });
});

test("follows a kind whose definition is deleted and created again", async () => {
  await using home = await startHome();
  const { namespace } = await home.client("in process");
  await using reader = readerOf(home.transport("in process"), namespace);
  const { client, informers } = reader;
  const gadget = {
    apiVersion: "demo.dev/v1",
    kind: "Gadget",
    plural: "gadgets",
    scope: "Namespaced",
  } as const;
  await define(client);
  const informer: Informer = await informers.open(gadget);
  const received: string[] = [];
  informer.subscribe(({ type, object }) => received.push(`${type} ${object.metadata.name}`));
  await client.create(gadget, { metadata: { name: "a" } });
  await until(informer, () => received.length === 1);
  await client.delete("apiextensions.k8s.io/v1/CustomResourceDefinition", "gadgets.demo.dev");
  await until(informer, () => informer.size === 0);
  await define(client);
  await client.create(gadget, { metadata: { name: "b" } });
  await until(informer, () => received.includes("CREATED b"));
  expect(received).toEqual(["CREATED a", "DELETED a", "CREATED b"]);
});

/** Defines gadgets, as soon as the previous definition is gone. */
async function define(client: Client): Promise<void> {
  const served = { name: "v1", served: true, storage: true };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await retryOnConflict(
    () =>
      client.create("apiextensions.k8s.io/v1/CustomResourceDefinition", {
        metadata: { name: "gadgets.demo.dev" },
        spec: {
          group: "demo.dev",
          names: { kind: "Gadget", plural: "gadgets" },
          scope: "Namespaced",
          versions: [{ ...served, schema }],
        },
      }),
    { retry: isAlreadyExists, attempts: 100 },
  );
  // The kind is served shortly after its definition is created.
  await retryOnConflict(() => client.transport.discover("demo.dev/v1"), { retry: isNotFound, attempts: 100 });
}

test("after a restart of a server with compacted history, reports exactly the changes made meanwhile", async () => {
  const data = mkdtempSync(join(tmpdir(), "fettle-informer-"));
  const store = new MemoryStore();
  const { port } = await freePorts(["port"]);
  let server: Server = await startServer({ store, data, port, tls: false });
  const { url, token } = server;
  const headers = async (): Promise<Record<string, string>> => ({ authorization: `Bearer ${token}` });
  const transport = httpTransport({
    connection: { server: url, namespace: "default", headers },
    rate: false,
  });
  const reader = readerOf(transport, "default");
  try {
    const { client, informers } = reader;
    for (const name of ["same", "changed", "gone", "reborn"])
      await client.create(ConfigMap, { metadata: { name } });
    const informer: Informer = await informers.open(ConfigMap, { namespace: "default" });
    const received: string[] = [];
    await informer.ready();
    informer.subscribe(({ type, object, initial }) => {
      if (!initial) received.push(`${type} ${object.metadata.name}`);
    });

    await server.close();
    {
      await using api = await startApi({ store });
      const meanwhile = createClient({ transport: inProcess(api) });
      await meanwhile.patch(ConfigMap, "changed", { data: { a: "1" } });
      await meanwhile.delete(ConfigMap, "gone");
      await meanwhile.delete(ConfigMap, "reborn");
      await meanwhile.create(ConfigMap, { metadata: { name: "reborn" } });
      await meanwhile.create(ConfigMap, { metadata: { name: "new" } });
      await api.idle();
    }
    await store.compact((await store.status()).revision);
    server = await startServer({ store, data, port, tls: false });

    await until(informer, () => received.length >= 5);
    await client.create(ConfigMap, { metadata: { name: "last" } });
    await until(informer, () => received.includes("CREATED last"));
    expect(received.slice(0, -1).sort()).toEqual([
      "CREATED new",
      "CREATED reborn",
      "DELETED gone",
      "DELETED reborn",
      "UPDATED changed",
    ]);
    expect(informers.states()).toMatchObject([{ lists: 2, synced: true }]);
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    expect([...informer.list()].map(versionOf).sort()).toEqual(items.map(versionOf).sort());
  } finally {
    await reader[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
    await server.close();
    await store.close();
    rmSync(data, { recursive: true, force: true });
  }
});

function versionOf({ metadata }: KubeObject): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}
