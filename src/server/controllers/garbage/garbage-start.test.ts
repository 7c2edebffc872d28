import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Compacted, MemoryStore, type StoreWatch, type StoreWatchOptions } from "../../../store/index.js";
import { blocking, definition, held, ownedBy, World } from "../fixtures/world.js";

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

describe("startup", () => {
  /** Another API on the data of the first one. */
  async function restarted(work: () => Promise<void>): Promise<void> {
    await world.api.close();
    const { store, clock } = world;
    world = await World.start({ store, clock });
    await work();
  }

  test("processes changes made while no server ran, in a store of many objects", async () => {
    const keep = await world.create("configmaps", "keep");
    const gone = await world.create("configmaps", "gone");
    for (let index = 0; index < 700; index++) {
      await world.create("configmaps", `n-${index}`, { owners: [ownedBy(index % 2 ? keep : gone)] });
    }
    await world.api.close();
    // As if the server had crashed right after it accepted this.
    await world.store.commit([{ type: "delete", key: "/core/configmaps/default/gone" }]);
    await restarted(() => world.idle());
    expect((await configMaps()).length).toBe(351);
  });

  test("does not treat an owner as childless before its dependents are read", async () => {
    const owner = await world.create("configmaps", "a-owner", held);
    const waits = await world.create("configmaps", "a-waits", held);
    for (let index = 0; index < 1200; index++) await world.create("configmaps", `m-${index}`);
    await world.create("configmaps", "z-orphan", { owners: [ownedBy(owner)] });
    await world.create("configmaps", "z-dependent", { owners: [blocking(waits)], ...held });
    await world.api.close();
    await world.delete("configmaps", "a-owner", "Orphan");
    await world.delete("configmaps", "a-waits", "Foreground");
    await restarted(() => world.idle());
    expect((await world.metadata("configmaps", "z-orphan")).ownerReferences).toBeUndefined();
    expect((await world.metadata("configmaps", "a-waits")).finalizers).toEqual([
      ...held.finalizers,
      "foregroundDeletion",
    ]);
    await world.letGo("configmaps", "z-dependent");
    expect((await world.metadata("configmaps", "a-waits")).finalizers).toEqual(held.finalizers);
  });

  test("does not overwrite newer changes by older reads", async () => {
    const owner = await world.create("configmaps", "a-owner");
    for (let index = 0; index < 1200; index++) await world.create("configmaps", `m-${index}`);
    const names = Array.from({ length: 40 }, (_, index) => `z-${index}`);
    for (const name of names) await world.create("configmaps", name, { owners: [blocking(owner)] });
    await restarted(async () => {
      await Promise.all(
        names.map((name, index) =>
          index % 2
            ? world.delete("configmaps", name)
            : world.patch("configmaps", name, { metadata: { ownerReferences: null } }),
        ),
      );
      await world.deleted("configmaps", "a-owner", "Foreground");
    });
    expect(await world.get("configmaps", "a-owner")).toBeUndefined();
    expect((await configMaps()).filter((name) => name.startsWith("z-")).length).toBe(20);
  });
});

test("reads everything again when changes were missed", async () => {
  await world.api.close();
  const store = new ForgetfulStore({ clock: world.clock });
  world = await World.start({ store, clock: world.clock });
  const root = await world.create("configmaps", "root");
  await world.create("configmaps", "child", { owners: [blocking(root)] });
  await world.define(definition("widgets", "Widget"));
  await world.define(definition("gadgets", "Gadget"));
  await world.create("namespaces", "other");
  await world.create("widgets", "w", { namespace: "other" });
  await world.idle();

  store.deaf = true;
  await world.create("configmaps", "unheard", { owners: [blocking(root)] });
  await world.delete("configmaps", "root", "Foreground");
  await world.delete("customresourcedefinitions", "gadgets.demo.dev");
  await world.delete("namespaces", "other");
  store.recover();
  await world.idle();
  expect(await configMaps()).toEqual([]);
  expect(world.serves("gadgets")).toBe(false);
  expect(await world.names("widgets")).toEqual([]);
  expect(await world.get("namespaces", "other")).toBeUndefined();
});

/** Store whose watches can stay silent, or expire. */
class ForgetfulStore extends MemoryStore {
  deaf = false;
  #recover: (() => void) | undefined;

  recover(): void {
    this.deaf = false;
    this.#recover?.();
  }

  override watch(options: StoreWatchOptions): StoreWatch {
    const watch = super.watch(options);
    const lost = new Promise<"lost">((resolve) => {
      this.#recover = () => resolve("lost");
    });
    const isDeaf = (): boolean => this.deaf;
    return {
      revision: watch.revision,
      async *[Symbol.asyncIterator]() {
        const batches = watch[Symbol.asyncIterator]();
        for (;;) {
          const next = await Promise.race([batches.next(), lost]);
          if (next === "lost") {
            await batches.return?.();
            throw new Compacted(1, 2);
          }
          if (next.done) return;
          if (!isDeaf()) yield next.value;
        }
      },
    };
  }
}
