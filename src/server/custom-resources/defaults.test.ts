import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import { applyDefinitionDefaults, prepareDefinitionCreate, prepareDefinitionUpdate } from "./defaults.js";

function withSpec(spec: unknown, status?: unknown): Draft {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {},
    spec,
    status,
  };
}

describe("applyDefinitionDefaults", () => {
  test.each<[string, object, object]>([
    [
      "names and conversion",
      { names: { kind: "Widget", plural: "widgets" } },
      {
        names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
        conversion: { strategy: "None" },
      },
    ],
    [
      "nothing that is said",
      { names: { kind: "A", singular: "b", listKind: "C" }, conversion: { strategy: "Webhook" } },
      { names: { kind: "A", singular: "b", listKind: "C" }, conversion: { strategy: "Webhook" } },
    ],
    [
      "what is empty or null",
      { names: { kind: "A", singular: "", listKind: null, shortNames: null }, conversion: null },
      { names: { kind: "A", singular: "a", listKind: "AList" }, conversion: { strategy: "None" } },
    ],
    ["no names without a kind", { names: {} }, { names: {}, conversion: { strategy: "None" } }],
    [
      "nothing in values of schemas",
      {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                type: "object",
                items: null,
                example: { a: null },
                default: { b: null },
                enum: [null],
                properties: { c: { type: null, "x-kubernetes-validations": [{ rule: "a", message: null }] } },
                allOf: [{ not: { pattern: null, additionalProperties: { title: null } } }],
              },
            },
          },
        ],
      },
      {
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                type: "object",
                example: { a: null },
                default: { b: null },
                enum: [null],
                properties: { c: { "x-kubernetes-validations": [{ rule: "a" }] } },
                allOf: [{ not: { additionalProperties: {} } }],
              },
            },
          },
        ],
        conversion: { strategy: "None" },
      },
    ],
  ])("defaults %s", (_name, spec, expected) => {
    const definition = withSpec(spec);
    applyDefinitionDefaults(definition);
    expect(definition["spec"]).toEqual(expected);
  });

  test.each([
    undefined,
    null,
    1,
    "a",
    [],
    { names: 1, versions: 2 },
    { names: { kind: 3 }, versions: [4, null] },
  ])("accepts %j without an exception", (spec) => {
    const definition = withSpec(spec);
    expect(() => applyDefinitionDefaults(definition)).not.toThrow();
  });
});

const versions = [
  { name: "v1", storage: false },
  { name: "v2", storage: true },
];

test("the status of a new definition has its storage version only", () => {
  const definition = withSpec(
    { names: { kind: "A" }, versions },
    { storedVersions: ["x"], conditions: [{}] },
  );
  prepareDefinitionCreate(definition);
  expect(definition["status"]).toEqual({
    conditions: [],
    acceptedNames: { plural: "", kind: "" },
    storedVersions: ["v2"],
  });
});

test.each([
  [["v1"], ["v1", "v2"]],
  [["v2"], ["v2"]],
  [undefined, ["v2"]],
])("the stored versions %j become %j", (before, after) => {
  const status = Object.freeze({ conditions: [], storedVersions: before });
  const old = withSpec({ versions: [] }, status) as KubeObject;
  const definition = withSpec({ versions }, { storedVersions: ["other"] });
  prepareDefinitionUpdate(definition, old);
  expect(definition["status"]).toEqual({ conditions: [], storedVersions: after });
});
