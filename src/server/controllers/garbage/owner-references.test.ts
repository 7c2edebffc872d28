import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { blocking, definition, held, ownedBy, version, World } from "../fixtures/world.js";

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.idle();
  expect(world.errors).toEqual([]);
  await world[Symbol.asyncDispose]();
});

const configMaps = (): Promise<string[]> => world.names("configmaps", "default");

describe("resolution of owner references", () => {
  test("distinguishes a later object of the same name", async () => {
    const first = await world.create("configmaps", "root");
    await world.create("configmaps", "old", { owners: [ownedBy(first)] });
    await world.delete("configmaps", "root");
    const second = await world.create("configmaps", "root");
    await world.create("configmaps", "new", { owners: [ownedBy(second)] });
    await world.idle();
    expect(await configMaps()).toEqual(["new", "root"]);
  });

  test("treats an owner in another namespace as missing, and records an event", async () => {
    await world.create("namespaces", "other");
    const owner = await world.create("configmaps", "root", { namespace: "other" });
    await world.create("configmaps", "child", { owners: [ownedBy(owner)] });
    await world.idle();
    expect(await configMaps()).toEqual([]);
    expect(await world.get("configmaps", "root", "other")).toBeDefined();
    const { items } = await world.caller.list(world.type("events"), { namespace: "default" });
    expect(items.map(({ object }) => object)).toMatchObject([
      {
        involvedObject: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "child" },
        type: "Warning",
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [v1/ConfigMap, namespace: default, name: root, uid: ${owner.metadata.uid ?? ""}] does not exist in namespace "default"`,
        source: { component: "garbage-collector-controller" },
        count: 1,
      },
    ]);
  });

  test("does not wait for objects in another namespace", async () => {
    await world.create("namespaces", "other");
    const owner = await world.create("configmaps", "root", { namespace: "other" });
    await world.create("configmaps", "child", { owners: [blocking(owner)], ...held });
    await world.idle();
    await world.delete("configmaps", "root", "Foreground", "other");
    await world.idle();
    await world.letGo("configmaps", "child");
    expect(await world.names("configmaps")).toEqual([]);
  });

  test("keeps a cluster-scoped object with a namespaced owner, and records one event", async () => {
    await world.define(definition("planets", "Planet", { scope: "Cluster" }));
    const owner = await world.create("configmaps", "root");
    await world.create("planets", "earth", { owners: [blocking(owner)] });
    await world.idle();
    await world.patch("planets", "earth", { spec: { more: true } });
    await world.idle();
    const { items } = await world.caller.list(world.type("events"), { namespace: "default" });
    expect(items.map(({ object }) => object)).toMatchObject([
      {
        involvedObject: { apiVersion: "demo.dev/v1", kind: "Planet", name: "earth" },
        reason: "OwnerRefInvalidNamespace",
        message: `ownerRef [v1/ConfigMap, namespace: , name: root, uid: ${owner.metadata.uid ?? ""}] does not exist in namespace ""`,
      },
    ]);
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual([]);
    expect(await world.names("planets")).toEqual(["earth"]);
  });

  test("distinguishes owners of different kinds with the same uid", async () => {
    const owner = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [{ ...ownedBy(owner), kind: "Secret" }] });
    await world.idle();
    expect(await configMaps()).toEqual(["root"]);
  });

  test("keeps dependents of an unknown kind until it is served", async () => {
    const unknown = {
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      name: "w",
      uid: "4aa6f18e-0000-4000-8000-000000000000",
    };
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [unknown] });
    await world.create("configmaps", "both", { owners: [ownedBy(root), unknown] });
    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual(["both", "child"]);
    await world.define(definition("gadgets", "Gadget"));
    await world.idle();
    expect(await configMaps()).toEqual(["both", "child"]);
    await world.define(definition("widgets", "Widget"));
    await world.idle();
    expect(await configMaps()).toEqual([]);
  });

  test("keeps dependents whose owner reference names a version that is no longer served", async () => {
    await world.define(definition("widgets", "Widget", { versions: [version("v1"), version("v2")] }));
    const owner = await world.create("widgets", "w");
    await world.create("configmaps", "child", { owners: [{ ...ownedBy(owner), apiVersion: "demo.dev/v2" }] });
    await world.idle();
    const { resourceVersion } = await world.metadata("customresourcedefinitions", "widgets.demo.dev");
    await world.patch("customresourcedefinitions", "widgets.demo.dev", {
      metadata: { resourceVersion },
      spec: { versions: [version("v1"), version("v2", undefined, { served: false })] },
    });
    await world.deleted("widgets", "w", "Background");
    expect(await configMaps()).toEqual(["child"]);
  });
});

describe("custom resources", () => {
  test("own built-in objects and are owned by them", async () => {
    await world.define(definition("widgets", "Widget"));
    const root = await world.create("configmaps", "root");
    const widget = await world.create("widgets", "w", { owners: [blocking(root)] });
    await world.create("secrets", "s", { owners: [blocking(widget)] });
    await world.deleted("configmaps", "root", "Foreground");
    expect([
      ...(await configMaps()),
      ...(await world.names("widgets")),
      ...(await world.names("secrets")),
    ]).toEqual([]);
  });

  test("dependents are collected when the definition is deleted", async () => {
    await world.define(definition("widgets", "Widget"));
    for (let index = 0; index < 50; index++) {
      const widget = await world.create("widgets", `w-${index}`);
      await world.create("configmaps", `c-${index}`, { owners: [ownedBy(widget)] });
    }
    await world.delete("customresourcedefinitions", "widgets.demo.dev");
    await world.idle();
    expect(world.serves("widgets")).toBe(false);
    expect(await configMaps()).toEqual([]);
  });
});
