import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ApiError, type Json, type JsonObject } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import { testApi, type TestApi, type TestResource } from "./fixtures/test-api.js";
import type { Caller, CallerWriteOptions } from "../request/caller.js";
import type { Subresource } from "../resources/resource-type.js";

/** Whatever is sent, the answer is an object or an ApiError that blames the client. */

let api: TestApi;
let kinds: readonly TestResource[];

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
  const spec = {
    type: "object",
    properties: {
      replicas: { type: "integer" },
      ports,
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      any: { "x-kubernetes-preserve-unknown-fields": true },
      either: { "x-kubernetes-int-or-string": true },
      embedded: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
      },
      when: { type: "string", format: "date-time" },
    },
  };
  const status = {
    type: "object",
    properties: {
      replicas: { type: "integer" },
      conditions: { type: "array", items: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
  };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const widgets = await api.define("Widget", {
    versions: [{ properties: { spec, status }, subresources: { status: {}, scale } }],
  });
  const loose = await api.define("Zone", { scope: "Cluster" });
  kinds = [
    widgets,
    loose,
    ...["configmaps", "secrets", "serviceaccounts", "namespaces", "events"].map((plural) => api.core(plural)),
    api.resource("leases", { group: "coordination.k8s.io" }),
    api.resource("events", { group: "events.k8s.io" }),
    api.resource("customresourcedefinitions", { group: "apiextensions.k8s.io" }),
  ];
  await api.define("Gadget");
  for (const things of kinds) {
    const { kind, group } = things.type;
    // Events of both groups are the same.
    if (kind === "CustomResourceDefinition" || group === "events.k8s.io") continue;
    await things.make("target", required(things));
  }
});
afterAll(() => api[Symbol.asyncDispose]());

function required({ type: { kind, group } }: TestResource): object {
  if (kind !== "Event") return {};
  if (group === "") return { involvedObject: { namespace: "default" } };
  return {
    regarding: { namespace: "default" },
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "demo.dev/a",
    reportingInstance: "a",
    action: "Test",
    reason: "Test",
    type: "Normal",
  };
}

/** The object of a kind that is written again and again. */
function targetOf({ type: { kind } }: TestResource): string {
  return kind === "CustomResourceDefinition" ? "gadgets.demo.dev" : "target";
}

/** Values that have surprised somebody somewhere. */
const odd = fc.constantFrom<Json[]>(
  null,
  "",
  "text",
  "\ud800",
  "__proto__",
  0,
  -1,
  1e308,
  -0,
  1.5,
  2 ** 53,
  true,
  [],
  {},
  [[]],
  [null],
  [{}],
  { "": "" },
  { constructor: {} },
  JSON.parse('{"__proto__":{"toString":1}}') as Json,
  "2026-01-01T00:00:00Z",
  "9999-99-99T99:99:99Z",
);
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: odd },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
);

function some(keys: readonly string[]): fc.Arbitrary<Json> {
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4, noNullPrototype: true }),
    },
    { weight: 1, arbitrary: value },
  );
}

const reference = some(["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"]);
const entry = some(["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"]);

/** Mostly what it should be. */
function orNot(arbitrary: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: value });
}

const metadata = orNot(
  fc.record(
    {
      name: value,
      generateName: orNot(fc.constant("g-")),
      namespace: value,
      labels: some(["a", "b/c", "-"]),
      annotations: some(["a", "b/c", "-"]),
      finalizers: orNot(
        fc.array(orNot(fc.constantFrom<Json>("demo.dev/x", "orphan", "x")), { maxLength: 3 }),
      ),
      ownerReferences: orNot(fc.array(reference, { maxLength: 3 })),
      managedFields: orNot(fc.array(entry, { maxLength: 3 })),
      generation: value,
      uid: value,
      resourceVersion: value,
      creationTimestamp: value,
      deletionTimestamp: value,
      deletionGracePeriodSeconds: value,
      selfLink: value,
      unknown: value,
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
);

const fields = [
  "spec",
  "status",
  "data",
  "binaryData",
  "stringData",
  "immutable",
  "type",
  "secrets",
  "imagePullSecrets",
  "involvedObject",
  "regarding",
  "series",
  "eventTime",
  "firstTimestamp",
  "unknown",
];
const inner = [
  "replicas",
  "ports",
  "set",
  "any",
  "either",
  "embedded",
  "when",
  "conditions",
  "finalizers",
  "phase",
  "holderIdentity",
  "renewTime",
  "group",
  "names",
  "versions",
  "scope",
  "conversion",
  "name",
  "apiVersion",
  "kind",
  "metadata",
];
const content = fc.dictionary(fc.constantFrom(...fields), some(inner), { maxKeys: 4, noNullPrototype: true });

/** Fields that replace those of a valid object. */
const changes = fc.tuple(content, fc.option(metadata));

function changed(object: Json, [parts, meta]: [JsonObject, Json]): Json {
  if (!isJsonObject(object)) return object;
  const before = object["metadata"] ?? {};
  const after = isJsonObject(meta) ? { ...(before as JsonObject), ...meta } : meta;
  return { ...object, ...parts, ...(meta !== null && { metadata: after }) };
}

const pointer = fc
  .array(
    fc.constantFrom(
      "metadata",
      "name",
      "labels",
      "a",
      "spec",
      "status",
      "ports",
      "0",
      "-",
      "finalizers",
      "__proto__",
      "data",
      "",
    ),
    { maxLength: 4 },
  )
  .map((path) => path.map((part) => `/${part}`).join(""));
const operation = orNot(
  fc.record(
    {
      op: fc.constantFrom<Json>("add", "remove", "replace", "move", "copy", "test", "nonsense", 5),
      path: orNot(pointer),
      from: orNot(pointer),
      value,
    },
    { requiredKeys: ["op", "path"], noNullPrototype: true },
  ),
);

const options = fc.record({
  dryRun: fc.boolean(),
  fieldValidation: fc.constantFrom("Ignore", "Warn", "Strict"),
  fieldManager: fc.constantFrom("me", "kubectl", undefined),
  subresource: fc.option(fc.constantFrom<Subresource[]>("status", "scale", "finalize"), { nil: undefined }),
});

async function expectClientError(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.status.code).toBeGreaterThanOrEqual(400);
    expect(error.status.code).toBeLessThan(500);
  }
}

/** Enough to cover most cases; set the variable to run more. */
const numRuns = Number(process.env["FETTLE_FUZZ"] ?? 300);

type Write = CallerWriteOptions & { readonly subresource: Subresource | undefined };

/** A kind, an argument and options; with a subresource only if the kind has it. */
function requests<Input>(arbitrary: fc.Arbitrary<Input>): fc.Arbitrary<[TestResource, Input, Write]> {
  return fc.tuple(fc.nat(), arbitrary, options).map(([index, input, write]) => {
    const things = kinds[index % kinds.length];
    if (things === undefined) throw new Error("there are no kinds");
    const has = write.subresource !== undefined && things.type.subresources[write.subresource] !== undefined;
    return [things, input, has ? write : { ...write, subresource: undefined }];
  });
}

/** Sends a request with random arguments and options to random kinds. */
async function sendMany<Input>(
  arbitrary: fc.Arbitrary<Input>,
  send: (things: TestResource, input: Input, write: Write) => Promise<unknown>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(requests(arbitrary), (each) => expectClientError(send(...each))),
    { numRuns },
  );
}

describe("malformed requests get a 4xx and never an internal error", () => {
  test("create", () =>
    sendMany(changes, (things, what, write) => {
      const object = changed(things.body({ metadata: { name: "made" }, ...required(things) }).object, what);
      return api.caller.create(things.type, things.scope, { object }, { ...write, subresource: undefined });
    }));

  test("update", () =>
    sendMany(changes, async (things, what, write) => {
      const { subresource } = write;
      const live = await api.caller.get(things.type, things.target(targetOf(things)), { subresource });
      const object = changed(live.object as unknown as Json, what);
      return api.caller.update(things.type, things.target(targetOf(things)), { object }, write);
    }));

  test.each(["merge", "strategic", "apply"] as const)("%s patch", (type) =>
    sendMany(fc.tuple(changes, fc.boolean()), (things, [what, force], write) => {
      const scale = write.subresource === "scale" && { apiVersion: "autoscaling/v1", kind: "Scale" };
      const config = type === "apply" ? things.body({ metadata: {}, ...scale }).object : {};
      const patch: Parameters<Caller["patch"]>[2] = { type, body: { object: changed(config, what) }, force };
      return api.caller.patch(things.type, things.target(targetOf(things)), patch, write);
    }),
  );

  test("JSON patch", () =>
    sendMany(orNot(fc.array(operation, { maxLength: 4 })), (things, object, write) => {
      const patch: Parameters<Caller["patch"]>[2] = { type: "json", body: { object } };
      return api.caller.patch(things.type, things.target(targetOf(things)), patch, write);
    }));

  test("arbitrary bodies", () =>
    sendMany(fc.oneof(value, metadata), async (things, object, write) => {
      const target = things.target(targetOf(things));
      await expectClientError(api.caller.create(things.type, things.scope, { object }));
      await expectClientError(api.caller.update(things.type, target, { object }, write));
      for (const type of ["merge", "strategic", "apply", "json"] as const) {
        await expectClientError(api.caller.patch(things.type, target, { type, body: { object } }, write));
      }
    }));

  test("stored objects can be read back", async () => {
    await api.api.idle();
    for (const things of kinds) {
      const { items } = await api.caller.list(things.type, {});
      // JSON has no negative zero.
      for (const item of items) {
        expect(JSON.parse(item.bytes().toString())).toEqual(JSON.parse(JSON.stringify(item.object)));
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
