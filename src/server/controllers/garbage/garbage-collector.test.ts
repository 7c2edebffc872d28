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

describe("background", () => {
  test("deletes dependents transitively, and nothing else", async () => {
    const root = await world.create("configmaps", "root");
    const child = await world.create("configmaps", "child", { owners: [ownedBy(root)] });
    await world.create("secrets", "grandchild", { owners: [ownedBy(child)] });
    await world.create("configmaps", "stranger");
    await world.idle();
    expect(await configMaps()).toEqual(["child", "root", "stranger"]);

    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual(["stranger"]);
    expect(await world.names("secrets", "default")).toEqual([]);
  });

  test("deletes a long chain", async () => {
    let owner = await world.create("configmaps", "link-000");
    for (let index = 1; index < 200; index++) {
      const name = `link-${String(index).padStart(3, "0")}`;
      owner = await world.create("configmaps", name, { owners: [ownedBy(owner)] });
    }
    await world.deleted("configmaps", "link-000", "Background");
    expect(await configMaps()).toEqual([]);
  });

  test("deletes many dependents", async () => {
    const root = await world.create("configmaps", "root");
    for (let index = 0; index < 300; index++) {
      await world.create("configmaps", `leaf-${index}`, { owners: [blocking(root)] });
    }
    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual([]);
  });

  test("keeps dependents while the owner waits for a finalizer", async () => {
    const root = await world.create("configmaps", "root", held);
    await world.create("configmaps", "child", { owners: [ownedBy(root)] });
    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual(["child", "root"]);
    await world.letGo("configmaps", "root");
    expect(await configMaps()).toEqual([]);
  });

  test("waits for the finalizers of a dependent", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [ownedBy(root)], ...held });
    await world.deleted("configmaps", "root", "Background");
    expect((await world.metadata("configmaps", "child")).deletionTimestamp).toBeDefined();
    await world.letGo("configmaps", "child");
    expect(await configMaps()).toEqual([]);
  });

  test("respects the propagation policy of a dependent", async () => {
    const root = await world.create("configmaps", "root");
    const child = await world.create("configmaps", "child", {
      owners: [ownedBy(root)],
      finalizers: ["orphan"],
    });
    await world.create("configmaps", "grandchild", { owners: [ownedBy(child)] });
    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual(["grandchild"]);
    expect((await world.metadata("configmaps", "grandchild")).ownerReferences).toBeUndefined();
  });

  test("deletes objects that own each other", async () => {
    const a = await world.create("configmaps", "a");
    const b = await world.create("configmaps", "b", { owners: [ownedBy(a)] });
    await world.patch("configmaps", "a", { metadata: { ownerReferences: [ownedBy(b)] } });
    await world.idle();
    expect(await configMaps()).toEqual(["a", "b"]);
    await world.deleted("configmaps", "a", "Background");
    expect(await configMaps()).toEqual([]);
  });

  test("keeps an object that owns itself until it is deleted", async () => {
    const self = await world.create("configmaps", "self");
    await world.patch("configmaps", "self", { metadata: { ownerReferences: [blocking(self)] } });
    await world.idle();
    expect(await configMaps()).toEqual(["self"]);
    await world.deleted("configmaps", "self", "Foreground");
    expect(await configMaps()).toEqual([]);
  });

  test("deletes an object whose owner never existed", async () => {
    const ghost = {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "ghost",
      uid: "4aa6f18e-0000-4000-8000-000000000000",
    };
    await world.create("configmaps", "child", { owners: [ghost] });
    await world.idle();
    expect(await configMaps()).toEqual([]);
  });

  test("deletes an object whose owner was deleted before", async () => {
    const root = await world.create("configmaps", "root");
    const other = await world.create("configmaps", "other");
    await world.create("configmaps", "child", { owners: [ownedBy(root), ownedBy(other)] });
    await world.idle();
    await world.delete("configmaps", "root");
    await world.create("configmaps", "late", { owners: [ownedBy(root)] });
    await world.idle();
    await world.create("configmaps", "later", { owners: [ownedBy(root)] });
    await world.create("configmaps", "fine", { owners: [ownedBy(other)] });
    await world.idle();
    expect(await configMaps()).toEqual(["child", "fine", "other"]);
  });

  test("ignores events", async () => {
    const root = await world.create("configmaps", "root");
    const rest = { involvedObject: { kind: "ConfigMap", name: "root", namespace: "default" } };
    await world.create("events", "root.1", { owners: [ownedBy(root)], rest });
    await world.deleted("configmaps", "root", "Background");
    expect(await world.names("events", "default")).toEqual(["root.1"]);
  });
});

describe("several owners", () => {
  test("keeps a dependent with a remaining owner, and removes the other reference", async () => {
    const gone = await world.create("configmaps", "gone");
    const stays = await world.create("configmaps", "stays");
    await world.create("configmaps", "child", { owners: [ownedBy(gone), ownedBy(stays)] });
    await world.deleted("configmaps", "gone", "Background");
    expect((await world.metadata("configmaps", "child")).ownerReferences).toEqual([ownedBy(stays)]);
    await world.deleted("configmaps", "stays", "Background");
    expect(await configMaps()).toEqual([]);
  });

  test("a remaining owner unblocks the foreground deletion of another", async () => {
    const waits = await world.create("configmaps", "waits");
    const stays = await world.create("configmaps", "stays");
    await world.create("configmaps", "child", { owners: [blocking(waits), blocking(stays)] });
    await world.deleted("configmaps", "waits", "Foreground");
    expect(await configMaps()).toEqual(["child", "stays"]);
    expect((await world.metadata("configmaps", "child")).ownerReferences).toEqual([blocking(stays)]);
  });

  test("deletes a dependent when both owners are deleted", async () => {
    const a = await world.create("configmaps", "a");
    const b = await world.create("configmaps", "b");
    await world.create("configmaps", "child", { owners: [ownedBy(a), ownedBy(b)] });
    await Promise.all([world.delete("configmaps", "a"), world.delete("configmaps", "b")]);
    await world.idle();
    expect(await configMaps()).toEqual([]);
  });
});

describe("foreground", () => {
  test("deletes the owner last", async () => {
    const root = await world.create("configmaps", "root");
    const child = await world.create("configmaps", "child", { owners: [blocking(root)] });
    await world.create("configmaps", "grandchild", { owners: [blocking(child)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual(["child", "grandchild", "root"]);
    for (const name of await configMaps()) {
      expect((await world.metadata("configmaps", name)).deletionTimestamp).toBeDefined();
    }
    expect((await world.metadata("configmaps", "child")).finalizers).toEqual(["foregroundDeletion"]);

    const order: string[] = [];
    const signal = AbortSignal.timeout(20_000);
    const watched = (async () => {
      const { resourceVersion } = await world.caller.list(world.type("configmaps"), {});
      for await (const events of world.caller.watch(
        world.type("configmaps"),
        { namespace: "default" },
        { resourceVersion, signal },
      )) {
        for (const { type, object } of events)
          if (type === "DELETED") order.push(object.object.metadata.name ?? "");
        if (order.length === 3) return;
      }
    })();
    await world.letGo("configmaps", "grandchild");
    await watched;
    expect(order).toEqual(["grandchild", "child", "root"]);
  });

  test("deletes an owner without dependents", async () => {
    await world.create("configmaps", "root");
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual([]);
  });

  test("deletes dependents that do not block without waiting for them", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [ownedBy(root)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual(["child"]);
    expect((await world.metadata("configmaps", "child")).deletionTimestamp).toBeDefined();
    await world.letGo("configmaps", "child");
  });

  test("stops waiting for a dependent that no longer blocks", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [blocking(root)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual(["child", "root"]);
    await world.patch("configmaps", "child", { metadata: { ownerReferences: [ownedBy(root)] } });
    await world.idle();
    expect(await configMaps()).toEqual(["child"]);
    await world.letGo("configmaps", "child");
  });

  test("keeps a dependent whose owner reference was removed", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [blocking(root)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    await world.patch("configmaps", "child", { metadata: { ownerReferences: null } });
    await world.idle();
    expect(await configMaps()).toEqual(["child"]);
    await world.letGo("configmaps", "child");
  });

  test("deletes dependents created while the owner waits", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "first", { owners: [blocking(root)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    await world.create("configmaps", "late", { owners: [blocking(root)] });
    await world.idle();
    expect(await configMaps()).toEqual(["first", "root"]);
    await world.letGo("configmaps", "first");
    expect(await configMaps()).toEqual([]);
  });

  test("waits for other finalizers of the owner after its dependents are deleted", async () => {
    const root = await world.create("configmaps", "root", held);
    await world.create("configmaps", "child", { owners: [blocking(root)] });
    await world.deleted("configmaps", "root", "Foreground");
    expect(await configMaps()).toEqual(["root"]);
    expect((await world.metadata("configmaps", "root")).finalizers).toEqual(held.finalizers);
    await world.letGo("configmaps", "root");
  });

  test("a later Background deletion ends the wait", async () => {
    const root = await world.create("configmaps", "root");
    await world.create("configmaps", "child", { owners: [blocking(root)], ...held });
    await world.deleted("configmaps", "root", "Foreground");
    await world.deleted("configmaps", "root", "Background");
    expect(await configMaps()).toEqual(["child"]);
    await world.letGo("configmaps", "child");
  });

  test("deletes namespaced dependents of a cluster-scoped owner", async () => {
    const definitionOf = definition("planets", "Planet", { scope: "Cluster" });
    await world.define(definitionOf);
    const planet = await world.create("planets", "earth");
    await world.create("namespaces", "moon");
    await world.create("configmaps", "a", { owners: [blocking(planet)] });
    await world.create("configmaps", "b", { owners: [blocking(planet)], namespace: "moon", ...held });
    await world.deleted("planets", "earth", "Foreground");
    expect(await configMaps()).toEqual([]);
    expect(await world.names("planets")).toEqual(["earth"]);
    await world.patch("configmaps", "b", { metadata: { finalizers: null } }, "moon");
    await world.idle();
    expect(await world.names("planets")).toEqual([]);
  });

  test("deletes objects that a stricter schema no longer accepts", async () => {
    await world.define(
      definition("widgets", "Widget", { versions: [version("v1", { size: { type: "integer" } })] }),
    );
    const root = await world.create("widgets", "root", { rest: { spec: { size: 1 } } });
    await world.create("widgets", "child", {
      owners: [blocking(root)],
      rest: { spec: { size: 1 } },
      ...held,
    });
    const { resourceVersion } = await world.metadata("customresourcedefinitions", "widgets.demo.dev");
    const strict = version("v1", { size: { type: "integer", minimum: 5 } });
    await world.patch("customresourcedefinitions", "widgets.demo.dev", {
      metadata: { resourceVersion },
      spec: { versions: [strict] },
    });
    await world.deleted("widgets", "root", "Foreground");
    await world.letGo("widgets", "child");
    expect(await world.names("widgets")).toEqual([]);
  });
});

describe("cycles", () => {
  /** Each owns the next, and the last one owns the first. */
  async function circle(size: number): Promise<void> {
    const names = Array.from({ length: size }, (_, index) => `ring-${index}`);
    const [first = "", ...others] = names;
    let owner = await world.create("configmaps", first);
    for (const name of others) owner = await world.create("configmaps", name, { owners: [blocking(owner)] });
    await world.patch("configmaps", first, { metadata: { ownerReferences: [blocking(owner)] } });
    await world.idle();
    expect(await configMaps()).toEqual(names);
  }

  for (const size of [2, 3, 7]) {
    test.each(["Foreground", "Background", "Orphan"] as const)(`of ${size} objects, %s`, async (policy) => {
      await circle(size);
      await world.deleted("configmaps", "ring-0", policy);
      expect(await configMaps()).toEqual(policy === "Orphan" ? await configMapsBut("ring-0", size) : []);
    });
  }

  async function configMapsBut(gone: string, size: number): Promise<string[]> {
    return Array.from({ length: size }, (_, index) => `ring-${index}`).filter((name) => name !== gone);
  }

  test("of objects that are all deleted at once", async () => {
    await circle(4);
    const names = await configMaps();
    await Promise.all(names.map((name) => world.delete("configmaps", name, "Foreground")));
    await world.idle();
    expect(await configMaps()).toEqual([]);
  });

  test("with a tail that blocks all of them", async () => {
    await circle(3);
    const last = await world.get("configmaps", "ring-2");
    if (!last) throw new Error("gone");
    await world.create("configmaps", "tail", { owners: [blocking(last)], ...held });
    await world.deleted("configmaps", "ring-0", "Foreground");
    expect(await configMaps()).toEqual(["ring-2", "tail"]);
    await world.letGo("configmaps", "tail");
    expect(await configMaps()).toEqual([]);
  });
});

describe("orphan", () => {
  test("removes the owner reference and keeps the dependents", async () => {
    const root = await world.create("configmaps", "root");
    const other = await world.create("configmaps", "other");
    await world.create("configmaps", "a", { owners: [blocking(root)] });
    await world.create("configmaps", "b", { owners: [ownedBy(other), ownedBy(root)] });
    await world.deleted("configmaps", "root", "Orphan");
    expect(await configMaps()).toEqual(["a", "b", "other"]);
    expect((await world.metadata("configmaps", "a")).ownerReferences).toBeUndefined();
    expect((await world.metadata("configmaps", "b")).ownerReferences).toEqual([ownedBy(other)]);
  });

  test("orphans many dependents during concurrent writes", async () => {
    const root = await world.create("configmaps", "root");
    const names = Array.from({ length: 100 }, (_, index) => `leaf-${index}`);
    for (const name of names) await world.create("configmaps", name, { owners: [ownedBy(root)] });
    const changing = async (): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        await Promise.all(
          names.map((name) => world.patch("configmaps", name, { data: { round: `${round}` } })),
        );
      }
    };
    await Promise.all([changing(), world.delete("configmaps", "root", "Orphan")]);
    await world.idle();
    expect(await configMaps()).toEqual(names.toSorted());
  });

  test("orphans dependents created just before the deletion", async () => {
    const root = await world.create("configmaps", "root");
    // No wait in between: all changes are undelivered when the deletion starts.
    const names = Array.from({ length: 20 }, (_, index) => `leaf-${index}`);
    await Promise.all(names.map((name) => world.create("configmaps", name, { owners: [ownedBy(root)] })));
    await world.deleted("configmaps", "root", "Orphan");
    expect(await configMaps()).toEqual(names.toSorted());
  });
});
