import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KindInfo } from "../../src/client/kinds/kind.js";
import type { Connection } from "../../src/client/transport/connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { ConnectionError, type Transport, type WatchEvent } from "../../src/client/transport/transport.js";
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isNotFound,
  isTooLargeResourceVersion,
  isUnauthorized,
  type KubeObject,
} from "../../src/model/core.js";
import { startTestServer, type TestServer } from "../server/test-server.js";
import { widgetDefinition } from "../server/widgets.js";

const kind = (apiVersion: string, name: string, plural: string, scope: KindInfo["scope"]): KindInfo => ({
  apiVersion,
  kind: name,
  plural,
  scope,
});
const configMaps = kind("v1", "ConfigMap", "configmaps", "Namespaced");
const namespaces = kind("v1", "Namespace", "namespaces", "Cluster");
const widgets = kind("demo.dev/v1", "Widget", "widgets", "Namespaced");
const definitions = kind(
  "apiextensions.k8s.io/v1",
  "CustomResourceDefinition",
  "customresourcedefinitions",
  "Cluster",
);

let server: TestServer;
let connection: Connection;
let transport: Transport;
let namespace: string;
let rounds = 0;

beforeAll(async () => {
  server = await startTestServer();
  connection = connectionOf(server.kubeconfig);
  transport = httpTransport({ connection, rate: false });
  await transport.create(definitions, {}, parse(widgetDefinition));
  // A kind is served a moment after its definition is created.
  for (;;) {
    const kinds = await transport.discover("demo.dev/v1").catch((error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    });
    if (kinds.length > 0) break;
  }
});

afterAll(async () => {
  await transport[Symbol.asyncDispose]();
  await server.close();
  expect(server.errors).toEqual([]);
});

beforeEach(async () => {
  namespace = `n${++rounds}`;
  await transport.create(namespaces, {}, { metadata: { name: namespace } });
});

/** Connection in the server's kubeconfig. */
function connectionOf(path: string): Connection {
  const { clusters, users } = parse(readFileSync(path, "utf8")) as {
    clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
    users: [{ user: { token: string } }];
  };
  const [{ cluster }] = clusters;
  const authorization = `Bearer ${users[0].user.token}`;
  return {
    server: cluster.server,
    namespace: "default",
    tls: { ca: Buffer.from(cluster["certificate-authority-data"], "base64") },
    headers: async () => ({ authorization }),
  };
}

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

type WithData = KubeObject & { readonly data?: Readonly<Record<string, string>> };

describe("reading and writing", () => {
  test("connects over TLS with the CA of the kubeconfig", () => {
    expect(connection.server).toMatch(/^https:/);
  });

  test("creates, reads, updates and deletes an object", async () => {
    const target = { namespace, name: "a" };
    const created = await transport.create(configMaps, { namespace }, configMap("a", { x: "1" }));
    expect(created).toMatchObject({ kind: "ConfigMap", metadata: { name: "a", namespace } });
    expect(Object.isFrozen(created.metadata)).toBe(true);
    await expect(transport.get(configMaps, target)).resolves.toEqual(created);

    const updated = await transport.update(configMaps, target, { ...created, data: { x: "2 ä€😀" } });
    expect((updated as WithData).data).toEqual({ x: "2 ä€😀" });
    await expect(transport.update(configMaps, target, { ...created, data: {} })).rejects.toSatisfy(
      isConflict,
    );
    await expect(transport.create(configMaps, { namespace }, configMap("a"))).rejects.toSatisfy(
      isAlreadyExists,
    );

    await expect(transport.delete(configMaps, target)).resolves.toBeUndefined();
    await expect(transport.get(configMaps, target)).rejects.toSatisfy(isNotFound);
    await expect(transport.delete(configMaps, target)).rejects.toSatisfy(isNotFound);
  });

  test("sends every type of patch", async () => {
    const target = { namespace, name: "a" };
    await transport.create(configMaps, { namespace }, configMap("a", { x: "1" }));
    const data = async (
      ...patch: Parameters<Transport["patch"]> extends [KindInfo, unknown, ...infer Rest] ? Rest : never
    ) => ((await transport.patch(configMaps, target, ...patch)) as WithData).data;
    const body = [{ op: "add", path: "/data/y", value: "2" }];
    await expect(data({ type: "json", body })).resolves.toEqual({ x: "1", y: "2" });
    await expect(data({ type: "merge", body: { data: { y: null } } })).resolves.toEqual({ x: "1" });
    await expect(data({ type: "strategic", body: { data: { z: "3" } } })).resolves.toEqual({
      x: "1",
      z: "3",
    });
    const apply = { type: "apply", body: configMap("a", { x: "9" }) } as const;
    await expect(data(apply, { fieldManager: "me" })).rejects.toSatisfy(isConflict);
    await expect(
      data({ ...apply, force: true }, { fieldManager: "me", dryRun: true }),
    ).resolves.toMatchObject({
      x: "9",
    });
    await expect(data({ ...apply, force: true }, { fieldManager: "me" })).resolves.toMatchObject({ x: "9" });
  });

  test("supports subresources of a custom kind, warnings and strict validation", async () => {
    const widget = {
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { color: "red" },
    };
    const warnings: string[] = [];
    const odd = { ...widget, spec: { ...widget.spec, "odd, one": 1 }, other: 2 };
    await transport.create(widgets, { namespace }, odd, {
      fieldValidation: "Warn",
      onWarning: (text) => warnings.push(text),
    });
    expect(warnings.sort()).toEqual(['unknown field "other"', 'unknown field "spec.odd, one"']);
    await expect(
      transport.create(
        widgets,
        { namespace },
        { ...odd, metadata: { name: "x" } },
        { fieldValidation: "Strict" },
      ),
    ).rejects.toSatisfy(isBadRequest);
    const target = { namespace, name: "w" };
    const status = { status: { replicas: 3 } };
    await transport.patch(widgets, target, { type: "merge", body: status }, { subresource: "status" });
    await expect(transport.get(widgets, target)).resolves.toMatchObject(status);
    await transport.patch(
      widgets,
      target,
      { type: "merge", body: { spec: { replicas: 5 } } },
      { subresource: "scale" },
    );
    await expect(transport.get(widgets, target, { subresource: "scale" })).resolves.toMatchObject({
      kind: "Scale",
      spec: { replicas: 5 },
      status: { replicas: 3 },
    });
  });

  test("lists in pages, by labels, and metadata only", async () => {
    for (const name of ["a", "b", "c"]) {
      const labels = { even: String(name === "b") };
      await transport.create(configMaps, { namespace }, { ...configMap(name), metadata: { name, labels } });
    }
    const first = await transport.list(configMaps, { namespace }, { limit: 2 });
    expect(first).toMatchObject({
      remainingItemCount: 1,
      items: [{ kind: "ConfigMap" }, { apiVersion: "v1" }],
    });
    const second = await transport.list(configMaps, { namespace }, { limit: 2, continue: first.continue });
    expect(second.continue).toBeUndefined();
    expect([...first.items, ...second.items].map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
    const even = await transport.list(
      configMaps,
      { namespace },
      { labelSelector: "even=true", metadataOnly: true },
    );
    expect(even.items).toMatchObject([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } }]);
    expect(Object.keys(even.items[0] ?? {}).sort()).toEqual(["apiVersion", "kind", "metadata"]);
    await transport.deleteCollection(configMaps, { namespace }, { labelSelector: "even!=true" });
    const rest = await transport.list(configMaps, { namespace });
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("delete returns an object with finalizers, and checks preconditions", async () => {
    const target = { namespace, name: "a" };
    const draft = { ...configMap("a"), metadata: { name: "a", finalizers: ["demo.dev/keep"] } };
    const { metadata } = await transport.create(configMaps, { namespace }, draft);
    await expect(transport.delete(configMaps, target, { preconditions: { uid: "other" } })).rejects.toSatisfy(
      isConflict,
    );
    const kept = await transport.delete(configMaps, target, { preconditions: { uid: metadata.uid } });
    expect(kept?.metadata.deletionTimestamp).toEqual(expect.any(String));
  });

  test("discovery returns kinds without subresources", async () => {
    await expect(transport.discover("demo.dev/v1")).resolves.toEqual([widgets]);
    await expect(transport.discover("v1")).resolves.toEqual(expect.arrayContaining([configMaps, namespaces]));
    await expect(transport.discover("nobody.dev/v1")).rejects.toSatisfy(isNotFound);
  });

  test("a resourceVersion in the future fails at once, without retries", async () => {
    const far = { resourceVersion: "999999999", resourceVersionMatch: "NotOlderThan" } as const;
    await expect(transport.list(configMaps, { namespace }, far)).rejects.toSatisfy(isTooLargeResourceVersion);
  });
});

describe("watching", () => {
  const summaries = (events: readonly WatchEvent[]) =>
    events.map(({ type, object }) => [type, object.metadata.name]);

  test("events arrive in order, until the reader stops", async () => {
    const { resourceVersion } = await transport.list(configMaps, { namespace });
    const all: unknown[] = [];
    const options = { resourceVersion, allowWatchBookmarks: true };
    const iterator = transport.watch(configMaps, { namespace }, options)[Symbol.asyncIterator]();
    const next = iterator.next();
    const target = { namespace, name: "a" };
    await transport.create(configMaps, { namespace }, configMap("a"));
    await transport.patch(configMaps, target, { type: "merge", body: { data: { x: "1" } } });
    await transport.delete(configMaps, target);
    for (let result = await next; result.done !== true; result = await iterator.next()) {
      all.push(...summaries(result.value));
      if (all.length === 3) await iterator.return?.();
    }
    expect(all).toEqual([
      ["ADDED", "a"],
      ["MODIFIED", "a"],
      ["DELETED", "a"],
    ]);
  });

  test("initial events end with a bookmark; metadata has the kind PartialObjectMetadata", async () => {
    await transport.create(configMaps, { namespace }, configMap("a", { x: "1" }));
    const options = {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
      metadataOnly: true,
    } as const;
    const events: WatchEvent[] = [];
    for await (const batch of transport.watch(configMaps, { namespace }, options)) {
      events.push(...batch);
      if (batch.some(({ type }) => type === "BOOKMARK")) break;
    }
    expect(summaries(events)).toEqual([
      ["ADDED", "a"],
      ["BOOKMARK", undefined],
    ]);
    expect(events.map(({ object }) => object.kind)).toEqual(["ConfigMap", "ConfigMap"]);
    expect(Object.keys(events[0]?.object ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
    expect(events[1]?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });

  test("a watch ends after its timeout", async () => {
    const all: unknown[] = [];
    await transport.create(configMaps, { namespace }, configMap("a"));
    for await (const batch of transport.watch(configMaps, { namespace }, { timeoutSeconds: 1 })) {
      all.push(...summaries(batch));
    }
    expect(all).toEqual([["ADDED", "a"]]);
  });

  test("many watches do not block requests", async () => {
    const { resourceVersion } = await transport.list(configMaps, { namespace });
    const controller = new AbortController();
    const options = { resourceVersion, signal: controller.signal };
    const watches = Array.from({ length: 100 }, async () => {
      for await (const batch of transport.watch(configMaps, { namespace }, options)) return summaries(batch);
      return [];
    });
    await transport.create(configMaps, { namespace }, configMap("a"));
    await expect(Promise.all(watches)).resolves.toEqual(Array.from({ length: 100 }, () => [["ADDED", "a"]]));
    controller.abort();
  });
});

describe("rejected connections", () => {
  test("a certificate of an unknown authority is reported with a hint", async () => {
    await using stranger = httpTransport({ connection: { ...connection, tls: undefined } });
    const error = await stranger.list(configMaps, {}).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toMatch(/signed by an unknown authority .*certificate-authority/);
  });

  test("a certificate for another name is reported with a hint", async () => {
    const tls = { ...connection.tls, serverName: "other.example" };
    await using stranger = httpTransport({ connection: { ...connection, tls } });
    await expect(stranger.list(configMaps, {})).rejects.toThrow(
      /certificate is not valid for this host name .*tls-server-name/,
    );
  });

  test("insecure accepts any certificate", async () => {
    await using careless = httpTransport({ connection: { ...connection, tls: { insecure: true } } });
    await expect(careless.list(namespaces, {})).resolves.toMatchObject({
      resourceVersion: expect.any(String),
    });
  });

  test("an invalid token is rejected, unless it can be renewed", async () => {
    let token = "wrong";
    const renewed = httpTransport({
      connection: {
        ...connection,
        headers: async ({ renew } = {}) => {
          if (renew === true && token === "stale") token = server.token;
          return { authorization: `Bearer ${token}` };
        },
      },
    });
    await expect(renewed.list(configMaps, {})).rejects.toSatisfy(isUnauthorized);
    token = "stale";
    await expect(renewed.list(configMaps, {})).resolves.toMatchObject({ items: expect.any(Array) });
    await renewed[Symbol.asyncDispose]();
  });
});
