import { childPath } from "../object/field-path.js";
import type { StructuralSchema } from "./structural-schema.js";

/** Reports a problem. */
export type ReportSchemaProblem = (path: string, message: string) => void;

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function unsupported(value: unknown, supported: readonly string[]): string {
  const listed = supported.map((name) => JSON.stringify(name)).join(", ");
  return `Unsupported value: ${JSON.stringify(value)}: supported values: ${listed}`;
}

/** Checks the `x-kubernetes-*` keywords of one schema node, with Kubernetes' messages. */
export function checkExtensions(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  checkFlags(schema, path, report);
  checkMapType(schema, path, report);
  checkListType(schema, path, report);
  if (schema["x-kubernetes-list-type"] === "map") checkMapList(schema, path, report);
  checkRules(schema, path, report);
}

function checkFlags(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  const preserve = schema["x-kubernetes-preserve-unknown-fields"];
  const embedded = schema["x-kubernetes-embedded-resource"];
  if (preserve === false) {
    report(
      childPath(path, "x-kubernetes-preserve-unknown-fields"),
      "Invalid value: false: must be true or undefined",
    );
  }
  if (schema["x-kubernetes-int-or-string"]) {
    const must = "Invalid value: true: must be false if x-kubernetes-int-or-string is true";
    if (preserve) report(childPath(path, "x-kubernetes-preserve-unknown-fields"), must);
    if (embedded) report(childPath(path, "x-kubernetes-embedded-resource"), must);
  }
  if (embedded && !preserve && Object.keys(schema.properties ?? {}).length === 0) {
    const must =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    report(childPath(path, "properties"), `Required value: ${must}`);
  }
}

function checkMapType(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  mustBe(schema, "object", "x-kubernetes-map-type", path, report);
  if (mapType !== "atomic" && mapType !== "granular") {
    report(childPath(path, "x-kubernetes-map-type"), unsupported(mapType, ["atomic", "granular"]));
  }
}

function checkListType(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  const listType = schema["x-kubernetes-list-type"];
  const place = childPath(path, "x-kubernetes-list-type");
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0 && listType !== "map") {
    const must = "must be map if x-kubernetes-list-map-keys is non-empty";
    report(
      place,
      listType === undefined ? `Required value: ${must}` : `Invalid value: "${listType}": ${must}`,
    );
  }
  if (listType === undefined) return;
  mustBe(schema, "array", "x-kubernetes-list-type", path, report);
  if (listType !== "atomic" && listType !== "set" && listType !== "map") {
    report(place, unsupported(listType, ["atomic", "set", "map"]));
  }
  const { items } = schema;
  if (!items || listType === "atomic") return;
  if (items.nullable) {
    const must = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    report(childPath(path, "items", "nullable"), `Forbidden: ${must}`);
  }
  if (listType !== "set") return;
  const must = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const inner = items["x-kubernetes-list-type"];
  if (items.type === "array" && inner !== undefined && inner !== "atomic") {
    report(childPath(path, "items", "x-kubernetes-list-type"), `Invalid value: "${inner}": ${must}`);
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    const value = JSON.stringify(items["x-kubernetes-map-type"] ?? null);
    report(childPath(path, "items", "x-kubernetes-map-type"), `Invalid value: ${value}: ${must}`);
  }
}

function mustBe(
  { type }: StructuralSchema,
  expected: "object" | "array",
  keyword: string,
  path: string,
  report: ReportSchemaProblem,
): void {
  if (type === expected) return;
  const must = `must be ${expected} if ${keyword} is specified`;
  report(
    childPath(path, "type"),
    type === undefined ? `Required value: ${must}` : `Invalid value: "${type}": ${must}`,
  );
}

function checkMapList(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const place = childPath(path, "x-kubernetes-list-map-keys");
  const { items } = schema;
  if (keys.length === 0) report(place, "Required value: must not be empty if x-kubernetes-list-type is map");
  if (!items) {
    report(childPath(path, "items"), "Required value: must have a schema if x-kubernetes-list-type is map");
    return;
  }
  if (items.type !== "object") {
    const must = "must be object if parent array's x-kubernetes-list-type is map";
    report(childPath(path, "items", "type"), `Invalid value: ${JSON.stringify(items.type ?? "")}: ${must}`);
    return;
  }
  const { properties = {} } = items;
  const value = JSON.stringify(keys);
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) !== index)
      report(place, `Invalid value: ${value}: must not contain duplicate entries`);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!property) {
      report(place, `Invalid value: ${value}: entries must all be names of item properties`);
      continue;
    }
    const inside = `${childPath(path, "items", "properties")}[${key}]`;
    if (property.type === "array" || property.type === "object") {
      const must = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      report(childPath(inside, "type"), `Invalid value: "${items.type}": ${must}`);
    }
    if (!items.required?.includes(key) && property.default === undefined) {
      const must =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      report(childPath(inside, "default"), `Required value: ${must}`);
    }
    if (property.nullable) {
      const must = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      report(childPath(inside, "nullable"), `Forbidden: ${must}`);
    }
  }
}

const newline = /[\n\r]/;

function checkRules(schema: StructuralSchema, path: string, report: ReportSchemaProblem): void {
  for (const [index, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    const place = `${childPath(path, "x-kubernetes-validations")}[${index}]`;
    const cel = rule.rule.trim();
    const message = rule.message?.trim() ?? "";
    if (cel === "") report(childPath(place, "rule"), "Required value: rule is not specified");
    else if (rule.message && message === "") {
      report(
        childPath(place, "message"),
        `Invalid value: ${JSON.stringify(rule.message)}: must be non-empty if specified`,
      );
    } else if (newline.test(message)) {
      report(
        childPath(place, "message"),
        `Invalid value: ${JSON.stringify(rule.message)}: must not contain line breaks`,
      );
    } else if (newline.test(cel) && message === "") {
      report(
        childPath(place, "message"),
        "Required value: message must be specified if rule contains line breaks",
      );
    }
    if (rule.messageExpression && rule.messageExpression.trim() === "") {
      report(
        childPath(place, "messageExpression"),
        "Required value: messageExpression must be non-empty if specified",
      );
    }
    if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
      report(childPath(place, "reason"), unsupported(rule.reason, reasons));
    }
    if (rule.fieldPath && rule.fieldPath.trim() === "") {
      report(
        childPath(place, "fieldPath"),
        `Invalid value: ${JSON.stringify(rule.fieldPath)}: must be non-empty if specified`,
      );
    } else if (rule.fieldPath && newline.test(rule.fieldPath)) {
      report(
        childPath(place, "fieldPath"),
        `Invalid value: ${JSON.stringify(rule.fieldPath)}: must not contain line breaks`,
      );
    }
  }
}
