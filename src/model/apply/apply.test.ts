import { describe, expect, test } from "vitest";
import { ApiError } from "../errors/api-error.js";
import { deepFreeze } from "../object/freeze.js";
import type { Json, JsonObject } from "../object/json.js";
import type { KubeObject } from "../object/object.js";
import type { StructuralSchema } from "../schema/structural-schema.js";
import { apply, applySteps, type ApplyRequest } from "./apply.js";
import { conflictError } from "./conflicts.js";
import type { FieldOwner } from "./field-owner.js";
import { emptySet } from "./fields/field-set.js";
import { objectType } from "./typed/field-type.js";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const schema: StructuralSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { replicas: { type: "integer" } },
    },
  },
};
const write = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  time: "2026-01-01T00:00:00Z",
  versions: { types: new Map([["apps/v1", objectType(schema)]]) },
};

function config(spec: Json, metadata: JsonObject = {}): JsonObject {
  return deepFreeze({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", ...metadata },
    spec,
  });
}

function owned(spec: Json, manager: string, metadata: JsonObject = {}): KubeObject {
  return deepFreeze({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "d",
      uid: "u",
      ...metadata,
      managedFields: [
        {
          manager,
          operation: "Update" as const,
          apiVersion: "apps/v1",
          fieldsType: "FieldsV1" as const,
          fieldsV1: { "f:spec": { "f:replicas": {} } },
        },
      ],
    },
    spec,
  });
}

function errorOf(request: Partial<ApplyRequest>): ApiError {
  try {
    const result = apply({ ...write, live: undefined, manager: "me", config: config({}), ...request });
    if ("conflicts" in result) return conflictError(result.conflicts);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("a rejected apply", () => {
  test("names owner, version and field of each conflict", () => {
    const error = errorOf({
      live: owned({ replicas: 1 }, "kubectl-client-side-apply"),
      config: config({ replicas: 2 }),
    });
    expect(error.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
      reason: "Conflict",
      details: {
        causes: [
          {
            reason: "FieldManagerConflict",
            message: 'conflict with "kubectl-client-side-apply" using apps/v1',
            field: ".spec.replicas",
          },
        ],
      },
      code: 409,
    });
  });

  test("names all of very many conflicts, in linear time", () => {
    const owner: FieldOwner = {
      manager: "other",
      operation: "Update",
      apiVersion: "apps/v1",
      subresource: "",
      time: undefined,
      fields: emptySet,
    };
    const conflicts = Array.from({ length: 200_000 }, (_, index) => ({ owner, path: [`f:k${index}`] }));
    const { message } = conflictError(conflicts);
    expect(message.split("\n")).toHaveLength(conflicts.length + 1);
    expect(message.endsWith("- .k199999")).toBe(true);
  });

  test.each<[string, Json]>([
    ["a text", "x"],
    ["a list", []],
    ["null", null],
    ["no kind", { apiVersion: "apps/v1" }],
    ["a version with two slashes", { apiVersion: "a/b/c", kind: "Deployment" }],
    ["a version that is a number", { apiVersion: 1, kind: "Deployment" }],
    ["metadata that is a text", { apiVersion: "apps/v1", kind: "Deployment", metadata: "x" }],
    ["an unknown field", { apiVersion: "apps/v1", kind: "Deployment", extra: 1 }],
    [
      "a name from JavaScript",
      JSON.parse('{"apiVersion":"apps/v1","kind":"Deployment","__proto__":{"a":1}}') as Json,
    ],
  ])("is a 400 if the configuration is %s", (_, config) => {
    expect(errorOf({ config }).code).toBe(400);
  });

  test("is a 400 if the configuration is nested too deeply", () => {
    let deep: Json = 1;
    for (let depth = 0; depth < 200_000; depth++) deep = { a: deep };
    const config = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: deep };
    expect(errorOf({ config }).code).toBe(400);
  });
});

describe("an apply", () => {
  test("modifies neither the stored object nor the configuration", () => {
    const live = owned({ replicas: 1, deep: { a: [1] } }, "other");
    const before = structuredClone(live);
    apply({ ...write, live, manager: "me", force: true, config: config({ replicas: 2, deep: { b: 1 } }) });
    expect(live).toEqual(before);
  });

  test("treats __proto__ and constructor as ordinary names", () => {
    const spec = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Json;
    const result = apply({ ...write, live: undefined, manager: "me", config: config(spec) });
    if ("conflicts" in result) throw new Error("there are conflicts");
    expect(JSON.stringify(result.object.spec)).toBe('{"__proto__":{"a":1},"constructor":2}');
    const live = {
      ...result.object,
      metadata: { ...result.object.metadata, managedFields: result.managedFields ?? [] },
    };
    const less = apply({
      ...write,
      live,
      manager: "me",
      config: config(JSON.parse('{"__proto__":{"b":1}}') as Json),
    });
    if ("conflicts" in less) throw new Error("there are conflicts");
    expect(JSON.stringify(less.object.spec)).toBe('{"__proto__":{"b":1}}');
    expect(({} as JsonObject)["a"]).toBeUndefined();
  });

  test("by kubectl removes an annotation that would become too large", () => {
    const metadata = { annotations: { [annotation]: "{}", other: "x" } };
    const live = owned({}, "other", metadata);
    const large = config({ text: "x".repeat(300_000) });
    const result = apply({ ...write, live, manager: "kubectl", config: large });
    if ("conflicts" in result) throw new Error("there are conflicts");
    expect(result.object.metadata.annotations).toEqual({ other: "x" });
  });

  test.each([
    "not JSON",
    "[]",
    '{"apiVersion":"apps/v1beta1","spec":{"replicas":1}}',
    '{"apiVersion":"apps/v1","spec":5}',
  ])("by kubectl takes no fields over by the annotation %s", (text) => {
    const live = owned({ replicas: 1 }, "kubectl-client-side-apply", { annotations: { [annotation]: text } });
    expect(errorOf({ live, manager: "kubectl", config: config({ replicas: 2 }) }).code).toBe(409);
  });
});

test("an apply in steps pauses between them, with the same result", () => {
  const request = {
    ...write,
    live: owned({ replicas: 1 }, "other"),
    manager: "me",
    config: config({ a: 1 }),
  };
  const steps = applySteps(request);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  expect(pauses).toBeGreaterThanOrEqual(5);
  expect(step.value).toEqual(apply(request));
});
