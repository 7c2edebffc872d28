import type { Resource } from "../../../model/resource/resource-types.js";
import type { StructuralSchema } from "../../../model/schema/structural-schema.js";
import { confirmHeader, type ServedPath } from "./endpoints.js";
import type { RestMethod, RestResource } from "./rest-resource.js";

type JsonSchema = Readonly<Record<string, unknown>>;

export interface OpenApiOptions {
  readonly basePath: string;
  readonly version: string;
  readonly paths: readonly ServedPath[];
}

/** OpenAPI 3.1 document of the REST API. */
export function openApiDocument({ basePath, version, paths }: OpenApiOptions): JsonSchema {
  const schemas: Record<string, JsonSchema> = { Problem: problemSchema };
  const items: Record<string, JsonSchema> = {};
  for (const path of paths) {
    if ("resource" in path.target)
      schemas[path.target.resource.kind.kind] ??= documentSchema(path.target.resource);
    items[path.template] = pathItem(path);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control plane",
      version,
      description: "A view of the objects of the control plane. Errors are problem details (RFC 9457).",
    },
    servers: [{ url: basePath }],
    security: [{ token: [] }],
    paths: items,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

function pathItem({ template, target, methods, description }: ServedPath): JsonSchema {
  const isNamespaced =
    "resource" in target &&
    target.resource.kind.scope === "Namespaced" &&
    target.resource.namespace === undefined;
  const parameters = [
    ...(template.includes("{id}") ? [{ ...parameter("id", "path", "string"), required: true }] : []),
    ...(isNamespaced ? [parameter("namespace", "query", "string", "Default: default")] : []),
  ];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(
      methods.map((method) => [
        method.toLowerCase(),
        {
          ...(description !== undefined && { description }),
          ...operationOf(target, method),
        },
      ]),
    ),
  };
}

function operationOf(target: ServedPath["target"], method: RestMethod): JsonSchema {
  switch (target.type) {
    case "status":
      return { summary: "Show the state of the controllers", responses: responses(200, { type: "object" }) };
    case "reconcile":
      return {
        summary: "Reconcile objects",
        requestBody: { required: false, content: json(reconcileSchema) },
        responses: responses(202, { type: "object" }),
      };
    case "view":
      return {
        summary: `Show ${target.view} of a ${target.resource.kind.kind}`,
        responses: responses(200, target.resource.views.get(target.view)?.schema ?? {}),
      };
    case "collection":
      return collectionOperation(target.resource, method);
    case "item":
      return itemOperation(target.resource, method);
  }
}

function collectionOperation({ kind }: RestResource, method: RestMethod): JsonSchema {
  const reference = referenceTo(kind);
  const list = {
    type: "object",
    properties: { items: { type: "array", items: reference }, next: { type: "string" } },
  };
  switch (method) {
    case "GET":
      return {
        summary: `List ${kind.plural}`,
        parameters: [
          parameter("limit", "query", "integer", "Documents of a page. Default: 100"),
          parameter("continue", "query", "string", "From the link to the next page"),
          parameter("If-None-Match", "header", "string"),
        ],
        responses: responses(200, list),
      };
    case "POST":
      return {
        summary: `Create a ${kind.kind}`,
        requestBody: { required: true, content: json(reference) },
        responses: responses(201, reference),
      };
    case "PUT":
      return {
        summary: `Replace all ${kind.plural}`,
        parameters: [confirmation("replace-all"), parameter("If-Match", "header", "string")],
        requestBody: { required: true, content: json(list) },
        responses: responses(200, { type: "object" }),
      };
    case "DELETE":
      return {
        summary: `Delete all ${kind.plural}`,
        parameters: [confirmation("delete-all")],
        responses: responses(200, { type: "object" }),
      };
  }
}

function itemOperation({ kind }: RestResource, method: RestMethod): JsonSchema {
  const reference = referenceTo(kind);
  const ifMatch = parameter("If-Match", "header", "string", "ETag of the document that was read");
  switch (method) {
    case "PUT":
      return {
        summary: `Create or replace a ${kind.kind}`,
        parameters: [ifMatch, parameter("If-None-Match", "header", "string", "* creates only")],
        requestBody: { required: true, content: json(reference) },
        responses: responses(200, reference),
      };
    case "DELETE":
      return {
        summary: `Delete a ${kind.kind}`,
        parameters: [ifMatch],
        responses: { ...responses(202, reference), 204: { description: "Deleted" } },
      };
    default:
      return {
        summary: `Show a ${kind.kind}`,
        parameters: [parameter("If-None-Match", "header", "string")],
        responses: responses(200, reference),
      };
  }
}

function responses(code: number, schema: JsonSchema): JsonSchema {
  return {
    [code]: { description: "Success", content: json(schema) },
    default: {
      description: "Problem",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  };
}

function json(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}

function referenceTo({ kind }: Resource): JsonSchema {
  return { $ref: `#/components/schemas/${kind}` };
}

function parameter(name: string, place: string, type: string, description?: string): JsonSchema {
  return { name, in: place, schema: { type }, ...(description !== undefined && { description }) };
}

function confirmation(value: string): JsonSchema {
  return { name: confirmHeader, in: "header", required: true, schema: { const: value } };
}

/** Schema of the documents of a kind. */
function documentSchema({ schema, kind, description }: RestResource): JsonSchema {
  if (schema !== undefined) return schema;
  const { spec, status } = kind.schema.properties ?? {};
  const { properties = {}, ...rest } = (spec === undefined ? { type: "object" } : jsonSchemaOf(spec)) as {
    readonly properties?: JsonSchema;
  };
  return {
    ...rest,
    ...(description !== undefined && { description }),
    properties: {
      id: { type: "string", description: "Name of the object", examples: ["example"] },
      ...properties,
      ...(status !== undefined && { status: { ...jsonSchemaOf(status), readOnly: true } }),
    },
  };
}

/** JSON Schema 2020-12, as OpenAPI 3.1 has it, of a structural schema, whose dialect is that of OpenAPI 3.0. */
function jsonSchemaOf(schema: StructuralSchema): JsonSchema {
  const converted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema) as [keyof StructuralSchema, unknown][]) {
    switch (key) {
      case "nullable":
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        break;
      case "minimum":
        converted[schema.exclusiveMinimum === true ? "exclusiveMinimum" : key] = value;
        break;
      case "maximum":
        converted[schema.exclusiveMaximum === true ? "exclusiveMaximum" : key] = value;
        break;
      case "type":
        converted[key] = schema.nullable === true ? [value, "null"] : value;
        break;
      case "example":
        converted["examples"] = [value];
        break;
      case "properties":
        converted[key] = Object.fromEntries(
          Object.entries(value as Readonly<Record<string, StructuralSchema>>).map(([name, each]) => [
            name,
            jsonSchemaOf(each),
          ]),
        );
        break;
      case "items":
      case "not":
        converted[key] = jsonSchemaOf(value as StructuralSchema);
        break;
      case "additionalProperties":
        converted[key] = typeof value === "boolean" ? value : jsonSchemaOf(value as StructuralSchema);
        break;
      case "allOf":
      case "anyOf":
      case "oneOf":
        converted[key] = (value as readonly StructuralSchema[]).map(jsonSchemaOf);
        break;
      default:
        if (!key.startsWith("x-")) converted[key] = value;
    }
  }
  return converted;
}

const reconcileSchema: JsonSchema = {
  type: "object",
  description: "Without a kind, everything is reconciled; without a name, all objects of the kind.",
  properties: Object.fromEntries(
    ["apiVersion", "kind", "namespace", "name", "reason"].map((name) => [name, { type: "string" }]),
  ),
};

const problemSchema: JsonSchema = {
  type: "object",
  required: ["type", "title", "status", "detail"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    reason: { type: "string" },
    errors: {
      type: "array",
      items: { type: "object", properties: { field: { type: "string" }, detail: { type: "string" } } },
    },
  },
};
