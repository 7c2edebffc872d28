import { fieldErrors, type Json } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import { compileJsonPath } from "../../resources/json-path.js";
import type { Draft, ScalePaths } from "../../resources/resource-type.js";

type FieldError = fieldErrors.FieldError;

const most = 2 ** 31 - 1;

/** Faults of the fields that the scale subresource shows. */
export function validateScaled(object: Draft, paths: ScalePaths): FieldError[] {
  return [...validateReplicas(object, paths.specReplicasPath), ...validateScaledStatus(object, paths)];
}

/** Faults of the status fields that the scale subresource shows. */
export function validateScaledStatus(object: Draft, paths: ScalePaths): FieldError[] {
  return [
    ...validateReplicas(object, paths.statusReplicasPath),
    ...(paths.labelSelectorPath ? validateSelector(object, paths.labelSelectorPath) : []),
  ];
}

function validateReplicas(object: Draft, path: string): FieldError[] {
  const { value, fault } = read(object, path, "int64", Number.isInteger);
  if (fault !== undefined) return [fieldErrors.invalid(path, 0, fault)];
  if (typeof value !== "number") return [];
  if (value < 0) return [fieldErrors.invalid(path, value, "should be a non-negative integer")];
  if (value > most) return [fieldErrors.invalid(path, value, `should be less than or equal to ${most}`)];
  return [];
}

function validateSelector(object: Draft, path: string): FieldError[] {
  const { fault } = read(object, path, "string", (value) => typeof value === "string");
  return fault === undefined ? [] : [fieldErrors.invalid(path, "", fault)];
}

/** Value at the path, or the reason why it is invalid. No value is valid. */
function read(
  object: Draft,
  path: string,
  type: string,
  isType: (value: unknown) => boolean,
): { value?: Json | undefined; fault?: string } {
  const { fields = [] } = compileJsonPath(path);
  let value: Json | undefined = object;
  for (const [index, name] of fields.entries()) {
    if (!isJsonObject(value)) {
      if (value === null) return {};
      const at = `.${fields.slice(0, index + 1).join(".")}`;
      return { fault: `${at} accessor error: ${rendered(value)}, expected map[string]interface{}` };
    }
    value = Object.hasOwn(value, name) ? value[name] : undefined;
    if (value === undefined) return {};
  }
  if (isType(value)) return { value };
  return { fault: `.${fields.join(".")} accessor error: ${rendered(value)}, expected ${type}` };
}

function rendered(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil> is of the type <nil>";
  if (Array.isArray(value)) return "the value is of the type []interface {}";
  if (typeof value === "object") return "the value is of the type map[string]interface {}";
  const type = { string: "string", boolean: "bool", number: "float64" }[typeof value as "string"];
  return `${String(value)} is of the type ${type}`;
}
