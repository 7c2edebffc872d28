import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../model/core.js";
import { refusal } from "./fixtures/failure.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "./fixtures/test-api.js";

let api: TestApi;
let definitions: TestResource;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  definitions = api.resource("customresourcedefinitions", { group: "apiextensions.k8s.io" });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => {
  name = `n${count++}`;
});

/** A schema with a spec of these fields. */
function spec(properties: JsonObject): JsonObject {
  return { spec: { type: "object", properties } };
}

describe("versions with the same schema", () => {
  let widgets: TestResource;

  beforeAll(async () => {
    const properties = spec({ color: { type: "string" } });
    widgets = await api.define("Widget", { versions: [{ properties }, { name: "v2", properties }] });
  });

  test("return the object in the requested version", async () => {
    const one = await widgets.make(name, { spec: { color: "red" } });
    const two = await widgets.at("v2").get(name);
    expect(two).toEqual({ ...one, apiVersion: "demo.dev/v2" });
    const answer = await api.caller.get(widgets.at("v2").type, widgets.target(name));
    expect(JSON.parse(answer.bytes().toString())).toEqual(two);
  });

  test("accept writes in any version", async () => {
    const two = await widgets.at("v2").make(name, { spec: { color: "red" } });
    const patched = await widgets.patch(name, "merge", { spec: { color: "blue" } });
    expect(patched.apiVersion).toBe("demo.dev/v1");
    expect(patched.metadata.generation).toBe(2);
    expect(await refusal(widgets.at("v2").update(two))).toMatch(/^409 Conflict/);
    expect(await widgets.at("v2").update({ ...patched, apiVersion: "demo.dev/v2" })).toEqual({
      ...patched,
      apiVersion: "demo.dev/v2",
    });
  });

  test("are stored in the storage version", async () => {
    await widgets.at("v2").make(name);
    const entry = await api.store.get(`/demo.dev/widgets/default/${name}`);
    expect(Buffer.from(entry?.value ?? []).toString()).toMatch(
      /^\{"apiVersion":"demo\.dev\/v1","kind":"Widget"/,
    );
  });

  test("are listed and watched in any version", async () => {
    const events = widgets.at("v2").watch({ fieldSelector: `metadata.name=${name}` });
    const made = await widgets.make(name);
    expect(await events.next()).toEqual({ type: "ADDED", object: { ...made, apiVersion: "demo.dev/v2" } });
    await events.close();
    const { items } = await widgets.at("v2").list();
    expect(items.every(({ object }) => object.apiVersion === "demo.dev/v2")).toBe(true);
  });

  test("report apply conflicts across versions", async () => {
    await widgets.apply(name, "a", { spec: { color: "red" } });
    expect(await refusal(widgets.at("v2").apply(name, "b", { spec: { color: "blue" } }))).toMatch(
      /conflict with "a": \.spec\.color$/,
    );
  });
});

describe("versions with different schemas", () => {
  let gadgets: TestResource;

  beforeAll(async () => {
    gadgets = await api.define("Gadget", {
      versions: [
        { properties: spec({ color: { type: "string" }, size: { type: "integer", default: 1 } }) },
        {
          name: "v2",
          properties: spec({ color: { type: "string" }, shape: { type: "string", default: "round" } }),
        },
      ],
    });
  });

  test("return the fields of their schema, with its defaults", async () => {
    await gadgets.make(name, { spec: { color: "red", size: 5 } });
    expect((await gadgets.get(name))["spec"]).toEqual({ color: "red", size: 5 });
    expect((await gadgets.at("v2").get(name))["spec"]).toEqual({ color: "red", shape: "round" });
  });

  test("keep fields that only the storage version has", async () => {
    const two = await gadgets.at("v2").make(name, { spec: { color: "red", shape: "square" } });
    expect(two["spec"]).toEqual({ color: "red", shape: "round" });
    expect((await gadgets.get(name))["spec"]).toEqual({ color: "red", size: 1 });
  });

  test("keep the resourceVersion when nothing changes", async () => {
    const one = await gadgets.make(name, { spec: { color: "red" } });
    const two = await gadgets.at("v2").get(name);
    expect(await gadgets.at("v2").update(two)).toEqual(two);
    expect(await gadgets.get(name)).toEqual(one);
  });
});

describe("after a change of the schema", () => {
  let parts: TestResource;
  let old: AssertedObject;

  async function changeSchema(properties: JsonObject): Promise<void> {
    const path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    await definitions.patch("parts.demo.dev", "json", [{ op: "replace", path, value: properties }]);
  }

  beforeAll(async () => {
    parts = await api.define("Part", {
      versions: [{ properties: spec({ color: { type: "string" }, size: { type: "integer" } }) }],
    });
    old = await parts.make("old", { spec: { color: "red", size: 5 } });
    await changeSchema({
      color: { type: "string", maxLength: 2 },
      shape: { type: "string", default: "round" },
    });
  });

  test("existing objects are pruned and defaulted by every kind of read", async () => {
    const shown = { color: "red", shape: "round" };
    expect((await parts.get("old"))["spec"]).toEqual(shown);
    const [item] = (await parts.list()).items;
    expect(item?.object.spec).toEqual(shown);
    expect(JSON.parse(item?.bytes().toString() ?? "")).toMatchObject({ spec: shown });
    const events = parts.watch();
    expect((await events.next())?.object["spec"]).toEqual(shown);
    await events.close();
    expect((await parts.get("old")).metadata).toEqual(old.metadata);
  });

  test("existing objects are rewritten by the next write, even one without changes", async () => {
    const before = await parts.get("old");
    // What was valid before and has not changed may stay.
    const rewritten = await parts.update(before);
    expect(rewritten["spec"]).toEqual({ color: "red", shape: "round" });
    expect(rewritten.metadata.generation).toBe(before.metadata.generation);
    expect(Number(rewritten.metadata.resourceVersion)).toBeGreaterThan(
      Number(before.metadata.resourceVersion),
    );
    expect(await parts.update(rewritten)).toEqual(rewritten);
  });

  test("new objects follow the new schema", async () => {
    expect(await refusal(parts.make(name, { spec: { color: "red" } }))).toMatch(
      /^422 .*spec\.color: Too long/,
    );
    expect((await parts.make(name, { spec: { color: "re" } }))["spec"]).toEqual({
      color: "re",
      shape: "round",
    });
  });
});

test("objects are served in the remaining versions when one is no longer served", async () => {
  const things = await api.define("Thing", { versions: [{}, { name: "v2" }] });
  await things.at("v2").make("t");
  await definitions.patch("things.demo.dev", "json", [
    { op: "replace", path: "/spec/versions/1/served", value: false },
  ]);
  expect(() => things.at("v2").type).toThrow("things are not served");
  expect((await things.get("t")).apiVersion).toBe("demo.dev/v1");
});
