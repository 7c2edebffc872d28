import { createHash } from "node:crypto";
import type { Document, DocumentSteps, LazyContent, LazyMap } from "../discovery/document.js";
import type { Published } from "./schemas.js";
import { bool, double, int64, mapOf, message, pair, string, wrapped, type Field } from "./protobuf.js";

/** Media types of the document. Responses have the first; older clients request the second. */
export const openApiV2ProtobufTypes = [
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
  "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
] as const;

/**
 * OpenAPI v2 document in gnostic's protobuf format. kubectl 1.27 and 1.28 require it for `explain`, though they then
 * read v3.
 */
export function* openApiV2Protobuf(content: LazyContent): DocumentSteps<Document<readonly Buffer[]>> {
  const hash = createHash("sha256");
  const body: Buffer[] = [];
  const add = (part: Published): void => {
    const encoded = document.encode(part);
    hash.update(encoded);
    body.push(encoded);
  };
  // A message may have a map in several parts, which readers merge.
  for (const [field, value] of Object.entries(content)) {
    if (typeof value !== "function") {
      add({ [field]: value });
      continue;
    }
    for (const [name, one] of (value as LazyMap)()) {
      add({ [field]: { [name]: one } });
      yield;
    }
  }
  return { body, hash: hash.digest("hex").toUpperCase(), contentType: openApiV2ProtobufTypes[0] };
}

/** Any JSON is sent as YAML text. */
const any = message(() => ({ yaml: [2, string] }));
const anyJson = { wire: 2 as const, encode: (value: unknown) => any.encode({ yaml: JSON.stringify(value) }) };
const namedAny = pair(anyJson);

function extensions(number: number): Field {
  return [number, namedAny, "repeated"];
}

const schema = message(
  () => ({
    $ref: [1, string],
    format: [2, string],
    title: [3, string],
    description: [4, string],
    default: [5, anyJson],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, bool],
    minimum: [9, double],
    exclusiveMinimum: [10, bool],
    maxLength: [11, int64],
    minLength: [12, int64],
    pattern: [13, string],
    maxItems: [14, int64],
    minItems: [15, int64],
    uniqueItems: [16, bool],
    maxProperties: [17, int64],
    minProperties: [18, int64],
    required: [19, string, "repeated"],
    enum: [20, anyJson, "repeated"],
    additionalProperties: [21, wrapped((value) => (typeof value === "boolean" ? [2, bool] : [1, schema]))],
    type: [22, wrapped(() => [1, string, "repeated"])],
    items: [23, wrapped(() => [1, schema, "repeated"])],
    allOf: [24, schema, "repeated"],
    properties: [25, mapOf(schema)],
  }),
  extensions(31),
);

const reference = message(() => ({ $ref: [1, string] }));

const bodyParameter = message(() => ({
  description: [1, string],
  name: [2, string],
  in: [3, string],
  required: [4, bool],
  schema: [5, schema],
}));

const queryParameter = message(() => ({
  required: [1, bool],
  in: [2, string],
  description: [3, string],
  name: [4, string],
  type: [6, string],
  uniqueItems: [20, bool],
}));

const pathParameter = message(() => ({
  required: [1, bool],
  in: [2, string],
  description: [3, string],
  name: [4, string],
  type: [5, string],
  uniqueItems: [19, bool],
}));

const nonBodyParameter = wrapped((value) =>
  (value as { in: string }).in === "path" ? [4, pathParameter] : [3, queryParameter],
);

const parameter = wrapped((value) =>
  (value as { in: string }).in === "body" ? [1, bodyParameter] : [2, nonBodyParameter],
);

const parameterOrReference = wrapped((value) =>
  "$ref" in (value as object) ? [2, reference] : [1, parameter],
);

const response = message(() => ({
  description: [1, string],
  schema: [2, wrapped(() => [1, schema])],
}));

const operation = message(
  () => ({
    tags: [1, string, "repeated"],
    description: [3, string],
    operationId: [5, string],
    produces: [6, string, "repeated"],
    consumes: [7, string, "repeated"],
    parameters: [8, parameterOrReference, "repeated"],
    responses: [9, mapOf(wrapped(() => [1, response]))],
    schemes: [10, string, "repeated"],
  }),
  extensions(13),
);

const pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  patch: [8, operation],
  parameters: [9, parameterOrReference, "repeated"],
}));

const apiKey = message(() => ({
  type: [1, string],
  name: [2, string],
  in: [3, string],
  description: [4, string],
}));

const document = message(() => ({
  swagger: [1, string],
  info: [2, message(() => ({ title: [1, string], version: [2, string] }))],
  paths: [8, mapOf(pathItem, 2)],
  definitions: [9, mapOf(schema)],
  parameters: [10, mapOf(parameter)],
  security: [12, mapOf(wrapped(() => [1, string, "repeated"])), "repeated"],
  securityDefinitions: [13, mapOf(wrapped(() => [2, apiKey]))],
}));
