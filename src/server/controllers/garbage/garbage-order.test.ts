import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { definitionPrefix } from "../definitions.js";
import { Gate, PacedStore } from "../fixtures/paced-store.js";
import { blocking, definition, held, ownedBy, World } from "../fixtures/world.js";

let store: PacedStore;
let world: World;
beforeEach(async () => {
  const clock = new VirtualClock();
  store = new PacedStore({ clock });
  world = await World.start({ store, clock });
  await world.idle();
});
afterEach(async () => {
  await world.idle();
  expect(world.errors).toEqual([]);
  await world[Symbol.asyncDispose]();
});

const configMaps = (): Promise<string[]> => world.names("configmaps", "default");

/** Lets all pending work run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a check that started before unprocessed changes", () => {
  /** Runs `changes` while the collector is about to read an object, before it receives any of them. */
  async function before(name: string, changes: () => Promise<void>): Promise<void> {
    const read = new Gate();
    const heard = new Gate();
    let reads = 0;
    store.pace = (moment) => {
      if (moment === `get /core/configmaps/default/${name}` && reads++ === 0) return read.pass();
      if (reads > 0 && moment.startsWith("deliver")) return heard.pass();
    };
    const parent = await world.create("configmaps", "parent");
    await world.create("configmaps", name, { owners: [blocking(parent)] });
    await read.reached;
    await changes();
    read.open();
    await turns();
    heard.open();
    await world.idle();
  }

  test("does not finish an Orphan deletion before its dependents are known", async () => {
    await before("owner", async () => {
      const owner = await world.get("configmaps", "owner");
      if (owner) await world.create("configmaps", "dependent", { owners: [ownedBy(owner)] });
      await world.delete("configmaps", "owner", "Orphan");
    });
    expect(await configMaps()).toEqual(["dependent", "parent"]);
    expect((await world.metadata("configmaps", "dependent")).ownerReferences).toBeUndefined();
  });

  test("does not finish a Foreground deletion before its dependents are known", async () => {
    await before("owner", async () => {
      const owner = await world.get("configmaps", "owner");
      if (owner) await world.create("configmaps", "dependent", { owners: [blocking(owner)], ...held });
      await world.delete("configmaps", "owner", "Foreground");
    });
    expect(await configMaps()).toEqual(["dependent", "owner", "parent"]);
    await world.letGo("configmaps", "dependent");
    expect(await configMaps()).toEqual(["parent"]);
  });

  test("does not delete in the background an object with blocking dependents", async () => {
    await before("owner", async () => {
      const owner = await world.get("configmaps", "owner");
      if (owner) await world.create("configmaps", "dependent", { owners: [blocking(owner)], ...held });
      await world.delete("configmaps", "parent", "Foreground");
    });
    expect(await configMaps()).toEqual(["dependent", "owner", "parent"]);
    await world.letGo("configmaps", "dependent");
    expect(await configMaps()).toEqual([]);
  });
});

test("keeps the newest state of an object that changes while it is read", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.create("configmaps", "left", { owners: [blocking(owner)] });
  await world.create("configmaps", "deleted", { owners: [blocking(owner)] });
  await world.idle();
  await world.api.close();

  const gate = new Gate();
  store.pace = (moment) => (moment === "ranged /" ? gate.pass() : undefined);
  world = await World.start({ store, clock: world.clock });
  await gate.reached;
  await world.patch("configmaps", "left", { metadata: { ownerReferences: null } });
  await world.delete("configmaps", "deleted");
  await turns();
  gate.open();
  await world.idle();
  await world.delete("configmaps", "owner", "Foreground");
  await world.idle();
  expect(await configMaps()).toEqual(["left"]);
});

test("recovers when the store cannot be read for a while", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.create("configmaps", "dependent", { owners: [ownedBy(owner)] });
  await world.idle();
  await world.api.close();
  await store.commit([{ type: "delete", key: "/core/configmaps/default/owner" }]);

  store.pace = (moment) => {
    if (moment === "range /") throw new Error("disk on fire");
  };
  world = await World.start({ store, clock: world.clock });
  await world.clock.advance(5000);
  expect(world.errors).toContainEqual(new Error("disk on fire"));
  expect(await configMaps()).toEqual(["dependent"]);
  store.pace = () => {};
  await world.clock.advance(5000);
  await world.idle();
  expect(await configMaps()).toEqual([]);
  world.errors.length = 0;
});

test("resumes a broken stream of changes", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.idle();
  let breaks = 3;
  store.pace = (moment) => {
    if (moment.startsWith("deliver") && breaks-- > 0) throw new Error("no more");
  };
  await world.create("configmaps", "dependent", { owners: [ownedBy(owner)] });
  await world.delete("configmaps", "owner");
  await world.clock.advance(5000);
  await world.idle();
  expect(await configMaps()).toEqual([]);
  expect(world.errors).toEqual([new Error("no more"), new Error("no more"), new Error("no more")]);
  world.errors.length = 0;
});

test("retries failed writes", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.create("configmaps", "dependent", { owners: [ownedBy(owner)] });
  await world.idle();
  store.pace = (moment) => {
    if (moment === "commit /core/configmaps/default/dependent") throw new Error("disk full");
  };
  await world.delete("configmaps", "owner");
  await world.idle();
  expect(await configMaps()).toEqual(["dependent"]);
  expect(world.errors).toEqual([new Error("disk full")]);
  store.pace = () => {};
  await world.clock.advance(60_000);
  await world.idle();
  expect(await configMaps()).toEqual([]);
  world.errors.length = 0;
});

/** Of a kind that is not served: a dependent with further owners stays and keeps the reference. */
const unknown = {
  apiVersion: "demo.dev/v1",
  kind: "Unknown",
  name: "u",
  uid: "4aa6f18e-0000-4000-8000-000000000000",
};

test("drops a cached owner when it is deleted", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.create("configmaps", "child", { owners: [ownedBy(owner), unknown] });
  await world.idle();
  await world.delete("configmaps", "owner");
  await world.idle();
  await world.create("configmaps", "late", { owners: [ownedBy(owner)] });
  await world.idle();
  expect(await configMaps()).toEqual(["child"]);
});

test("does not cache an owner that is deleted while it is read", async () => {
  const owner = await world.create("configmaps", "owner");
  await world.idle();
  const gate = new Gate();
  let reads = 0;
  store.pace = (moment) =>
    moment === "got /core/configmaps/default/owner" && reads++ === 0 ? gate.pass() : undefined;
  await world.create("configmaps", "child", { owners: [ownedBy(owner), unknown] });
  await gate.reached;
  await world.delete("configmaps", "owner");
  await turns();
  gate.open();
  await world.idle();
  await world.create("configmaps", "late", { owners: [ownedBy(owner)] });
  await world.idle();
  expect(await configMaps()).toEqual(["child"]);
});

describe("on a server that receives a definition, an object and a deletion at once and processes the definition late", () => {
  let first: Gate;

  /** Changes made by another server before the first one receives any event. */
  async function changeUnseen(other: World, policy: "Background" | "Orphan"): Promise<void> {
    await other.idle();
    first = new Gate();
    const [second, reading] = [new Gate(), new Gate()];
    store.pace = (moment) => {
      if (moment === "deliver 1") return first.pass();
      if (moment === "deliver 2") return second.pass();
    };
    await world.define(definition("widgets", "Widget"));
    const owner = await world.create("configmaps", "owner");
    await world.create("widgets", "w", { owners: [ownedBy(owner)] });
    await world.delete("configmaps", "owner", policy);
    store.pace = (moment) =>
      moment === `get ${definitionPrefix}widgets.demo.dev` ? reading.pass() : undefined;
    second.open();
    await reading.reached;
    await turns();
    reading.open();
    await turns();
  }

  test("keeps track of an object that its owner orphans", async () => {
    await using other = await World.start({ store, clock: world.clock });
    await changeUnseen(other, "Orphan");
    expect(await configMaps()).toEqual([]);
    first.open();
    await world.idle();
    await other.idle();
    expect((await world.metadata("widgets", "w")).ownerReferences).toBeUndefined();
  });

  test("collects an object once its kind is served", async () => {
    await using other = await World.start({ store, clock: world.clock });
    await changeUnseen(other, "Background");
    expect(await world.names("widgets")).toEqual([]);
    first.open();
    await other.idle();
  });
});
