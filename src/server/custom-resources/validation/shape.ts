import { fieldErrors } from "../../../model/core.js";
import { childPath, type FieldPath, indexPath, keyPath } from "../../../model/object/field-path.js";

type FieldError = fieldErrors.FieldError;

/**
 * JSON types of a definition's fields. Kubernetes decodes a definition into Go structs before it validates it; this is
 * that step, so that later steps can rely on types.
 */
type Shape =
  | "string"
  | "boolean"
  | "integer"
  | "number"
  | "json"
  | "schema"
  | "schemaOrBoolean"
  | "items"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Fields; readonly required?: Readonly<Record<string, string>> };

type Fields = Readonly<Record<string, Shape>>;

/** Depth below which structural checks have rejected the schema already. */
const deepest = 260;

const rule: Shape = {
  fields: {
    rule: "string",
    message: "string",
    messageExpression: "string",
    reason: "string",
    fieldPath: "string",
    optionalOldSelf: "boolean",
  },
  required: { rule: "rule is not specified" },
};

/** Keywords that are always rejected are not listed. */
const schemaFields: Fields = {
  description: "string",
  type: "string",
  format: "string",
  title: "string",
  maximum: "number",
  exclusiveMaximum: "boolean",
  minimum: "number",
  exclusiveMinimum: "boolean",
  maxLength: "integer",
  minLength: "integer",
  pattern: "string",
  maxItems: "integer",
  minItems: "integer",
  uniqueItems: "boolean",
  multipleOf: "number",
  enum: { list: "json" },
  maxProperties: "integer",
  minProperties: "integer",
  required: { list: "string" },
  items: "items",
  allOf: { list: "schema" },
  oneOf: { list: "schema" },
  anyOf: { list: "schema" },
  not: "schema",
  properties: { map: "schema" },
  additionalProperties: "schemaOrBoolean",
  externalDocs: { fields: { description: "string", url: "string" } },
  nullable: "boolean",
  "x-kubernetes-preserve-unknown-fields": "boolean",
  "x-kubernetes-embedded-resource": "boolean",
  "x-kubernetes-int-or-string": "boolean",
  "x-kubernetes-list-map-keys": { list: "string" },
  "x-kubernetes-list-type": "string",
  "x-kubernetes-map-type": "string",
  "x-kubernetes-validations": { list: rule },
};

const schema: Shape = { fields: schemaFields };

const names: Shape = {
  fields: {
    plural: "string",
    singular: "string",
    shortNames: { list: "string" },
    kind: "string",
    listKind: "string",
    categories: { list: "string" },
  },
};

const version: Shape = {
  fields: {
    name: "string",
    served: "boolean",
    storage: "boolean",
    deprecated: "boolean",
    deprecationWarning: "string",
    schema: { fields: { openAPIV3Schema: "schema" } },
    subresources: {
      fields: {
        status: { fields: {} },
        scale: {
          fields: { specReplicasPath: "string", statusReplicasPath: "string", labelSelectorPath: "string" },
        },
      },
    },
    additionalPrinterColumns: {
      list: {
        fields: {
          name: "string",
          type: "string",
          format: "string",
          description: "string",
          priority: "integer",
          jsonPath: "string",
        },
      },
    },
    selectableFields: { list: { fields: { jsonPath: "string" } } },
  },
  required: { name: "" },
};

const spec: Shape = {
  fields: {
    group: "string",
    names,
    scope: "string",
    versions: { list: version },
    conversion: { fields: { strategy: "string", webhook: { fields: {} } } },
    preserveUnknownFields: "boolean",
  },
  required: { names: "", versions: "" },
};

const status: Shape = {
  fields: {
    conditions: {
      list: {
        fields: {
          type: "string",
          status: "string",
          lastTransitionTime: "string",
          reason: "string",
          message: "string",
        },
      },
    },
    acceptedNames: names,
    storedVersions: { list: "string" },
  },
};

const definition: Shape = { fields: { spec, status }, required: { spec: "" } };

/** Reports values of a wrong type, such as a string for a list. Defaulting removes nulls. */
export function validateShape(object: object): FieldError[] {
  const errors: FieldError[] = [];
  check(object, definition, "", 0, errors);
  return errors;
}

function check(value: unknown, shape: Shape, path: FieldPath, depth: number, errors: FieldError[]): void {
  if (shape === "json" || depth > deepest) return;
  if (shape === "schema") return check(value, schema, path, depth + 1, errors);
  if (shape === "schemaOrBoolean") {
    if (typeof value !== "boolean") check(value, "schema", path, depth, errors);
  } else if (shape === "items") {
    // A list of schemas is valid JSON Schema and rejected with its own message.
    if (!Array.isArray(value)) check(value, "schema", path, depth, errors);
  } else if (typeof shape === "string") {
    if (!isOf(value, shape)) errors.push(wrongType(value, shape, path));
  } else if ("list" in shape) {
    if (!Array.isArray(value)) errors.push(wrongType(value, "array", path));
    else
      for (const [index, item] of value.entries())
        check(item, shape.list, indexPath(path, index), depth, errors);
  } else if (!isMap(value)) errors.push(wrongType(value, "object", path));
  else if ("map" in shape) {
    for (const [key, item] of Object.entries(value))
      check(item, shape.map, keyPath(path, key), depth, errors);
  } else checkFields(value, shape.fields, shape.required ?? {}, path, depth, errors);
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Fields,
  required: Readonly<Record<string, string>>,
  path: FieldPath,
  depth: number,
  errors: FieldError[],
): void {
  for (const [name, why] of Object.entries(required)) {
    if (!Object.hasOwn(value, name)) errors.push(fieldErrors.required(childPath(path, name), why));
  }
  for (const name of Object.keys(value)) {
    const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (shape !== undefined) check(value[name], shape, childPath(path, name), depth, errors);
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOf(value: unknown, type: "string" | "boolean" | "integer" | "number"): boolean {
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === type;
}

function wrongType(value: unknown, type: string, path: FieldPath): FieldError {
  const actual = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return fieldErrors.typeInvalid(path, actual, `${path} in body must be of type ${type}: "${actual}"`);
}
