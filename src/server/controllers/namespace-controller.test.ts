import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Condition } from "../../model/core.js";
import { MemoryStore, type RangeOptions, type Store } from "../../store/index.js";
import { definition, held, ownedBy, World } from "./fixtures/world.js";

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.idle();
  expect(world.errors).toEqual([]);
  await world[Symbol.asyncDispose]();
});

describe("default namespaces", () => {
  const always = ["default", "kube-node-lease", "kube-public", "kube-system"];

  test("exist from the start, each with a service account", async () => {
    expect(await world.names("namespaces")).toEqual(always);
    await world.idle();
    for (const namespace of always)
      expect(await world.names("serviceaccounts", namespace)).toEqual(["default"]);
  });

  test.each(["default", "kube-system", "kube-public"])("%s cannot be deleted", async (name) => {
    await expect(world.delete("namespaces", name)).rejects.toThrow(
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    );
  });

  test("are recreated empty if deleted", async () => {
    const before = await world.metadata("namespaces", "kube-node-lease");
    await world.create("configmaps", "a", { namespace: "kube-node-lease" });
    await world.deleted("namespaces", "kube-node-lease");
    const after = await world.get("namespaces", "kube-node-lease");
    expect(after).toMatchObject({ status: { phase: "Active" } });
    expect(after?.metadata.uid).not.toBe(before.uid);
    expect(await world.names("configmaps", "kube-node-lease")).toEqual([]);
    expect(await world.names("serviceaccounts", "kube-node-lease")).toEqual(["default"]);
  });

  test("are not recreated by a second start", async () => {
    await world.idle();
    const { revision } = await world.store.status();
    await using again = await World.start({ store: world.store, clock: world.clock });
    await again.idle();
    expect((await world.store.status()).revision).toBe(revision);
  });
});

describe("the default service account", () => {
  test("is created in every new namespace, and recreated when deleted", async () => {
    await world.create("namespaces", "team");
    await world.idle();
    const first = await world.metadata("serviceaccounts", "default", "team");
    await world.delete("serviceaccounts", "default", undefined, "team");
    await world.idle();
    const second = await world.metadata("serviceaccounts", "default", "team");
    expect(second.uid).not.toBe(first.uid);
  });

  test("is the only service account that is recreated", async () => {
    await world.create("serviceaccounts", "robot");
    await world.delete("serviceaccounts", "robot");
    await world.idle();
    expect(await world.names("serviceaccounts", "default")).toEqual(["default"]);
  });
});

describe("deletion", () => {
  test("continues when the history it reads is compacted", async () => {
    const base = new MemoryStore({ clock: world.clock });
    const something = new TextEncoder().encode("{}");
    let compactions = 0;
    const store = new Proxy<Store>(base, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "range") return value.bind(target) as unknown;
        return async (options: RangeOptions) => {
          if (options.revision !== undefined && compactions < 3) {
            compactions++;
            await base.compact(
              (await base.commit([{ type: "put", key: "/elsewhere", value: something }])).revision,
            );
          }
          return base.range(options);
        };
      },
    });
    await using forgetful = await World.start({ store, clock: world.clock });
    await forgetful.create("namespaces", "team");
    await forgetful.create("configmaps", "a", { namespace: "team" });
    await forgetful.deleted("namespaces", "team");
    expect(await forgetful.names("configmaps", "team")).toEqual([]);
    expect(compactions).toBe(3);
    expect(forgetful.errors).toEqual([]);
    await base.close();
  });

  beforeEach(async () => {
    await world.define(definition("widgets", "Widget"));
    await world.create("namespaces", "team");
    await world.idle();
  });

  test("deletes the content of the namespace, of every kind, and nothing else", async () => {
    for (const namespace of ["team", "team-b", "default"]) {
      if (namespace === "team-b") await world.create("namespaces", namespace);
      for (const plural of ["configmaps", "secrets", "widgets", "leases"]) {
        await world.create(plural, "a", { namespace });
      }
    }
    await world.deleted("namespaces", "team");
    expect(await world.get("namespaces", "team")).toBeUndefined();
    for (const plural of ["configmaps", "secrets", "widgets", "leases", "serviceaccounts"]) {
      expect(await world.names(plural, "team")).toEqual([]);
      expect((await world.names(plural, "team-b")).length, plural).toBe(1);
      expect((await world.names(plural, "default")).length, plural).toBe(1);
    }
  });

  test("removes an empty namespace at once", async () => {
    await world.deleted("namespaces", "team");
    expect(await world.get("namespaces", "team")).toBeUndefined();
    expect(world.clock.timers).toBe(1); // the store's own
  });

  test("waits for objects with finalizers, and reports them in conditions", async () => {
    await world.create("widgets", "w", { namespace: "team", finalizers: ["demo.dev/a", "demo.dev/b"] });
    await world.create("configmaps", "a", { namespace: "team", ...held });
    await world.create("configmaps", "b", { namespace: "team", finalizers: ["demo.dev/a"] });
    await world.create("configmaps", "c", { namespace: "team" });
    await world.deleted("namespaces", "team");
    const namespace = await world.get("namespaces", "team");
    expect(namespace?.metadata.deletionTimestamp).toBeDefined();
    const { phase, conditions } = (namespace?.status ?? {}) as { phase: string; conditions: Condition[] };
    expect(phase).toBe("Terminating");
    expect(conditions.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      [
        "NamespaceDeletionDiscoveryFailure",
        "False",
        "ResourcesDiscovered",
        "All resources successfully discovered",
      ],
      [
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
      ],
      [
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
      ],
      [
        "NamespaceContentRemaining",
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: configmaps. has 2 resource instances, widgets.demo.dev has 1 resource instances",
      ],
      [
        "NamespaceFinalizersRemaining",
        "True",
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining: demo.dev/a in 2 resource instances, demo.dev/b in 1 resource instances, demo.dev/hold in 1 resource instances",
      ],
    ]);
    expect(await world.names("configmaps", "team")).toEqual(["a", "b"]);

    await world.letGo("configmaps", "a", "team");
    await world.letGo("configmaps", "b", "team");
    const later = (await world.get("namespaces", "team"))?.status as { conditions: Condition[] };
    expect(later.conditions[3]?.message).toBe(
      "Some resources are remaining: widgets.demo.dev has 1 resource instances",
    );
    await world.letGo("widgets", "w", "team");
    expect(await world.get("namespaces", "team")).toBeUndefined();
  });

  test("writes an unchanged condition only once", async () => {
    await world.create("configmaps", "a", { namespace: "team", ...held });
    await world.deleted("namespaces", "team");
    const { resourceVersion } = await world.metadata("namespaces", "team");
    await world.clock.advance(60_000);
    await world.idle();
    expect((await world.metadata("namespaces", "team")).resourceVersion).toBe(resourceVersion);
    await world.letGo("configmaps", "a", "team");
  });

  test("removes objects in foreground deletion without waiting for their dependents", async () => {
    const root = await world.create("configmaps", "root", { namespace: "team" });
    const owners = [ownedBy(root, { blockOwnerDeletion: true })];
    await world.create("configmaps", "child", { namespace: "team", owners, ...held });
    await world.delete("configmaps", "root", "Foreground", "team");
    await world.idle();
    await world.deleted("namespaces", "team");
    expect(await world.names("configmaps", "team")).toEqual(["child"]);
    await world.letGo("configmaps", "child", "team");
    expect(await world.get("namespaces", "team")).toBeUndefined();
  });

  test("refuses new objects meanwhile", async () => {
    await world.create("configmaps", "a", { namespace: "team", ...held });
    await world.deleted("namespaces", "team");
    await expect(world.create("widgets", "w", { namespace: "team" })).rejects.toMatchObject({
      status: {
        code: 403,
        reason: "Forbidden",
        message:
          'widgets.demo.dev "w" is forbidden: unable to create new content in namespace team because it is being terminated',
        details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
      },
    });
    await expect(world.create("namespaces", "team")).rejects.toThrow("already exists");
    await world.letGo("configmaps", "a", "team");
    await expect(world.create("widgets", "w", { namespace: "team" })).rejects.toThrow(
      'namespaces "team" not found',
    );
  });

  test("waits for metadata.finalizers of an empty namespace, and reports that it is empty", async () => {
    await world.create("namespaces", "kept", held);
    await world.create("configmaps", "a", { namespace: "kept" });
    await world.deleted("namespaces", "kept");
    const { spec, status } = (await world.get("namespaces", "kept")) ?? {};
    expect(spec).toEqual({ finalizers: [] });
    expect((status as { conditions: Condition[] }).conditions.map((each) => each.status)).toEqual(
      Array.from({ length: 5 }, () => "False"),
    );
    expect(await world.names("configmaps", "kept")).toEqual([]);
    await world.patch("namespaces", "kept", { metadata: { finalizers: null } });
    await world.idle();
    expect(await world.get("namespaces", "kept")).toBeUndefined();
  });

  test("waits for spec.finalizers", async () => {
    await world.create("namespaces", "kept", { rest: { spec: { finalizers: ["demo.dev/hold"] } } });
    await world.deleted("namespaces", "kept");
    const namespace = await world.get("namespaces", "kept");
    expect(namespace?.spec).toEqual({ finalizers: ["demo.dev/hold"] });
    const object = { ...namespace, spec: { finalizers: [] } } as never;
    const options = { subresource: "finalize" } as const;
    await world.caller.update(world.type("namespaces"), { name: "kept" }, { object }, options);
    await world.idle();
    expect(await world.get("namespaces", "kept")).toBeUndefined();
  });

  test("deletes the content even if the finalizer was removed by force", async () => {
    await world.create("configmaps", "a", { namespace: "team", ...held });
    await world.create("widgets", "w", { namespace: "team" });
    await world.deleted("namespaces", "team");
    const object = { ...(await world.get("namespaces", "team")), spec: { finalizers: [] } } as never;
    const options = { subresource: "finalize" } as const;
    await world.caller.update(world.type("namespaces"), { name: "team" }, { object }, options);
    await world.idle();
    expect(await world.get("namespaces", "team")).toBeUndefined();
    expect((await world.metadata("configmaps", "a", "team")).deletionTimestamp).toBeDefined();
    await world.letGo("configmaps", "a", "team");
    expect(await world.names("configmaps", "team")).toEqual([]);
  });

  test("leaves a new namespace of the same name alone", async () => {
    for (let round = 0; round < 5; round++) {
      await world.create("configmaps", "a", { namespace: "team" });
      await world.deleted("namespaces", "team");
      await world.create("namespaces", "team");
      await world.create("configmaps", "b", { namespace: "team" });
      await world.idle();
      expect(await world.names("configmaps", "team")).toEqual(["b"]);
      await world.delete("configmaps", "b", undefined, "team");
    }
  });

  test("deletes many objects", async () => {
    for (let index = 0; index < 1500; index++)
      await world.create("configmaps", `n-${index}`, { namespace: "team" });
    await world.deleted("namespaces", "team");
    expect(await world.names("configmaps")).toEqual([]);
    expect(await world.get("namespaces", "team")).toBeUndefined();
  });

  test("deletes several namespaces at once", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `ns-${index}`);
    for (const name of names) {
      await world.create("namespaces", name);
      await world.create("configmaps", "a", { namespace: name });
    }
    await Promise.all(names.map((name) => world.delete("namespaces", name)));
    await world.idle();
    expect((await world.names("namespaces")).length).toBe(5);
    expect(await world.names("configmaps")).toEqual([]);
  });
});

test("deletes objects of a missing namespace at startup", async () => {
  await world.create("namespaces", "team");
  await world.create("configmaps", "a", { namespace: "team" });
  await world.create("configmaps", "a");
  await world.idle();
  await world.api.close();
  await world.store.commit([{ type: "delete", key: "/core/namespaces/team" }]);
  world = await World.start({ store: world.store, clock: world.clock });
  await world.idle();
  expect(await world.names("configmaps", "team")).toEqual([]);
  expect(await world.names("serviceaccounts", "team")).toEqual([]);
  expect(await world.names("configmaps", "default")).toEqual(["a"]);
});
