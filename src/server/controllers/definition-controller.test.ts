import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCondition, type Condition, type KubeObject } from "../../model/core.js";
import { Gate, PacedStore } from "./fixtures/paced-store.js";
import { definition, version, World } from "./fixtures/world.js";

let world: World;
beforeEach(async () => {
  world = await World.start();
});
afterEach(async () => {
  await world.idle();
  expect(world.errors).toEqual([]);
  await world[Symbol.asyncDispose]();
});

const definitions = "customresourcedefinitions";

async function status(
  name: string,
): Promise<{ conditions: Condition[]; storedVersions: string[]; acceptedNames: object }> {
  return (await world.get(definitions, name))?.status as never;
}

async function condition(name: string, type: string): Promise<[string, string, string] | undefined> {
  const found = findCondition((await status(name)).conditions, type);
  return found && [found.status, found.reason, found.message];
}

/** The status of a condition, and its reason. */
async function reason(name: string, type: string): Promise<string | undefined> {
  return (await condition(name, type))?.slice(0, 2).join(" ");
}

async function respecified(name: string, spec: object): Promise<KubeObject> {
  const { resourceVersion } = await world.metadata(definitions, name);
  return world.patch(definitions, name, { metadata: { resourceVersion }, spec });
}

describe("a new definition", () => {
  test("is served when the create returns", async () => {
    await world.define(definition("widgets", "Widget"));
    expect(world.serves("widgets")).toBe(true);
    await world.create("widgets", "w", { rest: { spec: { size: 1 } } });
    expect((await world.get("widgets", "w"))?.spec).toEqual({ size: 1 });
  });

  test("has its names accepted and is established", async () => {
    await world.define(
      definition("widgets", "Widget", { names: { shortNames: ["wd"], categories: ["all"] } }),
    );
    expect(await condition("widgets.demo.dev", "NamesAccepted")).toEqual([
      "True",
      "NoConflicts",
      "no conflicts found",
    ]);
    expect(await condition("widgets.demo.dev", "Established")).toEqual([
      "True",
      "InitialNamesAccepted",
      "the initial names have been accepted",
    ]);
    expect(await status("widgets.demo.dev")).toMatchObject({
      storedVersions: ["v1"],
      acceptedNames: {
        plural: "widgets",
        singular: "widget",
        shortNames: ["wd"],
        kind: "Widget",
        listKind: "WidgetList",
        categories: ["all"],
      },
    });
  });

  test("is not written again once it is established", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.idle();
    const { revision } = await world.store.status();
    await world.clock.advance(120_000);
    await world.idle();
    expect((await world.store.status()).revision).toBe(revision);
  });

  test("is served when another server writes its status concurrently", async () => {
    await using other = await World.start({ store: world.store, clock: world.clock });
    for (let index = 0; index < 20; index++) {
      const plural = `kind${index}s`;
      await world.define(definition(plural, `Kind${index}`));
      expect(world.serves(plural)).toBe(true);
      await world.create(plural, "a");
    }
    await other.idle();
    for (let index = 0; index < 20; index++) expect(other.serves(`kind${index}s`)).toBe(true);
  });

  test("starts without objects of an earlier definition", async () => {
    await world.store.commit([
      { type: "put", key: "/demo.dev/widgets/default/left", value: Buffer.from('{"kind":"Widget"}') },
    ]);
    await world.define(definition("widgets", "Widget"));
    expect(await world.names("widgets")).toEqual([]);
  });
});

describe("names", () => {
  test("that are taken are not accepted, and the kind is not served", async () => {
    await world.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
    await world.define(definition("wodgets", "Wodget", { names: { shortNames: ["w"] } }));
    expect(await condition("wodgets.demo.dev", "NamesAccepted")).toEqual([
      "False",
      "ShortNamesConflict",
      '"w" is already in use',
    ]);
    expect(await condition("wodgets.demo.dev", "Established")).toEqual([
      "False",
      "NotAccepted",
      "not all names are accepted",
    ]);
    expect(world.serves("wodgets")).toBe(false);
  });

  test("become free when their definition is deleted", async () => {
    await world.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
    await world.define(definition("wodgets", "Widget"));
    await world.define(definition("wadgets", "Wadget", { names: { shortNames: ["w"] } }));
    expect(await reason("wodgets.demo.dev", "NamesAccepted")).toBe("False ListKindConflict");
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    for (const plural of ["wodgets", "wadgets"]) {
      expect(await reason(`${plural}.demo.dev`, "NamesAccepted")).toBe("True NoConflicts");
      expect(await reason(`${plural}.demo.dev`, "Established")).toBe("True InitialNamesAccepted");
      expect(world.serves(plural)).toBe(true);
    }
  });

  test("become free when their definition changes its names", async () => {
    await world.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
    await world.define(definition("wodgets", "Wodget", { names: { shortNames: ["w"] } }));
    await respecified("widgets.demo.dev", { names: { shortNames: ["x"] } });
    await world.idle();
    expect(world.type("widgets").shortNames).toEqual(["x"]);
    expect(world.type("wodgets").shortNames).toEqual(["w"]);
  });

  test("keep the accepted ones when new ones are taken", async () => {
    await world.define(definition("widgets", "Widget", { names: { shortNames: ["w"] } }));
    await world.define(definition("wodgets", "Wodget", { names: { shortNames: ["x"] } }));
    await respecified("wodgets.demo.dev", { names: { shortNames: ["w"] } });
    expect(await reason("wodgets.demo.dev", "NamesAccepted")).toBe("False ShortNamesConflict");
    expect(await reason("wodgets.demo.dev", "Established")).toBe("True InitialNamesAccepted");
    expect(world.type("wodgets").shortNames).toEqual(["x"]);
  });

  test("of built-in kinds are reserved in their group", async () => {
    const approved = definition("flows", "Lease", { group: "coordination.k8s.io" }) as { metadata: object };
    Object.assign(approved.metadata, {
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" },
    });
    await world.define(approved);
    expect(await reason("flows.coordination.k8s.io", "NamesAccepted")).toBe("False ListKindConflict");
  });

  test("in other groups are free", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.define(definition("widgets", "Widget", { group: "other.dev" }));
    expect(await reason("widgets.other.dev", "Established")).toBe("True InitialNamesAccepted");
  });
});

describe("an update", () => {
  test("of the schema is in effect when it returns", async () => {
    await world.define(
      definition("widgets", "Widget", { versions: [version("v1", { size: { type: "integer" } })] }),
    );
    await world.create("widgets", "old", { rest: { spec: { size: 1 } } });
    const properties = { size: { type: "integer", maximum: 5 }, color: { type: "string", default: "red" } };
    await respecified("widgets.demo.dev", { versions: [version("v1", properties)] });
    await expect(world.create("widgets", "big", { rest: { spec: { size: 9 } } })).rejects.toThrow(
      "should be less than or equal to 5",
    );
    await world.create("widgets", "new", { rest: { spec: { size: 2 } } });
    expect((await world.get("widgets", "new"))?.spec).toEqual({ size: 2, color: "red" });
    expect((await world.get("widgets", "old"))?.spec).toEqual({ size: 1, color: "red" });
  });

  test("that removes a field hides it in stored objects", async () => {
    const properties = { size: { type: "integer" }, color: { type: "string" } };
    await world.define(definition("widgets", "Widget", { versions: [version("v1", properties)] }));
    await world.create("widgets", "w", { rest: { spec: { size: 1, color: "red" } } });
    await respecified("widgets.demo.dev", { versions: [version("v1", { size: { type: "integer" } })] });
    expect((await world.get("widgets", "w"))?.spec).toEqual({ size: 1 });
  });

  test("can add a version, make it the storage version and remove the first", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.create("widgets", "old", { rest: { spec: { size: 1 } } });
    await respecified("widgets.demo.dev", { versions: [version("v1"), version("v2")] });
    expect(world.type("widgets", "v2").storage.apiVersion).toBe("demo.dev/v1");

    await respecified("widgets.demo.dev", {
      versions: [version("v1", undefined, { storage: false }), version("v2", undefined, { storage: true })],
    });
    expect((await status("widgets.demo.dev")).storedVersions).toEqual(["v1", "v2"]);
    expect(world.type("widgets", "v1").storage.apiVersion).toBe("demo.dev/v2");
    await world.create("widgets", "new", { rest: { spec: { size: 2 } } });
    for (const apiVersion of ["v1", "v2"]) {
      const { items } = await world.caller.list(world.type("widgets", apiVersion), {});
      expect(items.map(({ object }) => [object.apiVersion, object.metadata.name, object.spec])).toEqual([
        [`demo.dev/${apiVersion}`, "new", { size: 2 }],
        [`demo.dev/${apiVersion}`, "old", { size: 1 }],
      ]);
    }
    await respecified("widgets.demo.dev", {
      versions: [
        version("v1", undefined, { storage: false, served: false }),
        version("v2", undefined, { storage: true }),
      ],
    });
    expect(world.api.registry.types.find("demo.dev", "v1", "widgets")).toBeUndefined();
    expect(await world.names("widgets")).toEqual(["new", "old"]);
  });

  test("of the metadata alone does not change the served kind", async () => {
    await world.define(definition("widgets", "Widget"));
    const before = world.type("widgets");
    const { resourceVersion } = await world.metadata(definitions, "widgets.demo.dev");
    await world.patch(definitions, "widgets.demo.dev", { metadata: { resourceVersion, labels: { a: "b" } } });
    await world.idle();
    expect(world.type("widgets")).toBe(before);
  });
});

describe("deletion", () => {
  test("deletes all objects first", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.create("namespaces", "team");
    for (const namespace of ["default", "team"]) {
      for (let index = 0; index < 20; index++) await world.create("widgets", `w-${index}`, { namespace });
    }
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    expect(world.serves("widgets")).toBe(false);
    expect(await world.names(definitions)).toEqual([]);
    expect((await world.store.count({ prefix: "/demo.dev/" })).count).toBe(0);
  });

  test("waits for objects with finalizers, and refuses new objects", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.create("widgets", "held", { finalizers: ["demo.dev/hold"] });
    await world.create("widgets", "free");
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    expect(await world.names("widgets")).toEqual(["held"]);
    expect(await condition("widgets.demo.dev", "Terminating")).toEqual([
      "True",
      "InstanceDeletionInProgress",
      "CustomResource deletion is in progress",
    ]);
    await expect(world.create("widgets", "late")).rejects.toThrow(
      "create not allowed while custom resource definition is terminating",
    );
    await world.clock.advance(60_000);
    await world.idle();
    expect(await world.names("widgets")).toEqual(["held"]);

    await world.patch("widgets", "held", { metadata: { finalizers: null } });
    await world.idle();
    expect(world.serves("widgets")).toBe(false);
    expect(await world.names(definitions)).toEqual([]);
  });

  test("deletes the objects of a kind without a served version", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.create("widgets", "w");
    await respecified("widgets.demo.dev", { versions: [version("v1", undefined, { served: false })] });
    expect(world.serves("widgets")).toBe(false);
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    expect((await world.store.count({ prefix: "/demo.dev/" })).count).toBe(0);
    expect(await world.names(definitions)).toEqual([]);
  });

  test("removes a definition that was never established at once", async () => {
    await world.define(definition("widgets", "Widget"));
    await world.define(definition("wodgets", "Widget"));
    await world.delete(definitions, "wodgets.demo.dev");
    await world.idle();
    expect(await world.names(definitions)).toEqual(["widgets.demo.dev"]);
  });

  test("waits for other finalizers without blocking other definitions", async () => {
    await world.define(definition("widgets", "Widget", { finalizers: ["demo.dev/hold"] }));
    await world.create("widgets", "w");
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    expect((await world.metadata(definitions, "widgets.demo.dev")).finalizers).toEqual(["demo.dev/hold"]);
    expect(await world.names("widgets")).toEqual([]);
    await world.define(definition("gadgets", "Gadget"));
    await world.create("gadgets", "g");

    const { resourceVersion } = await world.metadata(definitions, "widgets.demo.dev");
    await world.patch(definitions, "widgets.demo.dev", { metadata: { resourceVersion, finalizers: null } });
    await world.idle();
    expect(world.serves("widgets")).toBe(false);
  });

  test.each(["Foreground", "Orphan"] as const)(
    "deletes all objects with propagation policy %s",
    async (policy) => {
      await world.define(definition("widgets", "Widget"));
      await world.create("widgets", "w");
      await world.delete(definitions, "widgets.demo.dev", policy);
      await world.idle();
      expect(await world.names(definitions)).toEqual([]);
      expect((await world.store.count({ prefix: "/demo.dev/" })).count).toBe(0);
    },
  );

  test("allows a new definition with another schema and scope at once", async () => {
    await world.define(
      definition("widgets", "Widget", { versions: [version("v1", { size: { type: "integer" } })] }),
    );
    await world.create("widgets", "w", { rest: { spec: { size: 1 } } });
    await world.delete(definitions, "widgets.demo.dev");
    await world.idle();
    const versions = [version("v1", { size: { type: "string" } })];
    await world.define(definition("widgets", "Widget", { scope: "Cluster", versions }));
    expect(await world.names("widgets")).toEqual([]);
    await world.create("widgets", "w", { rest: { spec: { size: "large" } } });
    expect((await world.get("widgets", "w"))?.spec).toEqual({ size: "large" });
  });

  test("a server that missed the deletion serves the new definition", async () => {
    const store = new PacedStore({ clock: world.clock });
    await using first = await World.start({ store, clock: world.clock });
    await using second = await World.start({ store, clock: world.clock });
    await first.define(
      definition("widgets", "Widget", { versions: [version("v1", { size: { type: "integer" } })] }),
    );
    await second.idle();
    const gate = new Gate();
    store.pace = (moment) => (moment === "deliver 2" ? gate.pass() : undefined);
    await first.delete(definitions, "widgets.demo.dev");
    while (await first.get(definitions, "widgets.demo.dev"))
      await new Promise((resolve) => setImmediate(resolve));
    await first.define(
      definition("widgets", "Widget", { versions: [version("v1", { size: { type: "string" } })] }),
    );
    gate.open();
    await first.idle();
    await second.idle();
    for (const server of [first, second]) {
      await server.create("widgets", `w-${server === first}`, { rest: { spec: { size: "large" } } });
    }
    for (const server of [first, second])
      expect(await server.names("widgets")).toEqual(["w-false", "w-true"]);
  });
});

test("serves a hundred definitions", async () => {
  for (let index = 0; index < 100; index++) {
    const plural = `kind${index}s`;
    await world.define(definition(plural, `Kind${index}`));
    await world.create(plural, "a");
  }
  await world.api.close();
  world = await World.start({ store: world.store, clock: world.clock });
  // Served from the first moment.
  for (let index = 0; index < 100; index++) expect(await world.names(`kind${index}s`)).toEqual(["a"]);
  await world.idle();
  const all = await world.names(definitions);
  await Promise.all(all.map((name) => world.delete(definitions, name)));
  await world.idle();
  expect(await world.names(definitions)).toEqual([]);
  expect((await world.store.count({ prefix: "/demo.dev/" })).count).toBe(0);
});

test("close ends the wait for a definition to be served", async () => {
  const store = new PacedStore({ clock: world.clock });
  const other = await World.start({ store, clock: world.clock });
  await other.idle();
  const gate = new Gate();
  store.pace = (moment) =>
    moment === "get /apiextensions.k8s.io/customresourcedefinitions/widgets.demo.dev"
      ? gate.pass()
      : undefined;
  const defining = other.define(definition("widgets", "Widget"));
  const second = other.define(definition("gadgets", "Gadget"));
  await gate.reached;
  const closing = other.api.close();
  gate.open();
  await expect(Promise.all([closing, defining, second])).resolves.toHaveLength(3);
});
