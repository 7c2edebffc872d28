import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failure, refusal } from "../fixtures/failure.js";
import {
  namesOf,
  testApi,
  objectOf,
  type TestApi,
  type AssertedObject,
  type TestResource,
} from "../fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let zones: TestResource;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  widgets = await api.define("Widget");
  zones = await api.define("Zone", { scope: "Cluster" });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => {
  name = `w${count++}`;
});

/** Makes an object that something holds. */
function held(...finalizers: string[]): Promise<AssertedObject> {
  return widgets.create({ metadata: { name, finalizers } });
}

describe("deletion without finalizers", () => {
  test("removes the object", async () => {
    const made = await widgets.make(name);
    const { object, gone } = await widgets.delete(name);
    expect(gone).toBe(true);
    const removed = String((await api.store.status()).revision);
    expect(objectOf(object)).toEqual({ ...made, metadata: { ...made.metadata, resourceVersion: removed } });
    expect(await refusal(widgets.get(name))).toBe(`404 NotFound: widgets.demo.dev "${name}" not found`);
    expect(await refusal(widgets.delete(name))).toBe(`404 NotFound: widgets.demo.dev "${name}" not found`);
  });

  test("removes a cluster-scoped object", async () => {
    await zones.make(name);
    expect((await zones.delete(name)).gone).toBe(true);
  });

  test("allows a new object of the same name", async () => {
    const first = await widgets.make(name);
    await widgets.delete(name);
    const second = await widgets.make(name);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  test.each([0, 30])("ignores gracePeriodSeconds %i", async (gracePeriodSeconds) => {
    await widgets.make(name);
    expect((await widgets.delete(name, { gracePeriodSeconds })).gone).toBe(true);
  });
});

describe("deletion with finalizers", () => {
  test("sets deletionTimestamp and keeps the object", async () => {
    const made = await held("demo.dev/x");
    const { object, gone } = await widgets.delete(name);
    expect(gone).toBe(false);
    expect(objectOf(object).metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: ["demo.dev/x"],
      uid: made.metadata.uid,
    });
    expect(await widgets.get(name)).toEqual(objectOf(object));
  });

  test("keeps the first deletionTimestamp on a second delete", async () => {
    await held("demo.dev/x");
    const first = objectOf((await widgets.delete(name)).object);
    await api.clock.advance(60_000);
    const { object, gone } = await widgets.delete(name);
    expect(gone).toBe(false);
    expect(objectOf(object)).toEqual(first);
  });

  test("leaves generation alone for kinds without one", async () => {
    const maps = api.core("configmaps");
    await maps.create({ metadata: { name, finalizers: ["demo.dev/x"] } });
    const { object } = await maps.delete(name);
    expect(objectOf(object).metadata.generation).toBeUndefined();
  });
});

describe("propagation policies", () => {
  test.each([
    [{ propagationPolicy: "Foreground" }, ["demo.dev/x", "foregroundDeletion"]],
    [{ propagationPolicy: "Orphan" }, ["demo.dev/x", "orphan"]],
    [{ orphanDependents: true }, ["demo.dev/x", "orphan"]],
    [{ propagationPolicy: "Background" }, ["demo.dev/x"]],
    [{ orphanDependents: false }, ["demo.dev/x"]],
    [{}, ["demo.dev/x"]],
  ])("%j", async (options, finalizers) => {
    await held("demo.dev/x");
    const { object } = await widgets.delete(name, { ...options, dryRun: true });
    expect(objectOf(object).metadata.finalizers).toEqual(finalizers);
    expect(objectOf((await widgets.delete(name, options)).object).metadata.finalizers).toEqual(finalizers);
  });

  test("a later policy replaces an earlier one", async () => {
    await held("demo.dev/x", "foregroundDeletion");
    const finalizersAfter = async (options: object) =>
      objectOf((await widgets.delete(name, { ...options, dryRun: true })).object).metadata.finalizers;
    expect(await finalizersAfter({ propagationPolicy: "Orphan" })).toEqual(["demo.dev/x", "orphan"]);
    expect(await finalizersAfter({ propagationPolicy: "Background" })).toEqual(["demo.dev/x"]);
    expect(await finalizersAfter({ propagationPolicy: "Foreground" })).toEqual([
      "demo.dev/x",
      "foregroundDeletion",
    ]);
    expect(await finalizersAfter({})).toEqual(["demo.dev/x", "foregroundDeletion"]);
  });

  test("replaces the policy of a deletion in progress", async () => {
    const owner = await held("demo.dev/x");
    const reference = { apiVersion: "demo.dev/v1", kind: "Widget", name, uid: owner.metadata.uid };
    const child = {
      metadata: { name: `${name}-child`, ownerReferences: [{ ...reference, blockOwnerDeletion: true }] },
    };
    await widgets.create({ metadata: { ...child.metadata, finalizers: ["demo.dev/y"] } });
    const first = objectOf((await widgets.delete(name, { propagationPolicy: "Foreground" })).object);
    expect(first.metadata.finalizers).toEqual(["demo.dev/x", "foregroundDeletion"]);
    const second = objectOf((await widgets.delete(name, { propagationPolicy: "Orphan" })).object);
    expect(second.metadata.finalizers).toEqual(["demo.dev/x", "orphan"]);
    expect(second.metadata).toMatchObject({
      generation: 2,
      deletionTimestamp: first.metadata.deletionTimestamp,
    });
  });

  test("Background removes an object that only a policy finalizer kept", async () => {
    await held("orphan");
    expect((await widgets.delete(name, { propagationPolicy: "Background" })).gone).toBe(true);
  });

  test("refuses an unknown policy before reading the object", async () => {
    expect(await refusal(widgets.delete("none", { propagationPolicy: "Sideways" }))).toBe(
      '422 Invalid: DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
    );
    const both = widgets.delete("none", { propagationPolicy: "Orphan", orphanDependents: true });
    expect(await refusal(both)).toMatch(/orphanDependents and deletionPropagation cannot be both set$/);
    expect(await refusal(widgets.delete("none", { gracePeriodSeconds: 1.5 }))).toMatch(
      /^422 .*gracePeriodSeconds/,
    );
  });
});

describe("preconditions", () => {
  test("returns 409 when the uid differs", async () => {
    const { metadata } = await widgets.make(name);
    expect(await refusal(widgets.delete(name, { preconditions: { uid: "other" } }))).toBe(
      `409 Conflict: Operation cannot be fulfilled on Widget.demo.dev "${name}": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
    expect((await widgets.delete(name, { preconditions: { uid: metadata.uid } })).gone).toBe(true);
  });

  test("returns 409 when the resourceVersion differs", async () => {
    const { metadata } = await widgets.make(name);
    const preconditions = { resourceVersion: metadata.resourceVersion };
    const now = await widgets.patch(name, "merge", { spec: { a: 1 } });
    expect(await refusal(widgets.delete(name, { preconditions }))).toBe(
      `409 Conflict: Operation cannot be fulfilled on Widget.demo.dev "${name}": the ResourceVersion in the precondition (${metadata.resourceVersion}) does not match the ResourceVersion in record (${now.metadata.resourceVersion}). The object might have been modified`,
    );
  });
});

describe("dry run", () => {
  test("removes nothing", async () => {
    const made = await widgets.make(name);
    const { object, gone } = await widgets.delete(name, { dryRun: true });
    expect(gone).toBe(true);
    expect(objectOf(object)).toEqual(made);
    expect(await widgets.get(name)).toEqual(made);
  });

  test("stores no deletionTimestamp", async () => {
    const made = await held("demo.dev/x");
    const { object, gone } = await widgets.delete(name, { dryRun: true });
    expect(gone).toBe(false);
    expect(objectOf(object).metadata.deletionTimestamp).toBeDefined();
    expect(await widgets.get(name)).toEqual(made);
  });
});

describe("deletecollection", () => {
  let things: TestResource;

  beforeEach(async () => {
    await api.core("namespaces").make(name);
    things = widgets.in(name);
    for (const [index, color] of ["red", "green", "red"].entries()) {
      await things.create({ metadata: { name: `c${index}`, labels: { color } } });
    }
  });

  test("deletes all objects", async () => {
    await widgets.make(name);
    expect(namesOf(await things.deleteAll())).toEqual(["c0", "c1", "c2"]);
    expect(await things.names()).toEqual([]);
    await widgets.get(name);
  });

  test("deletes only selected objects", async () => {
    const deleted = await things.deleteAll({ labelSelector: "color=red" });
    expect(namesOf(deleted)).toEqual(["c0", "c2"]);
    expect(await things.names()).toEqual(["c1"]);
  });

  test("deletes one page", async () => {
    const deleted = await things.deleteAll({ limit: 2 });
    expect(namesOf(deleted)).toEqual(["c0", "c1"]);
    expect(deleted.continue).toBeDefined();
    expect(await things.names()).toEqual(["c2"]);
  });

  test("deletes nothing in a dry run", async () => {
    expect(namesOf(await things.deleteAll({}, { dryRun: true }))).toHaveLength(3);
    expect(await things.names()).toHaveLength(3);
  });

  test("marks objects with finalizers as deleted", async () => {
    await things.patch("c1", "merge", { metadata: { finalizers: ["demo.dev/x"] } });
    await things.deleteAll();
    expect(await things.names()).toEqual(["c1"]);
    expect((await things.get("c1")).metadata.deletionTimestamp).toBeDefined();
  });

  test("returns 409 when a precondition fails for one of the objects", async () => {
    const { metadata } = await things.get("c0");
    const { text } = await failure(things.deleteAll({}, { preconditions: { uid: metadata.uid } }));
    expect(text).toMatch(/^409 Conflict: .*the UID in the precondition/);
    expect(await things.names()).toEqual(["c1", "c2"]);
  });

  test("deletes hundreds of objects during concurrent writes", async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => things.make(`many-${index}`)));
    const patching = Array.from({ length: 200 }, (_, index) =>
      things.patch(`many-${index}`, "merge", { spec: { a: 1 } }).catch(() => undefined),
    );
    await Promise.all([things.deleteAll(), things.deleteAll(), ...patching]);
    expect(await things.names()).toEqual([]);
  });

  test("refuses invalid options", async () => {
    expect(await refusal(things.deleteAll({}, { propagationPolicy: "Sideways" }))).toMatch(/^422 /);
    expect(await refusal(things.deleteAll({ resourceVersionMatch: "Exact" }))).toMatch(/^422 /);
  });
});
