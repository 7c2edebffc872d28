import { afterEach, beforeEach, expect, test } from "vitest";
import { World } from "./fixtures/world.js";

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(() => world[Symbol.asyncDispose]());

const hour = 60 * 60 * 1000;
const rest = { involvedObject: { kind: "ConfigMap", name: "root", namespace: "default" } };

async function names(group: string): Promise<string[]> {
  const type = world.api.registry.types.find(group, "v1", "events");
  if (type === undefined) throw new Error("no events");
  const { items } = await world.caller.list(type, {});
  return items.map(({ object }) => object.metadata.name ?? "");
}

test("events expire after an hour, in both of their groups", async () => {
  await world.create("events", "early", { rest });
  await world.clock.advance(hour / 2);
  await world.create("events", "late", { rest });
  await world.clock.advance(hour / 2 - 1000);
  for (const group of ["", "events.k8s.io"]) expect(await names(group)).toEqual(["early", "late"]);
  await world.clock.advance(2000);
  for (const group of ["", "events.k8s.io"]) expect(await names(group)).toEqual(["late"]);
  await world.clock.advance(hour / 2);
  for (const group of ["", "events.k8s.io"]) expect(await names(group)).toEqual([]);
});

test("an update of an event extends its life", async () => {
  await world.create("events", "again", { rest });
  await world.clock.advance(hour / 2);
  await world.patch("events", "again", { count: 2 });
  await world.clock.advance(hour / 2 + 1000);
  expect(await names("")).toEqual(["again"]);
  await world.clock.advance(hour / 2);
  expect(await names("")).toEqual([]);
});

test("a watch receives DELETED for an expired event", async () => {
  await world.create("events", "early", { rest });
  const events = world.caller.watch(world.type("events"), {}, { signal: AbortSignal.timeout(20_000) });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const batch of events) {
      for (const { type, object } of batch) seen.push(`${type} ${object.object.metadata.name ?? ""}`);
      if (seen.length === 2) return;
    }
  })();
  await world.clock.advance(hour + 1000);
  await watching;
  expect(seen).toEqual(["ADDED early", "DELETED early"]);
});

test("other kinds do not expire", async () => {
  await world.create("configmaps", "a");
  await world.clock.advance(48 * hour);
  expect(await world.names("configmaps")).toEqual(["a"]);
});
