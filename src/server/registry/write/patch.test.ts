import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { failure, refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let zones: TestResource;
let maps: TestResource;
let made: AssertedObject;
let name: string;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  const properties = {
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer", default: 1 },
        tags: { type: "array", items: { type: "string" } },
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  };
  widgets = await api.define("Widget", { versions: [{ properties }] });
  zones = await api.define("Zone", { scope: "Cluster" });
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  name = `w${count++}`;
  made = await widgets.create({ metadata: { name }, spec: { color: "red", tags: ["a", "b"] } });
});

describe("merge patch", () => {
  test("sets, replaces and removes fields", async () => {
    const patched = await widgets.patch(name, "merge", {
      metadata: { labels: { a: "1" } },
      spec: { color: null, size: 2, tags: ["c"] },
    });
    expect(patched["spec"]).toEqual({ size: 2, tags: ["c"] });
    expect(patched.metadata).toMatchObject({ labels: { a: "1" }, generation: 2 });
    expect(await widgets.get(name)).toEqual(patched);
  });

  test("keeps the resourceVersion when the patch is empty", async () => {
    expect(await widgets.patch(name, "merge", {})).toEqual(made);
    expect(await widgets.patch(name, "merge", { spec: { color: "red" } })).toEqual(made);
  });

  test("applies defaults to removed fields", async () => {
    const patched = await widgets.patch(name, "merge", { spec: { size: null } });
    expect(patched).toEqual(made);
  });

  test("patches cluster-scoped objects", async () => {
    await zones.make(name, { spec: { a: 1 } });
    const patched = await zones.patch(name, "merge", { spec: { b: 2 } });
    expect(patched["spec"]).toEqual({ a: 1, b: 2 });
  });

  test("returns 409 when its resourceVersion is stale", async () => {
    const { resourceVersion } = made.metadata;
    await widgets.patch(name, "merge", { metadata: { resourceVersion }, spec: { size: 2 } });
    const again = widgets.patch(name, "merge", { metadata: { resourceVersion }, spec: { size: 3 } });
    expect(await refusal(again)).toMatch(/^409 Conflict: .*the object has been modified/);
  });

  test("refuses to remove the resourceVersion of custom kinds, and ignores it for built-in ones", async () => {
    const patch = { metadata: { resourceVersion: null, labels: { a: "1" } } };
    expect(await refusal(widgets.patch(name, "merge", patch))).toMatch(
      /^422 Invalid: .*must be specified for an update/,
    );
    await maps.make(name);
    expect((await maps.patch(name, "merge", patch)).metadata.labels).toEqual({ a: "1" });
  });

  test("changes only the status through the status subresource", async () => {
    const patch = { spec: { color: "blue" }, status: { ready: true } };
    const patched = await widgets.patch(name, "merge", patch, {
      subresource: "status",
      fieldManager: "boss",
    });
    expect(patched["spec"]).toEqual(made["spec"]);
    expect(patched["status"]).toEqual({ ready: true });
    expect(patched.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "boss", subresource: "status" }),
    );
    expect((await widgets.patch(name, "merge", { status: { ready: false } }))["status"]).toEqual({
      ready: true,
    });
  });
});

describe("JSON patch", () => {
  test("applies all operations", async () => {
    const patched = await widgets.patch(name, "json", [
      { op: "test", path: "/spec/color", value: "red" },
      { op: "replace", path: "/spec/color", value: "blue" },
      { op: "add", path: "/spec/tags/-", value: "c" },
      { op: "remove", path: "/spec/tags/0" },
    ]);
    expect(patched["spec"]).toEqual({ color: "blue", size: 1, tags: ["b", "c"] });
  });

  test("returns 422 when a test operation fails", async () => {
    const { status, text } = await failure(
      widgets.patch(name, "json", [{ op: "test", path: "/spec/color", value: "green" }]),
    );
    expect(text).toBe("422 Invalid: the server rejected our request due to an error in our request");
    expect(status.details?.causes).toEqual([
      { reason: "UnexpectedServerResponse", message: expect.any(String) },
    ]);
    expect(await widgets.get(name)).toEqual(made);
  });

  test.each([
    [{ not: "a list" }, /^400 BadRequest/],
    [[{ op: "explode" }], /^400 BadRequest/],
    [[{ op: "remove", path: "/spec/none" }], /^422 Invalid/],
    [Array.from({ length: 10_001 }, () => ({ op: "add", path: "/spec/size", value: 1 })), /^413 /],
  ])("refuses invalid patch %#", async (patch, refused) => {
    expect(await refusal(widgets.patch(name, "json", patch))).toMatch(refused);
  });

  test("replaces the whole object", async () => {
    const whole = { ...made, spec: { color: "blue" } };
    const patched = await widgets.patch(name, "json", [{ op: "replace", path: "", value: whole }]);
    expect(patched["spec"]).toEqual({ color: "blue", size: 1 });
    expect(await refusal(widgets.patch(name, "json", [{ op: "replace", path: "", value: 5 }]))).toMatch(
      /^400 /,
    );
  });

  test("limits the depth of the patched object", async () => {
    let nested: object = {};
    for (let level = 0; level < 990; level++) nested = { x: nested };
    await widgets.patch(name, "merge", { spec: { any: nested } });
    const path = `/spec/any${"/x".repeat(989)}/x`;
    let more: object = {};
    for (let level = 0; level < 100; level++) more = { x: more };
    expect(await refusal(widgets.patch(name, "json", [{ op: "add", path, value: more }]))).toMatch(/^4\d\d /);
  });
});

describe("strategic merge patch", () => {
  test("merges maps, and lists by key", async () => {
    const accounts = api.core("serviceaccounts");
    await accounts.make(name, { secrets: [{ name: "a" }] });
    const patched = await accounts.patch(name, "strategic", { secrets: [{ name: "b" }] });
    expect(patched["secrets"]).toEqual([{ name: "b" }, { name: "a" }]);
    const less = await accounts.patch(name, "strategic", { secrets: [{ $patch: "delete", name: "b" }] });
    expect(less["secrets"]).toEqual([{ name: "a" }]);
  });

  test("merges the data of a map", async () => {
    await maps.make(name, { data: { a: "1", b: "2" } });
    const patched = await maps.patch(name, "strategic", { data: { a: null, c: "3" } });
    expect(patched["data"]).toEqual({ b: "2", c: "3" });
  });

  test("refuses a patch that does not fit the kind", async () => {
    await maps.make(name);
    expect(await refusal(maps.patch(name, "strategic", { data: { a: 1 } }))).toMatch(
      /^422 Invalid: .*patch: Invalid value: "\{\\"data\\":\{\\"a\\":1\}\}": json: cannot unmarshal number into Go struct field ConfigMap\.data of type string/,
    );
    expect(await refusal(maps.patch(name, "strategic", 5))).toMatch(/^400 /);
  });
});

describe("identity of the object", () => {
  test.each(["merge", "strategic"] as const)("cannot be changed by a %s patch", async (type) => {
    const things = type === "strategic" ? maps : widgets;
    if (type === "strategic") await maps.make(name);
    const patch = (object: unknown) => refusal(things.patch(name, type, object));
    expect(await patch({ metadata: { name: "other" } })).toBe(
      `400 BadRequest: the name of the object (other) does not match the name on the URL (${name})`,
    );
    expect(await patch({ metadata: { namespace: "other" } })).toBe(
      "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
    );
    expect(await patch({ metadata: { uid: "other" } })).toMatch(
      /^422 .*metadata\.uid: Invalid value: "other": field is immutable/,
    );
    // A strategic merge patch works on a structure without kind.
    if (type === "strategic") expect(await things.patch(name, type, { kind: "Other" })).toBeDefined();
    else {
      expect(await patch({ kind: "Other" })).toMatch(/^4(00|22) /);
      expect(await patch({ apiVersion: "other/v1" })).toMatch(
        /^400 .*does not match the expected API version/,
      );
    }
    expect(await patch({ metadata: null })).toMatch(/^400 .*name must be provided/);
  });
});

describe("field validation", () => {
  const patch = { spec: { shape: "round" } };

  test("Strict refuses unknown fields", async () => {
    const { text } = await failure(widgets.patch(name, "merge", patch, { fieldValidation: "Strict" }));
    expect(text).toMatch(
      /^422 Invalid: .*patch: Invalid value: "\{.*\\"shape\\":\\"round\\".*\}": strict decoding error: unknown field "spec\.shape"$/,
    );
  });

  test("Warn warns about unknown fields", async () => {
    const warnings: string[] = [];
    const body = { object: patch, duplicates: ['duplicate field "spec.shape"'] };
    const { object } = await api.caller.patch(
      widgets.type,
      widgets.target(name),
      { type: "merge", body },
      { warn: (text) => warnings.push(text) },
    );
    expect(object.object).toEqual(made);
    expect(warnings).toEqual(['unknown field "spec.shape"', 'duplicate field "spec.shape"']);
  });

  test("Ignore drops unknown fields silently", async () => {
    const warn = (text: string): void => {
      throw new Error(text);
    };
    expect(await widgets.patch(name, "merge", patch, { fieldValidation: "Ignore", warn })).toEqual(made);
  });
});

describe("dry run", () => {
  test.each(["merge", "json"] as const)("of a %s patch stores nothing", async (type) => {
    const patch =
      type === "merge" ? { spec: { size: 5 } } : [{ op: "replace", path: "/spec/size", value: 5 }];
    const { revision } = await api.store.status();
    const dry = await widgets.patch(name, type, patch, { dryRun: true });
    expect((await api.store.status()).revision).toBe(revision);
    const patched = await widgets.patch(name, type, patch);
    const { resourceVersion } = dry.metadata;
    expect(dry).toEqual({ ...patched, metadata: { ...patched.metadata, resourceVersion } });
  });
});

test("returns 404 when the object does not exist", async () => {
  for (const type of ["merge", "json"] as const) {
    expect(await refusal(widgets.patch("none", type, []))).toBe(
      '404 NotFound: widgets.demo.dev "none" not found',
    );
  }
});

test("records managedFields", async () => {
  const patched = await widgets.patch(name, "merge", { spec: { size: 5 } }, { fieldManager: "sizer" });
  expect(patched.metadata.managedFields).toMatchObject([
    { manager: "sizer", operation: "Update", fieldsV1: { "f:spec": { "f:size": {} } } },
    { manager: "unknown", operation: "Update", fieldsV1: { "f:spec": { "f:color": {} } } },
  ]);
});

test("removing the last finalizer removes the object", async () => {
  await widgets.patch(name, "merge", { metadata: { finalizers: ["demo.dev/x"] } });
  await widgets.delete(name);
  await widgets.patch(name, "merge", { metadata: { finalizers: null } });
  expect(await refusal(widgets.get(name))).toMatch(/^404 /);
});
