import { isJsonArray, isJsonObject, type Json, type JsonArray, type JsonObject } from "../../object/json.js";
import { quote } from "../../object/quote.js";
import { compareUtf8 } from "../fields/canonical-json.js";
import { fieldElement, type PathElement, renderElement } from "../fields/path-element.js";
import type { FieldType, ListFieldType, MapFieldType, ScalarType } from "./field-type.js";
import { itemElement } from "./list-items.js";
import { shapeOf } from "./shape.js";

/**
 * Explains why a value does not match its type: `.spec.size: expected numeric (int or float), got string`.
 * Checks only what ownership depends on: shapes, field names, item keys and, unless `duplicates` are allowed,
 * their uniqueness.
 */
export function typeFaults(value: Json, type: FieldType, duplicates = false): string[] {
  const faults: Faults = { texts: [], duplicates };
  check(value, type, "", faults);
  return faults.texts;
}

interface Faults {
  readonly texts: string[];
  readonly duplicates: boolean;
}

/** Renders all faults in one message. */
export function renderFaults(faults: readonly string[]): string {
  const [first = ""] = faults;
  return faults.length === 1 ? first : ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
}

function check(value: Json, type: FieldType, path: string, faults: Faults): void {
  const fault = (text: string): void => {
    faults.texts.push(path === "" ? text : `${path}: ${text}`);
  };
  switch (shapeOf(type, value)) {
    case "scalar": {
      const found = scalarFault(value, type.scalar ?? "untyped");
      if (found !== undefined) fault(found);
      return;
    }
    case "list":
      if (isJsonArray(value) && type.list) checkItems(value, type.list, path, faults, fault);
      else if (value !== null) fault(`expected list, got &{${goFormat(value)}}`);
      return;
    default:
      if (isJsonObject(value) && type.map) checkFields(value, type.map, path, faults);
      else if (value !== null) fault(`expected map, got &{${goFormat(value)}}`);
  }
}

function checkFields(map: JsonObject, type: MapFieldType, path: string, faults: Faults): void {
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value === undefined) continue;
    const fieldType = type.typeOf(name);
    const at = path + renderElement(fieldElement(name));
    if (fieldType === undefined) faults.texts.push(`${at}: field not declared in schema`);
    else check(value, fieldType, at, faults);
  }
}

function checkItems(
  items: JsonArray,
  type: ListFieldType,
  path: string,
  faults: Faults,
  fault: (text: string) => void,
): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of items.entries()) {
    if (type.atomic) {
      check(item, type.element, `${path}[${index}]`, faults);
      continue;
    }
    const result = itemElement(type, item);
    if (!("element" in result)) {
      fault(`element ${index}: ${result.fault}`);
      return;
    }
    const { element } = result;
    if (seen.has(element) && !faults.duplicates) fault(`duplicate entries for key ${renderElement(element)}`);
    seen.add(element);
    check(item, type.element, path + renderElement(element), faults);
  }
}

function scalarFault(value: Json, scalar: ScalarType): string | undefined {
  if (value === null) return undefined;
  switch (scalar) {
    case "numeric":
      return typeof value === "number"
        ? undefined
        : `expected numeric (int or float), got ${goTypeName(value)}`;
    case "string":
      if (typeof value === "string") return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${goFormat(value)}}`;
    default:
      return typeof value === "object" ? `expected any scalar, got &{${goFormat(value)}}` : undefined;
  }
}

/** Renders a value like Go, as in Kubernetes' messages. */
function goFormat(value: Json): string {
  if (value === null) return "<nil>";
  if (isJsonArray(value)) return `[${value.map(goFormat).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${sortedFields(value)
    .map(([name, field]) => `${name}:${goFormat(field)}`)
    .join(" ")}]`;
}

function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (isJsonArray(value)) return `${goTypeName(value)}{${value.map(goSyntax).join(", ")}}`;
  if (!isJsonObject(value)) return String(value);
  return `${goTypeName(value)}{${sortedFields(value)
    .map(([name, field]) => `${quote(name)}:${goSyntax(field)}`)
    .join(", ")}}`;
}

function goTypeName(value: Json): string {
  if (isJsonArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value === "number" ? "float64" : "string";
}

function sortedFields(map: JsonObject): [string, Json][] {
  return Object.entries(map).sort(([left], [right]) => compareUtf8(left, right));
}
