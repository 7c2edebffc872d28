import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Random } from "../../../model/core.js";
import { refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let zones: TestResource;
let maps: TestResource;

beforeAll(async () => {
  api = await testApi();
  widgets = await api.define("Widget", {
    versions: [
      {
        properties: {
          spec: {
            type: "object",
            required: ["color"],
            properties: { color: { type: "string" }, size: { type: "integer", default: 1, minimum: 0 } },
          },
          status: { type: "object", properties: { ready: { type: "boolean" } } },
        },
      },
    ],
  });
  zones = await api.define("Zone", { scope: "Cluster", versions: [{ subresources: {} }] });
  maps = api.core("configmaps");
});
afterAll(() => api[Symbol.asyncDispose]());

const red = { spec: { color: "red" } };

describe("fields set by the server", () => {
  test("sets uid, creationTimestamp and generation", async () => {
    const made = await widgets.make("one", red);
    expect(made).toMatchObject({
      apiVersion: "demo.dev/v1",
      kind: "Widget",
      metadata: {
        name: "one",
        namespace: "default",
        generation: 1,
        creationTimestamp: "2026-01-01T00:00:00Z",
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
      },
      spec: { color: "red", size: 1 },
    });
    expect(await widgets.get("one")).toEqual(made);
  });

  test("ignores values that the client sends for them", async () => {
    const made = await widgets.create({
      metadata: {
        name: "liar",
        uid: "mine",
        generation: 7,
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        selfLink: "/somewhere",
        resourceVersion: "0",
      },
      ...red,
    });
    expect(made.metadata).toMatchObject({ generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" });
    expect(made.metadata.uid).not.toBe("mine");
    for (const field of ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]) {
      expect(made.metadata).not.toHaveProperty(field);
    }
  });

  test("sets no generation for kinds without one", async () => {
    const made = await maps.create({ metadata: { name: "plain", generation: 3 } });
    expect(made.metadata.generation).toBeUndefined();
  });

  test("drops the status if it is a subresource, keeps it otherwise", async () => {
    const made = await widgets.create({ metadata: { name: "ready" }, ...red, status: { ready: true } });
    expect(made["status"]).toBeUndefined();
    expect((await zones.make("z", { status: { any: 1 } }))["status"]).toEqual({ any: 1 });
  });

  test("records managedFields", async () => {
    const made = await widgets.create(
      { metadata: { name: "mine", labels: { a: "1" } }, ...red },
      { fieldManager: "me" },
    );
    expect(made.metadata.managedFields).toEqual([
      {
        manager: "me",
        operation: "Update",
        apiVersion: "demo.dev/v1",
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
          "f:spec": { ".": {}, "f:color": {}, "f:size": {} },
        },
      },
    ]);
  });

  test("assigns no manager to fields that the server adds", async () => {
    const { spec, metadata } = await api.core("namespaces").create({ metadata: { name: "whose" } });
    expect(spec).toEqual({ finalizers: ["kubernetes"] });
    expect(metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1)).toEqual([
      { "f:metadata": { "f:labels": { ".": {}, "f:kubernetes.io/metadata.name": {} } } },
    ]);
    const service = await api
      .core("services")
      .create({ metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
    expect(service.metadata.managedFields).toMatchObject([{ fieldsV1: { "f:spec": { "f:ports": {} } } }]);
    expect(JSON.stringify(service.metadata.managedFields)).not.toContain('"f:spec":{".":{}');
    expect(service["status"]).toEqual({ loadBalancer: {} });
  });
});

describe("namespace and name", () => {
  test("removes the namespace of cluster-scoped objects", async () => {
    const made = await zones.create({ metadata: { name: "north", namespace: "default" } });
    expect(made.metadata.namespace).toBeUndefined();
  });

  test("returns 400 when the namespace differs from the URL", async () => {
    const body = { metadata: { name: "two", namespace: "other" }, ...red };
    expect(await refusal(widgets.create(body))).toBe(
      "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  test("requires a namespace for namespaced kinds", async () => {
    const everywhere = api.caller.create(
      widgets.type,
      {},
      widgets.body({ metadata: { name: "two" }, ...red }),
    );
    expect(await refusal(everywhere)).toBe('404 NotFound: namespaces "" not found');
  });

  test("returns 409 when the object exists", async () => {
    await widgets.make("again", red);
    expect(await refusal(widgets.make("again", red))).toBe(
      '409 AlreadyExists: widgets.demo.dev "again" already exists',
    );
  });

  test("returns 409 when the object is being deleted", async () => {
    await widgets.create({ metadata: { name: "going", finalizers: ["demo.dev/wait"] }, ...red });
    await widgets.delete("going");
    expect(await refusal(widgets.make("going", red))).toBe(
      '409 AlreadyExists: object is being deleted: widgets.demo.dev "going" already exists',
    );
    const dry = widgets.create({ metadata: { name: "going" }, ...red }, { dryRun: true });
    expect(await refusal(dry)).toMatch(/^409 AlreadyExists: object is being deleted/);
  });
});

describe("generateName", () => {
  test("generates a name from the prefix", async () => {
    const made = await widgets.create({ metadata: { generateName: "w-" }, ...red });
    expect(made.metadata.name).toMatch(/^w-[a-z0-9]{5}$/);
    const long = await widgets.create({ metadata: { generateName: "x".repeat(80) }, ...red });
    expect(long.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  test("is ignored when a name is set", async () => {
    const made = await widgets.create({ metadata: { name: "given", generateName: "w-" }, ...red });
    expect(made.metadata.name).toBe("given");
  });

  test("generates the name before the rules of the kind run", async () => {
    const made = await api.core("namespaces").create({ metadata: { generateName: "team-" } });
    expect(made.metadata.labels).toEqual({ "kubernetes.io/metadata.name": made.metadata.name });
  });

  test("requires name or generateName", async () => {
    expect(await refusal(widgets.create({ metadata: {}, ...red }))).toBe(
      '422 Invalid: Widget.demo.dev "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  });

  /** Repeats itself `times` times before it finds something new. */
  function stubborn(times: number): Random {
    let calls = 0;
    return {
      bytes(length) {
        const bytes = new Uint8Array(length);
        // Names take ten bytes, uids sixteen.
        if (length === 10) bytes[0] = calls++ > times ? calls : 0;
        else globalThis.crypto.getRandomValues(bytes);
        return bytes;
      },
    };
  }

  test("retries eight times when the name exists", async () => {
    await using lucky = await testApi({ random: stubborn(7) });
    const some = lucky.core("configmaps");
    const first = await some.create({ metadata: { generateName: "m-" } });
    expect(first.metadata.name).toBe("m-bbbbb");
    const second = await some.create({ metadata: { generateName: "m-" } });
    expect(second.metadata.name).not.toBe("m-bbbbb");
  });

  test("returns 409 after the last retry", async () => {
    await using unlucky = await testApi({ random: stubborn(100) });
    const some = unlucky.core("configmaps");
    await some.create({ metadata: { generateName: "m-" } });
    expect(await refusal(some.create({ metadata: { generateName: "m-" } }))).toBe(
      '409 AlreadyExists: configmaps "m-bbbbb" already exists, the server was not able to generate a unique name for the object',
    );
  });
});

describe("invalid objects", () => {
  test("refuses a resourceVersion", async () => {
    expect(await refusal(widgets.create({ metadata: { name: "v", resourceVersion: "5" }, ...red }))).toBe(
      "400 BadRequest: resourceVersion should not be set on objects to be created",
    );
  });

  test("reports all violations of the schema in one response", async () => {
    const bad = { metadata: { name: "Bad", labels: { "-": "x" } }, spec: { size: -1 } };
    expect(await refusal(widgets.create(bad))).toMatch(
      /^422 Invalid: Widget\.demo\.dev "Bad" is invalid: \[metadata\.name: Invalid value: "Bad".*metadata\.labels: Invalid value: "-".*spec\.size: Invalid value: -1.*spec\.color: Required value\]$/,
    );
  });

  test("refuses another kind or version", async () => {
    const other = { apiVersion: "demo.dev/v1", kind: "Gadget", metadata: { name: "x" } };
    expect(await refusal(api.caller.create(widgets.type, widgets.scope, { object: other }))).toMatch(
      /^422 Invalid: .*kind: Invalid value: "Gadget": must be Widget/,
    );
    const old = { apiVersion: "demo.dev/v0", kind: "Widget", metadata: { name: "x" } };
    expect(await refusal(api.caller.create(widgets.type, widgets.scope, { object: old }))).toBe(
      "400 BadRequest: the API version in the data (demo.dev/v0) does not match the expected API version (demo.dev/v1)",
    );
  });

  test.each([[null], [[]], ["text"], [5], [true]])("refuses %j instead of an object", async (object) => {
    expect(await refusal(api.caller.create(widgets.type, widgets.scope, { object }))).toMatch(
      /^400 BadRequest: /,
    );
    expect(await refusal(api.caller.create(maps.type, maps.scope, { object }))).toMatch(/^400 BadRequest: /);
  });

  test.each([
    [{ labels: [] }, "array into Go struct field ObjectMeta.labels of type map[string]string"],
    [{ labels: { a: 1 } }, "number into Go struct field ObjectMeta.labels of type string"],
    [{ finalizers: "text" }, "string into Go struct field ObjectMeta.finalizers of type []string"],
    [
      { ownerReferences: { a: 1 } },
      "object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference",
    ],
    [
      { ownerReferences: ["a"] },
      "string into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference",
    ],
    [{ generation: "1" }, "string into Go struct field ObjectMeta.generation of type int64"],
    [{ annotations: { a: {} } }, "object into Go struct field ObjectMeta.annotations of type string"],
  ])("refuses metadata %j", async (metadata, problem) => {
    expect(await refusal(widgets.create({ metadata: { name: "typed", ...metadata }, ...red }))).toBe(
      `400 BadRequest: Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal ${problem}`,
    );
    expect(await refusal(maps.create({ metadata: { name: "typed", ...metadata } }))).toMatch(
      /^400 BadRequest: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal /,
    );
  });

  test("refuses values that JSON cannot represent, and cycles", async () => {
    expect(await refusal(widgets.make("nan", { spec: { color: "red", size: NaN } }))).toBe(
      "400 BadRequest: the object is not JSON: it has NaN in it",
    );
    const round: Record<string, unknown> = { color: "red" };
    round["self"] = round;
    expect(await refusal(widgets.make("round", { spec: round }))).toBe(
      "400 BadRequest: the object is nested too deeply: there are more than 1000 levels",
    );
  });
});

describe("dry run", () => {
  test("returns the same response and stores nothing", async () => {
    const { revision } = await api.store.status();
    const dry = await widgets.create({ metadata: { name: "dry" }, ...red }, { dryRun: true });
    expect((await api.store.status()).revision).toBe(revision);
    expect(dry.metadata.resourceVersion).toBeUndefined();
    const { metadata: made, ...rest } = await widgets.make("dry", red);
    expect(dry).toEqual({
      ...rest,
      metadata: { ...made, uid: dry.metadata.uid, resourceVersion: undefined },
    });
  });

  test("validates the object", async () => {
    expect(await refusal(widgets.create({ metadata: { name: "dry2" }, spec: {} }, { dryRun: true }))).toMatch(
      /^422 /,
    );
    await widgets.make("dry3", red);
    expect(await refusal(widgets.create({ metadata: { name: "dry3" }, ...red }, { dryRun: true }))).toBe(
      '409 AlreadyExists: widgets.demo.dev "dry3" already exists',
    );
    const nowhere = widgets.in("nowhere").create({ metadata: { name: "dry" }, ...red }, { dryRun: true });
    expect(await refusal(nowhere)).toBe('404 NotFound: namespaces "nowhere" not found');
  });
});

describe("request body", () => {
  test("is not changed", async () => {
    const body = widgets.body({ metadata: { name: "frozen", labels: { a: "1" } }, spec: { color: "red" } });
    const before = structuredClone(body);
    await api.caller.create(widgets.type, widgets.scope, body);
    expect(body).toEqual(before);
  });

  test("is reused if it is fresh, and the response shares nothing with the stored object", async () => {
    const object = widgets.body({ metadata: { name: "fresh" }, spec: { color: "red" } }).object;
    const { object: made } = await api.caller.create(widgets.type, widgets.scope, { object, fresh: true });
    expect(made.spec).toEqual({ color: "red", size: 1 });
    expect(Object.isFrozen(made.spec)).toBe(true);
  });

  test("accepts field names such as __proto__ and constructor", async () => {
    const hostile = JSON.parse(
      '{"spec":{"color":"red"},"constructor":1,"__proto__":{"polluted":1}}',
    ) as object;
    const made = await widgets.make("hostile", hostile);
    expect(Object.keys(made).sort()).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    const kept = await zones.make("hostile", {
      spec: JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object,
    });
    expect(JSON.stringify(kept["spec"])).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
