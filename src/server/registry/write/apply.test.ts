import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../../model/core.js";
import { failure, refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let zones: TestResource;
let maps: TestResource;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  const ports = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, port: { type: "integer" } },
    },
  };
  const properties = {
    spec: {
      type: "object",
      properties: { color: { type: "string" }, size: { type: "integer", default: 1 }, ports },
    },
    status: { type: "object", properties: { ready: { type: "boolean" }, seen: { type: "integer" } } },
  };
  widgets = await api.define("Widget", { versions: [{ properties }] });
  zones = await api.define("Zone", { scope: "Cluster" });
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => {
  name = `w${count++}`;
});

/** Applies through the registry itself, which also says whether something was created. */
function applied(object: object, options: object = { fieldManager: "a" }) {
  const body = { object: object as Json };
  return api.caller.patch(widgets.type, widgets.target(name), { type: "apply", body }, options);
}

describe("apply of a new object", () => {
  test("reports that the object was created", async () => {
    const config = { apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name }, spec: { color: "red" } };
    const { object, created } = await applied(config);
    expect(created).toBe(true);
    expect(object.object).toMatchObject({
      metadata: { name, namespace: "default", generation: 1, uid: expect.any(String) },
      spec: { color: "red", size: 1 },
    });
    expect(object.object.metadata.managedFields).toMatchObject([
      { manager: "a", operation: "Apply", fieldsV1: { "f:spec": { "f:color": {} } } },
    ]);
    expect((await applied(config)).created).toBe(false);
  });

  test("takes the name from the URL", async () => {
    const { object } = await applied({ apiVersion: "demo.dev/v1", kind: "Widget", spec: {} });
    expect(object.object.metadata.name).toBe(name);
  });

  test("creates cluster-scoped objects and built-in kinds", async () => {
    expect((await zones.apply(name, "a", { spec: { x: 1 } }))["spec"]).toEqual({ x: 1 });
    expect((await maps.apply(name, "a", { data: { x: "1" } }))["data"]).toEqual({ x: "1" });
  });

  test("requires a field manager", async () => {
    const config = { apiVersion: "demo.dev/v1", kind: "Widget", metadata: { name } };
    expect(await refusal(applied(config, {}))).toBe(
      '422 Invalid: PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  });

  test("returns 409 when the request has a uid", async () => {
    expect(await refusal(widgets.apply(name, "a", { metadata: { name, uid: "u" } }))).toBe(
      `409 Conflict: Operation cannot be fulfilled on widgets.demo.dev "${name}": uid mismatch: the provided object specified uid u, and no existing object was found`,
    );
  });

  test("returns 404 when the namespace does not exist", async () => {
    expect(await refusal(widgets.in("nowhere").apply(name, "a", {}))).toBe(
      '404 NotFound: namespaces "nowhere" not found',
    );
  });

  test("does not create an object through the status", async () => {
    const status = widgets.apply(name, "a", { status: { ready: true } }, { subresource: "status" });
    expect(await refusal(status)).toBe(`404 NotFound: widgets.demo.dev "${name}" not found`);
  });
});

describe("apply to an existing object", () => {
  test("removes a field that is no longer applied, unless another manager owns it", async () => {
    await widgets.apply(name, "a", {
      spec: { color: "red", size: 5 },
      metadata: { name, labels: { x: "1" } },
    });
    await widgets.apply(name, "b", { spec: { size: 5 } });
    const less = await widgets.apply(name, "a", {});
    expect(less["spec"]).toEqual({ size: 5 });
    expect(less.metadata.labels).toBeUndefined();
  });

  test("merges list items by key", async () => {
    await widgets.apply(name, "a", { spec: { ports: [{ name: "http", port: 80 }] } });
    const both = await widgets.apply(name, "b", { spec: { ports: [{ name: "https", port: 443 }] } });
    expect(both["spec"]).toMatchObject({
      ports: [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
      ],
    });
    const one = await widgets.apply(name, "a", { spec: { ports: [] } });
    expect(one["spec"]).toMatchObject({ ports: [{ name: "https", port: 443 }] });
  });

  test("keeps the resourceVersion when applied again", async () => {
    const first = await widgets.apply(name, "a", { spec: { color: "red" } });
    await api.clock.advance(60_000);
    expect(await widgets.apply(name, "a", { spec: { color: "red" } })).toEqual(first);
  });

  test("separates the status from the rest", async () => {
    await widgets.apply(name, "a", { spec: { color: "red" }, status: { ready: true } });
    expect((await widgets.get(name))["status"]).toBeUndefined();
    const config = { spec: { color: "blue" }, status: { ready: true } };
    const updated = await widgets.apply(name, "boss", config, { subresource: "status", force: true });
    expect(updated["spec"]).toMatchObject({ color: "red" });
    expect(updated["status"]).toEqual({ ready: true });
    expect(updated.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: "boss",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:ready": {} } },
      }),
    );
  });

  test("increases generation only when the spec changes", async () => {
    const first = await widgets.apply(name, "a", { spec: { color: "red" } });
    expect(first.metadata.generation).toBe(1);
    const labelled = { metadata: { name, labels: { x: "1" } }, spec: { color: "red" } };
    expect((await widgets.apply(name, "a", labelled)).metadata.generation).toBe(1);
    expect((await widgets.apply(name, "a", { spec: { color: "blue" } })).metadata.generation).toBe(2);
  });

  test("returns 409 when its resourceVersion is stale", async () => {
    const { metadata } = await widgets.apply(name, "a", { spec: { color: "red" } });
    const { resourceVersion } = metadata;
    await widgets.apply(name, "a", { metadata: { name, resourceVersion }, spec: { color: "blue" } });
    const old = widgets.apply(name, "a", { metadata: { name, resourceVersion }, spec: { color: "green" } });
    expect(await refusal(old)).toMatch(/^409 Conflict: .*the object has been modified/);
  });
});

describe("conflicts", () => {
  test("name the manager of each field", async () => {
    await widgets.apply(name, "a", { spec: { color: "red" } });
    const { status, text } = await failure(widgets.apply(name, "b", { spec: { color: "blue" } }));
    expect(text).toBe('409 Conflict: Apply failed with 1 conflict: conflict with "a": .spec.color');
    expect(status.details?.causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "a"', field: ".spec.color" },
    ]);
  });

  test("occur with managers that updated", async () => {
    await widgets.create({ metadata: { name }, spec: { color: "red" } }, { fieldManager: "maker" });
    expect(await refusal(widgets.apply(name, "b", { spec: { color: "blue" } }))).toBe(
      '409 Conflict: Apply failed with 1 conflict: conflict with "maker" using demo.dev/v1: .spec.color',
    );
  });

  test("are overridden by force", async () => {
    await widgets.apply(name, "a", { spec: { color: "red" } });
    const forced = await widgets.apply(name, "b", { spec: { color: "blue" } }, { force: true });
    expect(forced["spec"]).toMatchObject({ color: "blue" });
    expect(forced.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["b"]);
  });

  test("do not occur when the values are equal", async () => {
    await widgets.apply(name, "a", { spec: { color: "red" } });
    const shared = await widgets.apply(name, "b", { spec: { color: "red" } });
    expect(shared.metadata.managedFields?.map(({ manager }) => manager).sort()).toEqual(["a", "b"]);
  });
});

describe("invalid configurations", () => {
  test.each([
    ["an unknown field", { spec: { shape: "round" } }, /^400 .*\.spec\.shape: field not declared in schema/],
    ["a wrong type", { spec: { size: "big" } }, /^400 .*\.spec\.size: expected numeric/],
    ["the same item twice", { spec: { ports: [{ name: "a" }, { name: "a" }] } }, /^400 .*duplicate/],
    [
      "managedFields",
      { metadata: { managedFields: [] } },
      /^400 BadRequest: metadata\.managedFields must be nil$/,
    ],
    ["labels that are a list", { metadata: { labels: ["a"] } }, /^400 .*\.metadata\.labels: expected map/],
    ["another name", { metadata: { name: "other" } }, /^400 .*does not match the name on the URL/],
    ["another namespace", { metadata: { namespace: "other" } }, /^400 .*does not match the namespace sent/],
    [
      "what the schema forbids",
      { metadata: { labels: { a: "-" } } },
      /^422 .*metadata\.labels: Invalid value/,
    ],
  ])("%s", async (_, config, refused) => {
    expect(await refusal(widgets.apply(name, "a", config))).toMatch(refused);
    expect(await refusal(widgets.get(name))).toMatch(/^404 /);
  });

  test.each([[null], [[]], ["text"], [5]])("%j", async (config) => {
    expect(await refusal(applied(config as unknown as object))).toMatch(/^400 /);
  });
});

test("an apply of the status ignores the spec, also a second later", async () => {
  await widgets.make(name);
  const options = { subresource: "status" } as const;
  const first = await widgets.apply(name, "a", { status: { ready: true } }, options);
  await api.clock.advance(2000);
  const second = await widgets.apply(
    name,
    "a",
    { status: { ready: true }, spec: { ports: [{ name: "x", port: 1 }] } },
    options,
  );
  expect(second).toEqual(first);
});

test("dry run stores nothing", async () => {
  const { revision } = await api.store.status();
  const dry = await widgets.apply(name, "a", { spec: { color: "red" } }, { dryRun: true });
  expect(dry).toMatchObject({ metadata: { name }, spec: { color: "red", size: 1 } });
  expect((await api.store.status()).revision).toBe(revision);
  const first = await widgets.apply(name, "a", { spec: { color: "red" } });
  const again = await widgets.apply(name, "a", { spec: { color: "blue" } }, { dryRun: true });
  expect(again["spec"]).toMatchObject({ color: "blue" });
  expect(await widgets.get(name)).toEqual(first);
});

test("concurrent applies of the same new object are all merged", async () => {
  const managers = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await Promise.all(managers.map((manager) => maps.apply(name, manager, { data: { [manager]: "1" } })));
  const map = await maps.get(name);
  expect(Object.keys(map["data"] as object).sort()).toEqual([...managers].sort());
  expect(map.metadata.managedFields).toHaveLength(20);
});
