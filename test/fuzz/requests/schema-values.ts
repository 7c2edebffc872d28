import type { Json, JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";
import { setField } from "./places.js";

/** The part of an OpenAPI schema that values are generated from. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

type Schemas = ReadonlyMap<string, OpenApiSchema>;

const texts = [
  "a",
  "b",
  "name",
  "app=web",
  "10m",
  "1Gi",
  "TCP",
  "http",
  "8080",
  "IfNotPresent",
  "Always",
  "50%",
  "",
];

/** Value that satisfies a schema, apart from rules that a schema cannot express. */
export function valueOf(schema: OpenApiSchema, schemas: Schemas, choices: Choices, depth = 0): Json {
  if (schema.$ref !== undefined) {
    const target = schemas.get(schema.$ref);
    return target === undefined ? {} : valueOf(target, schemas, choices, depth);
  }
  const [only] = schema.allOf ?? [];
  if (only !== undefined) return valueOf(only, schemas, choices, depth);
  if (schema.enum !== undefined && schema.enum.length > 0) return choices.pick(schema.enum);
  if (schema["x-kubernetes-int-or-string"] || schema.oneOf !== undefined)
    return choices.pick<Json>([1, "25%", 80, "http"]);
  switch (schema.type) {
    case "object":
      return objectOf(schema, schemas, choices, depth);
    case "array": {
      const { items } = schema;
      if (items === undefined || depth > 6) return [];
      return Array.from({ length: choices.below(3) }, () => valueOf(items, schemas, choices, depth + 1));
    }
    case "integer":
      return choices.pick([0, 1, 2, 30, 8080, 2 ** 31 - 1]);
    case "number":
      return choices.pick([0, 1.5, 100, -2.25]);
    case "boolean":
      return choices.once(2);
    case "string":
      return textOf(schema, choices);
  }
  return choices.pick<Json>([{}, { a: 1 }, "any"]);
}

function objectOf(schema: OpenApiSchema, schemas: Schemas, choices: Choices, depth: number): JsonObject {
  const made: JsonObject = {};
  const { properties = {}, required = [], additionalProperties } = schema;
  for (const [name, property] of Object.entries(properties)) {
    // Fewer fields at greater depth, since schemas may be recursive.
    if (!required.includes(name) && !choices.once(2 + depth * 2)) continue;
    if (depth < 9) setField(made, name, valueOf(property, schemas, choices, depth + 1));
  }
  if (typeof additionalProperties === "object") {
    for (const key of choices.several(["a", "b", "cpu", "memory"], 2)) {
      setField(made, key, valueOf(additionalProperties, schemas, choices, depth + 1));
    }
  }
  return made;
}

function textOf({ format }: OpenApiSchema, choices: Choices): string {
  if (format === "date-time") return choices.pick(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"]);
  if (format === "byte") return "aGVsbG8=";
  return choices.pick(texts);
}
