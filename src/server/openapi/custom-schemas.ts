import type { StructuralSchema } from "../../model/core.js";
import type { SchemaDraft } from "../../model/schema/structural-schema.js";
import type { ResourceType } from "../resources/resource-type.js";
import type { Published, Schemas } from "./schemas.js";
import { apiVersionProperty, kindProperty, withSiblings } from "./struct-schemas.js";

/** Publishes the schema of a custom kind by the rules of Kubernetes' apiextensions server. */
export function publishCustomKind(type: ResourceType, schemas: Schemas): Published {
  const { group, version, kind, schema } = type;
  const marks = {
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...selectableFieldsOf(type),
  };
  // v2 clients would take the listed fields for all there are.
  if (isOpen(schema, schemas)) return { type: "object", ...marks };
  return { ...withObjectFields(publishNode(schema, schemas), schemas), ...marks };
}

/** Extension of custom kinds that lists the fields which field selectors may name. */
export function selectableFieldsOf({ selectableFields }: ResourceType): Published | false {
  if (selectableFields.size === 0) return false;
  const fields = [...selectableFields.keys()].map((fieldPath) => ({ fieldPath }));
  return { "x-kubernetes-selectable-fields": fields };
}

function publishNode(schema: StructuralSchema, schemas: Schemas): Published {
  const node = schemas.version === 3 ? expandIntOrString(schema) : relax(schema);
  const published: Published = {};
  for (const key of Object.keys(node)) {
    const value: unknown = node[key as keyof StructuralSchema];
    if (value === undefined || isOmitted(key, value)) continue;
    published[key] = publishKeyword(key, value, schemas);
  }
  if (schema["x-kubernetes-embedded-resource"] !== true || isOpen(schema, schemas)) return published;
  const before = published["required"] as readonly string[] | undefined;
  const required = new Set([...(before ?? []), "kind", "apiVersion"]);
  return { ...withObjectFields(published, schemas), required: [...required] };
}

function publishKeyword(key: string, value: unknown, schemas: Schemas): unknown {
  switch (key) {
    case "properties":
      return publishProperties(value as Readonly<Record<string, StructuralSchema>>, schemas);
    case "items":
    case "not":
      return publishNode(value as StructuralSchema, schemas);
    case "additionalProperties":
      return typeof value === "object" ? publishNode(value as StructuralSchema, schemas) : value;
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as StructuralSchema[]).map((branch) => publishNode(branch, schemas));
    default:
      return value;
  }
}

function publishProperties(
  properties: Readonly<Record<string, StructuralSchema>>,
  schemas: Schemas,
): Published {
  const published: Published = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = publishNode(property, schemas);
    // Assigning to `__proto__` would set the prototype.
    if (name === "__proto__") Object.defineProperty(published, name, { value, enumerable: true });
    else published[name] = value;
  }
  return published;
}

function withObjectFields(published: Published, schemas: Schemas): Published {
  const description = "Metadata of the object: name, labels, owners and so on.";
  return {
    ...published,
    properties: {
      ...(published["properties"] as Published | undefined),
      apiVersion: apiVersionProperty,
      kind: kindProperty,
      metadata: withSiblings(schemas.refToType("meta/v1", "ObjectMeta"), { description }, schemas),
    },
  };
}

/** True if v2 cannot say anything about the fields, because there may be others. */
function isOpen(schema: StructuralSchema, { version }: Schemas): boolean {
  return version === 2 && schema["x-kubernetes-preserve-unknown-fields"] === true;
}

const notPublished = new Set(["example", "externalDocs", "id", "$schema"]);
const meaningfulWhenFalse = new Set(["additionalProperties", "default"]);

function isOmitted(key: string, value: unknown): boolean {
  if (value === false) return !meaningfulWhenFalse.has(key);
  return notPublished.has(key) || (key === "required" && (value as readonly string[]).length === 0);
}

const intOrString: readonly StructuralSchema[] = [{ type: "integer" }, { type: "string" }];

/** Expresses `x-kubernetes-int-or-string` in plain OpenAPI, unless the schema does so already. */
function expandIntOrString(schema: StructuralSchema): StructuralSchema {
  if (schema["x-kubernetes-int-or-string"] !== true) return schema;
  const { anyOf, allOf } = schema;
  if (isIntOrString(anyOf) || isIntOrString(allOf?.[0]?.anyOf)) return schema;
  if (anyOf === undefined) return { ...schema, anyOf: intOrString };
  return { ...schema, allOf: [{ anyOf: intOrString }, ...(allOf ?? [])] };
}

function isIntOrString(branches: readonly StructuralSchema[] | undefined): boolean {
  return branches?.length === 2 && branches[0]?.type === "integer" && branches[1]?.type === "string";
}

/**
 * A schema node in terms of OpenAPI v2, by Kubernetes' rules: alternatives are dropped, and a value that may be null or
 * have unknown fields loses the description of its contents, since v2 clients would reject what they do not find there.
 * Children are not changed; they are relaxed in their turn.
 */
function relax(schema: StructuralSchema): StructuralSchema {
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, nullable, ...rest } = schema;
  const draft: SchemaDraft = rest;
  const open = draft["x-kubernetes-preserve-unknown-fields"] === true;
  if (nullable) delete draft.type;
  if (nullable || open) {
    delete draft.items;
    delete draft.properties;
  }
  if (draft.type === "array" && draft.items === undefined) delete draft.type;
  if (draft.type === "object" && open) delete draft.type;
  const required = stillRequired(draft);
  if (required) draft.required = required;
  else delete draft.required;
  return draft;
}

/** v2 has no null, so a field that may be null may be missing. */
function stillRequired(schema: StructuralSchema): readonly string[] | undefined {
  const { required, properties = {}, additionalProperties } = schema;
  if (typeof additionalProperties === "object" && additionalProperties.nullable) return undefined;
  const left = required?.filter((name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable));
  return left && left.length > 0 ? left : undefined;
}
