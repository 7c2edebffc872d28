import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlreadyExists, VirtualClock } from "../../model/core.js";
import { MemoryStore } from "../../store/index.js";
import { blocking, definition, ownedBy, version, World } from "./fixtures/world.js";

const definitions = "customresourcedefinitions";

let a: World;
let b: World;
beforeEach(async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  [a, b] = await Promise.all([World.start({ store, clock }), World.start({ store, clock })]);
  await settled();
});
afterEach(async () => {
  await settled();
  const { revision } = await a.store.status();
  await a.clock.advance(600_000);
  await settled();
  expect((await a.store.status()).revision, "they go on changing things").toBe(revision);
  expect([...a.errors, ...b.errors]).toEqual([]);
  await Promise.all([a.api.close(), b.api.close()]);
});

async function settled(): Promise<void> {
  for (const world of [a, b, a, b]) await world.idle();
}

test("two servers that start at once create the default objects once", async () => {
  expect(await a.names("namespaces")).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  expect(await b.names("serviceaccounts")).toEqual(["default", "default", "default", "default"]);
});

test("a definition on one server adds and removes the kind on both", async () => {
  await a.define(definition("widgets", "Widget"));
  await settled();
  await b.create("widgets", "w", { finalizers: ["demo.dev/hold"] });
  await a.delete(definitions, "widgets.demo.dev");
  await settled();
  await expect(b.create("widgets", "late")).rejects.toThrow("is terminating");
  await b.patch("widgets", "w", { metadata: { finalizers: null } });
  await settled();
  expect([a.serves("widgets"), b.serves("widgets")]).toEqual([false, false]);
  expect((await a.store.count({ prefix: "/demo.dev/" })).count).toBe(0);
});

test("a schema change on one server takes effect on both", async () => {
  await a.define(
    definition("widgets", "Widget", { versions: [version("v1", { size: { type: "integer" } })] }),
  );
  await settled();
  const { resourceVersion } = await b.metadata(definitions, "widgets.demo.dev");
  const versions = [version("v1", { size: { type: "integer", maximum: 3 } })];
  await b.patch(definitions, "widgets.demo.dev", { metadata: { resourceVersion }, spec: { versions } });
  await settled();
  for (const world of [a, b]) {
    await expect(world.create("widgets", "w", { rest: { spec: { size: 4 } } })).rejects.toThrow(
      "less than or equal",
    );
  }
});

test("concurrent definitions of the same name leave one", async () => {
  const outcomes = await Promise.allSettled(
    [a, b].map((world) => world.define(definition("widgets", "Widget"))),
  );
  const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  expect(failures.map(isAlreadyExists)).toEqual([true]);
  await settled();
  expect([a.serves("widgets"), b.serves("widgets")]).toEqual([true, true]);
});

test("names accepted on one server are taken on the other", async () => {
  await a.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
  await settled();
  await b.define(definition("wodgets", "Wodget", { names: { shortNames: ["w"] } }));
  await settled();
  expect([a.serves("wodgets"), b.serves("wodgets")]).toEqual([false, false]);
  await b.delete(definitions, "widgets.demo.dev");
  await settled();
  expect([a.serves("wodgets"), b.serves("wodgets")]).toEqual([true, true]);
});

test("serves many definitions created on both servers at once", async () => {
  const define = (world: World, letter: string): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.define(definition(`${letter}${index}s`, `${letter.toUpperCase()}${index}`)),
      ),
    );
  await Promise.all([define(a, "x"), define(b, "y")]);
  await settled();
  for (const world of [a, b]) {
    const custom = world.api.registry.types.all.filter(({ group }) => group === "demo.dev");
    expect(custom.length).toBe(60);
  }
});

test("deletes a namespace with content from both servers", async () => {
  await a.define(definition("widgets", "Widget"));
  await a.create("namespaces", "team");
  await settled();
  for (let index = 0; index < 30; index++) {
    await (index % 2 ? a : b).create("configmaps", `c-${index}`, { namespace: "team" });
    await (index % 3 ? a : b).create("widgets", `w-${index}`, { namespace: "team" });
  }
  await b.delete("namespaces", "team");
  await settled();
  expect(await a.get("namespaces", "team")).toBeUndefined();
  expect([...(await a.names("configmaps", "team")), ...(await a.names("widgets", "team"))]).toEqual([]);
});

test("collects a tree of objects created on both servers and deleted on one", async () => {
  const root = await a.create("configmaps", "root");
  for (let index = 0; index < 20; index++) {
    const child = await (index % 2 ? a : b).create("configmaps", `child-${index}`, {
      owners: [blocking(root)],
    });
    await (index % 3 ? a : b).create("secrets", `leaf-${index}`, { owners: [ownedBy(child)] });
  }
  await b.delete("configmaps", "root", "Foreground");
  await settled();
  expect([...(await a.names("configmaps")), ...(await a.names("secrets"))]).toEqual([]);
});

test("the remaining server finishes the work of a closed one", async () => {
  const root = await a.create("configmaps", "root");
  for (let index = 0; index < 50; index++)
    await b.create("configmaps", `c-${index}`, { owners: [blocking(root)] });
  const deleting = b.delete("configmaps", "root", "Foreground");
  await Promise.all([deleting, b.api.close()]);
  await a.idle();
  expect(await a.names("configmaps")).toEqual([]);
});
