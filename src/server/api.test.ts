import { expect, test } from "vitest";
import { VirtualClock } from "../model/core.js";
import {
  MemoryStore,
  type Entry,
  type Store,
  type StoreWatchOptions,
  type StoreWatch,
  type StoreEvent,
} from "../store/index.js";
import { startApi } from "./api.js";
import { PacedStore } from "./controllers/fixtures/paced-store.js";
import { blocking, definition, World } from "./controllers/fixtures/world.js";
import { administrator } from "./registry/fixtures/test-api.js";
import { Caller } from "./request/caller.js";

test("serves the content of a store, and leaves the store open on close", async () => {
  const store = new MemoryStore();
  {
    await using world = await World.start({ store });
    await world.define(definition("widgets", "Widget"));
    await world.create("widgets", "w");
  }
  await using again = await World.start({ store });
  expect(await again.names("widgets")).toEqual(["w"]);
});

test("idle resolves when the controllers have nothing left to do", async () => {
  await using world = await World.start();
  await world.idle();
  const root = await world.create("configmaps", "root");
  for (let index = 0; index < 20; index++)
    await world.create("configmaps", `c-${index}`, { owners: [blocking(root)] });
  await world.create("namespaces", "team");
  await world.define(definition("widgets", "Widget"));
  await world.create("widgets", "w", { namespace: "team" });
  await world.delete("configmaps", "root", "Foreground");
  await world.delete("namespaces", "team");
  await world.delete("customresourcedefinitions", "widgets.demo.dev");
  await world.idle();
  const { revision } = await world.store.status();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await world.store.status()).revision).toBe(revision);
  expect(await world.names("configmaps")).toEqual([]);
});

test("close is idempotent, stops all work and leaves no timer", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const { timers } = clock;
  const world = await World.start({ store, clock });
  const root = await world.create("configmaps", "root");
  await world.create("configmaps", "child", { owners: [blocking(root)], finalizers: ["demo.dev/hold"] });
  await world.create("namespaces", "team");
  await world.create("configmaps", "held", { namespace: "team", finalizers: ["demo.dev/hold"] });
  await world.delete("namespaces", "team");
  await world.idle();
  expect(clock.timers).toBeGreaterThan(timers);
  await Promise.all([world.api.close(), world.api.close()]);
  expect(clock.timers).toBe(timers);
  await world.delete("configmaps", "root");
  await world.idle();
  expect(await world.names("configmaps")).toEqual(["held", "child"].toSorted());
});

test("startApi rejects when the store cannot be read, and leaves nothing running", async () => {
  const clock = new VirtualClock();
  const store = new PacedStore({ clock });
  const { timers } = clock;
  store.pace = (moment) => {
    if (moment.startsWith("commit")) throw new Error("read-only");
  };
  await expect(startApi({ store, clock })).rejects.toThrow("read-only");
  expect(clock.timers).toBe(timers);
  store.pace = () => {};
  await store.close();
  await expect(startApi({ store, clock })).rejects.toThrow("the server is shutting down");
});

test("a store that is closed first causes no errors", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  const world = await World.start({ store, clock });
  await world.idle();
  await store.close();
  await world.api.close();
  expect(world.errors).toEqual([]);
});

/** A store that returns every value in a new buffer, as one on the other side of a network does. */
class CopyingStore extends MemoryStore {
  override async get(...parameters: Parameters<Store["get"]>): ReturnType<Store["get"]> {
    const entry = await super.get(...parameters);
    return entry && copied(entry);
  }

  override watch(options: StoreWatchOptions): StoreWatch {
    const watch = super.watch(options);
    return {
      get revision() {
        return watch.revision;
      },
      async *[Symbol.asyncIterator]() {
        for await (const { events, revision } of watch) yield { events: events.map(copiedEvent), revision };
        return undefined;
      },
    };
  }
}

function copied(entry: Entry): Entry {
  return { ...entry, value: Uint8Array.from(entry.value) };
}

function copiedEvent(event: StoreEvent): StoreEvent {
  const previous = event.previous && copied(event.previous);
  return event.type === "put" ? { ...event, entry: copied(event.entry), previous } : { ...event, previous };
}

test("writer, readers and watchers share one object although the store copies its bytes", async () => {
  await using world = await World.start({ store: new CopyingStore() });
  await world.define(definition("widgets", "Widget"));
  await world.idle();
  const caller = new Caller(world.api.pipeline, administrator);
  const type = world.api.registry.types.find("demo.dev", "v1", "widgets") ?? expect.fail("not served");
  const scope = { namespace: "default" };
  const { resourceVersion } = await caller.list(type, scope);
  const firstEvent = async (): Promise<unknown> => {
    for await (const [event] of caller.watch(type, scope, { resourceVersion })) return event?.object.object;
    return undefined;
  };
  const watching = [firstEvent(), firstEvent()];
  const body = { apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name: "w" } };
  const { object } = await caller.create(type, scope, { object: body });
  for (const seen of await Promise.all(watching)) expect(seen).toBe(object);
  expect((await caller.get(type, { ...scope, name: "w" })).object).toBe(object);
});
