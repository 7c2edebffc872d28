import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anything } from "../fixtures/definitions.js";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let made: AssertedObject;
let name: string;
let count = 0;

const subresource = "scale";

beforeAll(async () => {
  api = await testApi();
  const properties = {
    spec: { ...anything, properties: { count: { type: "integer", maximum: 10 } } },
    status: anything,
  };
  const scale = {
    specReplicasPath: ".spec.count",
    statusReplicasPath: ".status.count",
    labelSelectorPath: ".status.selector",
  };
  widgets = await api.define("Widget", { versions: [{ properties, subresources: { status: {}, scale } }] });
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  name = `w${count++}`;
  made = await widgets.create(
    { metadata: { name, labels: { a: "1" } }, spec: { count: 3, color: "red" } },
    { fieldManager: "maker" },
  );
});

/** Replaces the Scale. */
async function put(scale: object, options: object = {}): Promise<AssertedObject> {
  const object = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, ...scale } as never;
  const written = await api.caller.update(
    widgets.type,
    widgets.target(name),
    { object },
    { subresource, ...options },
  );
  return written.object.object as unknown as AssertedObject;
}

/** Applies a Scale. */
async function apply(
  scale: object,
  options: { force?: boolean; fieldManager?: string } = {},
): Promise<AssertedObject> {
  const object = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, ...scale } as never;
  const { force, fieldManager = "scaler" } = options;
  const patch = { type: "apply", body: { object }, force } as const;
  const written = await api.caller.patch(widgets.type, widgets.target(name), patch, {
    subresource,
    fieldManager,
  });
  return written.object.object as unknown as AssertedObject;
}

describe("get", () => {
  test("returns spec.replicas and status.replicas", async () => {
    const { uid, namespace, creationTimestamp } = made.metadata;
    const running = await widgets.patch(
      name,
      "merge",
      { status: { count: 2, selector: "a=1" } },
      { subresource: "status" },
    );
    expect(await widgets.get(name, { subresource })).toEqual({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: {
        name,
        namespace,
        uid,
        creationTimestamp,
        resourceVersion: running.metadata.resourceVersion,
      },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=1" },
    });
  });

  test("returns 0 for missing replicas", async () => {
    await widgets.make(`${name}-empty`);
    expect(await widgets.get(`${name}-empty`, { subresource })).toMatchObject({
      spec: { replicas: 0 },
      status: { replicas: 0 },
    });
  });

  test("returns 404 when the object does not exist", async () => {
    expect(await refusal(widgets.get("none", { subresource }))).toBe(
      '404 NotFound: widgets.demo.dev "none" not found',
    );
  });
});

describe("update", () => {
  test("changes only the replicas", async () => {
    const scale = await put(
      { metadata: { name, labels: { b: "2" } }, spec: { replicas: 5 }, status: { replicas: 9 } },
      { fieldManager: "scaler" },
    );
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 5 }, status: { replicas: 0 } });
    const scaled = await widgets.get(name);
    expect(scaled["spec"]).toEqual({ count: 5, color: "red" });
    expect(scaled.metadata).toMatchObject({ labels: { a: "1" }, generation: 2 });
    expect(scaled.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: "scaler",
        operation: "Update",
        subresource: "scale",
        fieldsV1: { "f:spec": { "f:count": {} } },
      }),
    );
  });

  test("keeps the resourceVersion when the replicas are the same", async () => {
    await put({ spec: { replicas: 3 } });
    expect(await widgets.get(name)).toEqual(made);
  });

  test("sets 0 when replicas is missing", async () => {
    expect((await put({}))["spec"]).toEqual({ replicas: 0 });
  });

  test("checks resourceVersion and uid", async () => {
    const { resourceVersion, uid } = made.metadata;
    await put({ metadata: { name, resourceVersion, uid }, spec: { replicas: 4 } });
    expect(await refusal(put({ metadata: { name, resourceVersion }, spec: { replicas: 5 } }))).toMatch(
      /^409 Conflict: .*the object has been modified/,
    );
    expect(await refusal(put({ metadata: { name, uid: "other" }, spec: { replicas: 5 } }))).toMatch(
      /^409 Conflict: .*Precondition failed: UID in precondition: other/,
    );
  });

  test("stores nothing in a dry run", async () => {
    expect((await put({ spec: { replicas: 5 } }, { dryRun: true }))["spec"]).toEqual({ replicas: 5 });
    expect(await widgets.get(name)).toEqual(made);
  });

  test.each([
    [
      { spec: { replicas: -1 } },
      /^422 Invalid: Scale\.autoscaling "w\d+" is invalid: spec\.replicas: Invalid value: -1: must be greater than or equal to 0$/,
    ],
    [
      { spec: { replicas: 11 } },
      /^422 Invalid: Widget\.demo\.dev .*spec\.count in body should be less than or equal to 10/,
    ],
    [
      { spec: { replicas: "5" } },
      /^400 BadRequest: Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string/,
    ],
    [{ spec: { replicas: 2 ** 31 } }, /^400 BadRequest: Scale in version/],
    [{ spec: [] }, /^400 /],
    [{ metadata: { name: "other" } }, /^400 .*does not match the name on the URL/],
    [{ metadata: [] }, /^400 /],
    [{ kind: "Widget" }, /^400 /],
    [{ apiVersion: "autoscaling/v2" }, /^400 .*does not match the expected API version/],
  ])("refuses %j", async (scale, refused) => {
    expect(await refusal(put(scale))).toMatch(refused);
    expect(await widgets.get(name)).toEqual(made);
  });

  test("reports unknown fields according to fieldValidation", async () => {
    expect(await refusal(put({ spec: { replicas: 1, more: 1 } }, { fieldValidation: "Strict" }))).toBe(
      '400 BadRequest: Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.more"',
    );
  });
});

describe("patch", () => {
  test.each([
    ["merge", { spec: { replicas: 7 } }],
    ["json", [{ op: "replace", path: "/spec/replicas", value: 7 }]],
    ["strategic", { spec: { replicas: 7 } }],
  ] as const)("%s", async (type, patch) => {
    const scale = await widgets.patch(name, type, patch, { subresource });
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 7 } });
    expect((await widgets.get(name))["spec"]).toEqual({ count: 7, color: "red" });
  });

  test("keeps the resourceVersion when nothing changes", async () => {
    await widgets.patch(name, "merge", { metadata: { labels: { b: "2" } } }, { subresource });
    expect(await widgets.get(name)).toEqual(made);
  });

  test("returns 400 when the patched Scale has no replicas", async () => {
    const bare = await widgets.make(`${name}-bare`);
    const nothing = widgets.patch(`${name}-bare`, "merge", { metadata: { labels: {} } }, { subresource });
    expect(await refusal(nothing)).toBe(
      '400 BadRequest: the spec replicas field ".spec.count" cannot be empty',
    );
    expect(await widgets.get(`${name}-bare`)).toEqual(bare);
    const zero = await widgets.patch(`${name}-bare`, "merge", { spec: { replicas: 0 } }, { subresource });
    expect(zero["spec"]).toEqual({ replicas: 0 });
    expect((await widgets.get(`${name}-bare`))["spec"]).toEqual({ count: 0 });
  });

  test.each([
    [{ spec: { replicas: "many" } }, /^422 Invalid: .*patch: Invalid value: .*json: cannot unmarshal string/],
    [{ spec: 5 }, /^422 Invalid: .*patch: Invalid value/],
    [{ metadata: { name: "other" } }, /^400 /],
    [{ spec: { replicas: -1 } }, /^422 /],
  ])("refuses %j", async (patch, refused) => {
    expect(await refusal(widgets.patch(name, "merge", patch, { subresource }))).toMatch(refused);
  });
});

describe("apply", () => {
  test("owns the replicas field", async () => {
    const scale = await apply({ spec: { replicas: 3 } });
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 3 } });
    expect((await widgets.get(name)).metadata.managedFields).toContainEqual(
      expect.objectContaining({
        manager: "scaler",
        operation: "Apply",
        subresource: "scale",
        fieldsV1: { "f:spec": { "f:count": {} } },
      }),
    );
  });

  test("returns 409 when another manager owns the replicas", async () => {
    expect(await refusal(apply({ spec: { replicas: 5 } }))).toBe(
      '409 Conflict: Apply failed with 1 conflict: conflict with "maker" using demo.dev/v1: .spec.count',
    );
    expect((await apply({ spec: { replicas: 5 } }, { force: true }))["spec"]).toEqual({ replicas: 5 });
    expect((await widgets.get(name))["spec"]).toEqual({ count: 5, color: "red" });
  });

  test("returns 404 when the object does not exist", async () => {
    name = "none";
    expect(await refusal(apply({ spec: { replicas: 1 } }))).toMatch(/^404 NotFound/);
  });
});
