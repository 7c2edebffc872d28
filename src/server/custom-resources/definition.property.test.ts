import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock, type Json } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import { prepareDefinitionCreate } from "./defaults.js";
import type { Definition } from "./definition.js";
import { nextStatus } from "./names.js";
import { resourceTypesOf } from "./resource-types-of.js";
import { validateDefinition } from "./validate-definition.js";
import { definitionWarnings } from "./warnings.js";

/** A definition that uses everything. */
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.demo.dev" },
  spec: {
    group: "demo.dev",
    names: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["w"],
      categories: ["all"],
    },
    scope: "Namespaced",
    conversion: { strategy: "None" },
    preserveUnknownFields: false,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: "old",
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1, default: 1 },
                  color: {
                    type: "string",
                    pattern: "^[a-z]+$",
                    enum: ["red"],
                    default: "red",
                    nullable: true,
                  },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                    default: [{ name: "a" }],
                  },
                  map: { type: "object", additionalProperties: { type: "string", maxLength: 3 } },
                  port: {
                    "x-kubernetes-int-or-string": true,
                    anyOf: [{ type: "integer" }, { type: "string" }],
                  },
                  pod: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
                "x-kubernetes-validations": [{ rule: "self.size > 1", message: "no", fieldPath: ".size" }],
                oneOf: [{ required: ["size"] }, { not: { required: ["color"] } }],
              },
              status: { type: "object", properties: { size: { type: "integer" } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
        },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 }],
        selectableFields: [{ jsonPath: ".spec.size" }],
      },
    ],
  },
};

type Place = { readonly container: Record<string, Json>; readonly key: string };

function placesIn(value: unknown, places: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return places;
  for (const key of Object.keys(value)) {
    places.push({ container: value as Record<string, Json>, key });
    placesIn((value as Record<string, unknown>)[key], places);
  }
  return places;
}

const keywords = [
  "type",
  "items",
  "properties",
  "default",
  "enum",
  "required",
  "x-kubernetes-validations",
  "not",
  "rule",
];
const value = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    "",
    "object",
    "array",
    "Namespaced",
    ".spec[",
    ".a",
    1,
    -1,
    1.5,
    true,
    false,
    null,
    [],
    {},
    [null],
    [{}],
  ),
  fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue() as fc.Arbitrary<Json>) as fc.Arbitrary<Json>,
);

test("the unchanged definition is valid", () => {
  const copy = structuredClone(definition) as Draft;
  prepareDefinitionCreate(copy);
  expect(validateDefinition(copy)).toEqual([]);
});

test("every definition is either rejected or served", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 3 }), (changes) => {
      const draft = structuredClone(definition) as Draft;
      for (const [index, replacement] of changes) {
        const places = placesIn(draft["spec"]);
        const place = places[index % Math.max(1, places.length)];
        if (place) place.container[place.key] = structuredClone(replacement);
      }
      prepareDefinitionCreate(draft);
      if (validateDefinition(draft).length > 0) return;
      const accepted = draft as unknown as Definition;
      definitionWarnings(accepted);
      const status = nextStatus(accepted, [], new VirtualClock());
      for (const type of resourceTypesOf({ ...accepted, status }, { schemaRevision: 0 })) {
        const object: Draft = {
          apiVersion: "demo.dev/v1",
          kind: "Widget",
          metadata: { name: "a" },
          spec: { size: 1 },
        };
        type.rules.prune(object);
        type.rules.applyDefaults(object);
        type.rules.validate(object);
        type.strategy.validate?.(object);
        for (const column of type.columns) column.cell(object, 0);
        for (const read of type.selectableFields.values()) read(object);
        expect(type.schema.properties).toHaveProperty("metadata");
      }
    }),
    { numRuns: 1000 },
  );
});
