import { childPath } from "../object/field-path.js";
import { checkExtensions, type ReportSchemaProblem } from "./structural-extensions.js";
import type { StructuralSchema } from "./structural-schema.js";

/** Violation of the rules for structural schemas, with Kubernetes' message. */
export interface StructuralProblem {
  /** Path in the schema: `properties[spec].properties[size].type`. */
  readonly path: string;
  /** Message, such as `Required value: must not be empty for specified object fields`. */
  readonly message: string;
}

type SchemaLevel = "root" | "item" | "field";

/** Limit for nesting: schemas come from clients, and must not overflow the call stack. */
const maxDepth = 256;

const unsupported = ["id", "$ref", "patternProperties", "definitions", "dependencies", "additionalItems"];
const types = ["array", "boolean", "integer", "number", "object", "string"];

/**
 * Checks that a schema is allowed in a CRD: Kubernetes' rules for structural schemas, with its messages, in
 * its order. CEL expressions and default values are checked elsewhere.
 */
export function checkStructural(schema: StructuralSchema, path = ""): StructuralProblem[] {
  const problems: StructuralProblem[] = [];
  const report: ReportSchemaProblem = (at, message) => {
    problems.push({ path: at, message });
  };
  checkNode(schema, "root", path, 0, report);
  checkComplete(schema, schema, path, path, 0, report);
  return problems.sort((a, b) => (renderProblem(a) < renderProblem(b) ? -1 : 1));
}

function renderProblem({ path, message }: StructuralProblem): string {
  return `${path}: ${message}`;
}

function checkNode(
  schema: StructuralSchema,
  level: SchemaLevel,
  path: string,
  depth: number,
  report: ReportSchemaProblem,
): void {
  if (depth > maxDepth)
    return report(path, `Forbidden: must not be nested more than ${maxDepth} levels deep`);
  checkOpenApi(schema, path, report);
  checkExtensions(schema, path, report);
  checkType(schema, level, path, report);

  if (schema.type === "array" && !schema.items) {
    report(childPath(path, "items"), "Required value: must be specified");
  }
  if (schema.items) checkNode(schema.items, "item", childPath(path, "items"), depth + 1, report);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkNode(property, "field", `${childPath(path, "properties")}[${name}]`, depth + 1, report);
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined) {
    const at = childPath(path, "additionalProperties");
    if (level === "root") report(at, "Forbidden: must not be used at the root");
    if (schema["x-kubernetes-embedded-resource"]) {
      report(at, "Forbidden: must not be used if x-kubernetes-embedded-resource is set");
    }
    if (typeof additionalProperties === "object")
      checkNode(additionalProperties, "field", at, depth + 1, report);
  }
  checkObjectMeta(schema, level, path, report);

  const nested = (part: StructuralSchema, at: string): void =>
    checkNested(part, at, depth + 1, false, report);
  if (!isIntOrStringTypes(schema.anyOf)) eachOf(schema, "anyOf", path, nested);
  eachOf(schema, "allOf", path, (part, at, index) =>
    checkNested(part, at, depth + 1, index === 0 && isIntOrStringTypes(part.anyOf), report),
  );
  eachOf(schema, "oneOf", path, nested);
  if (schema.not) nested(schema.not, childPath(path, "not"));
}

function eachOf(
  schema: StructuralSchema,
  key: "allOf" | "anyOf" | "oneOf",
  path: string,
  visit: (part: StructuralSchema, path: string, index: number) => void,
): void {
  for (const [index, part] of (schema[key] ?? []).entries())
    visit(part, `${childPath(path, key)}[${index}]`, index);
}

/** True for the two types of an int-or-string, the only types allowed under `anyOf`. */
function isIntOrStringTypes(anyOf: readonly StructuralSchema[] = []): boolean {
  const [first, second] = anyOf;
  const isBare = anyOf.every((part) => Object.keys(part).length === 1);
  return anyOf.length === 2 && isBare && first?.type === "integer" && second?.type === "string";
}

function checkOpenApi(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  for (const key of unsupported) {
    // Empty keywords are allowed.
    const value: unknown = Object.hasOwn(schema, key) ? schema[key as keyof StructuralSchema] : undefined;
    const empty = !value || (typeof value === "object" && Object.keys(value).length === 0);
    if (!empty) report(childPath(path, key), `Forbidden: ${key} is not supported`);
  }
  const { type }: { readonly type?: string } = schema;
  if (type === "null") {
    report(childPath(path, "type"), "Forbidden: type cannot be set to null, use nullable as an alternative");
  } else if (type !== undefined && !types.includes(type)) {
    const supported = types.map((name) => JSON.stringify(name)).join(", ");
    report(
      childPath(path, "type"),
      `Unsupported value: ${JSON.stringify(type)}: supported values: ${supported}`,
    );
  }
  if (Array.isArray(schema.items)) {
    report(childPath(path, "items"), "Forbidden: items must be a schema object and not an array");
  }
  if (schema.uniqueItems) {
    const why = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    report(childPath(path, "uniqueItems"), `Forbidden: ${why}`);
  }
  const { additionalProperties } = schema;
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (additionalProperties !== undefined && additionalProperties !== true && hasProperties) {
    const why = "additionalProperties and properties are mutual exclusive";
    report(childPath(path, "additionalProperties"), `Forbidden: ${why}`);
  }
}

const emptyType = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
} as const satisfies Record<SchemaLevel, string>;

function checkType(
  schema: StructuralSchema,
  level: SchemaLevel,
  path: string,
  report: ReportSchemaProblem,
): void {
  const { type } = schema;
  const at = childPath(path, "type");
  if (schema["x-kubernetes-embedded-resource"] && type !== "object") {
    const must = "must be object if x-kubernetes-embedded-resource is true";
    report(
      at,
      type === undefined ? `Required value: ${must}` : `Invalid value: ${JSON.stringify(type)}: ${must}`,
    );
  } else if (
    type === undefined &&
    !schema["x-kubernetes-int-or-string"] &&
    !schema["x-kubernetes-preserve-unknown-fields"]
  ) {
    report(at, `Required value: ${emptyType[level]}`);
  }
  if (level === "root" && type !== undefined && type !== "object") {
    report(at, `Invalid value: ${JSON.stringify(type)}: must be object at the root`);
  }
  if (level === "root" && schema.nullable)
    report(childPath(path, "nullable"), "Forbidden: nullable cannot be true at the root");
}

/**
 * Checks apiVersion, kind and metadata of the root and of embedded resources, which Kubernetes describes
 * itself.
 */
function checkObjectMeta(
  schema: StructuralSchema,
  level: SchemaLevel,
  path: string,
  report: ReportSchemaProblem,
): void {
  const { properties = {} } = schema;
  if (level !== "root" && !schema["x-kubernetes-embedded-resource"]) return;
  for (const name of ["kind", "apiVersion", "metadata"]) {
    if (!Object.hasOwn(properties, name)) continue;
    const at = `${childPath(path, "properties")}[${name}]`;
    const expected = name === "metadata" ? "object" : "string";
    const type = properties[name]?.type;
    if (type !== expected)
      report(childPath(at, "type"), `Invalid value: ${JSON.stringify(type ?? "")}: must be ${expected}`);
    if (level === "root" && properties[name]?.default !== undefined) {
      report(childPath(at, "default"), `Forbidden: must not be set in top-level ${name}`);
    }
  }
  const metadata = Object.hasOwn(properties, "metadata") ? properties["metadata"] : undefined;
  if (level === "root" && metadata && !onlyNames(metadata)) {
    const must =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    report(`${childPath(path, "properties")}[metadata]`, `Forbidden: ${must}`);
  }
}

function onlyNames(metadata: StructuralSchema): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const names = new Set(Object.keys(properties));
  names.delete("name");
  names.delete("generateName");
  return names.size === 0 && Object.keys(rest).length === 0;
}

/** Keywords that are forbidden under allOf, anyOf, oneOf and not, with Kubernetes' messages. */
const forbiddenNested: readonly (readonly [keyof StructuralSchema, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function checkNested(
  schema: StructuralSchema,
  path: string,
  depth: number,
  isIntOrString: boolean,
  report: ReportSchemaProblem,
): void {
  if (depth > maxDepth)
    return report(path, `Forbidden: must not be nested more than ${maxDepth} levels deep`);
  checkOpenApi(schema, path, report);
  for (const [key, must] of forbiddenNested) {
    const value = schema[key];
    const isSet = Array.isArray(value)
      ? value.length > 0
      : value !== undefined && value !== false && value !== "";
    if (isSet) report(childPath(path, key), `Forbidden: ${must}`);
  }
  const nested = (part: StructuralSchema, at: string): void =>
    checkNested(part, at, depth + 1, false, report);
  if (schema.items) nested(schema.items, childPath(path, "items"));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const at = `${childPath(path, "properties")}[${name}]`;
    if (name === "metadata") report(at, "Forbidden: must not be specified in a nested context");
    nested(property, at);
  }
  if (!isIntOrString) eachOf(schema, "anyOf", path, nested);
  eachOf(schema, "allOf", path, nested);
  eachOf(schema, "oneOf", path, nested);
  if (schema.not) nested(schema.not, childPath(path, "not"));
}

/**
 * Checks that every field and item named in a value validation is also declared in the structural part. Like
 * Kubernetes, looks at the validations at the root only.
 */
function checkComplete(
  validation: StructuralSchema,
  structure: StructuralSchema,
  path: string,
  at: string,
  depth: number,
  report: ReportSchemaProblem,
): void {
  if (depth > maxDepth) return;
  const nested = (part: StructuralSchema, where: string): void =>
    checkNestedComplete(part, structure, path, where, depth + 1, report);
  if (validation.not) nested(validation.not, childPath(at, "not"));
  for (const key of ["allOf", "anyOf", "oneOf"] as const) eachOf(validation, key, at, nested);
}

function checkNestedComplete(
  part: StructuralSchema,
  structure: StructuralSchema,
  path: string,
  at: string,
  depth: number,
  report: ReportSchemaProblem,
): void {
  checkComplete(part, structure, path, at, depth, report);
  const counterpart = (inner: StructuralSchema, own: StructuralSchema | undefined, step: string): void => {
    const [place, where] = [childPath(path, step), childPath(at, step)];
    if (own) checkNestedComplete(inner, own, place, where, depth + 1, report);
    else report(place, `Required value: because it is defined in ${where}`);
  };
  if (part.items) counterpart(part.items, structure.items, "items");
  const { properties = {} } = structure;
  for (const [name, inner] of Object.entries(part.properties ?? {})) {
    counterpart(inner, Object.hasOwn(properties, name) ? properties[name] : undefined, `properties[${name}]`);
  }
}
