import { resolve } from "node:path";
import { duration } from "../../model/core.js";
import { byteSize } from "../runs/limits.js";
import type { Setting, SettingType } from "./settings.js";

export type Value = string | number | boolean | readonly string[];

/** An invalid value; the message follows the name of the setting: `must be …`. */
export class InvalidValue extends Error {}

/**
 * Converts a value to the type of its setting; values of variables and flags are text.
 *
 * @throws {InvalidValue}
 */
export function readValue({ takes }: Setting, value: unknown, folder: string): Value {
  switch (takes.type) {
    case "text":
      return text(value, takes);
    case "path":
      return resolve(folder, text(value, takes));
    case "integer":
      return integer(value, takes);
    case "boolean":
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0") return false;
      throw invalid(value, takes);
    case "choice":
      if (typeof value === "string" && takes.choices.includes(value)) return value;
      if (typeof value === "string" && takes.planned?.includes(value) === true) {
        throw new InvalidValue(`${value} is not supported yet: choose ${takes.choices.join(" or ")}`);
      }
      throw invalid(value, takes);
    case "duration":
      return durationValue(value, takes);
    case "size":
      return sizeValue(value, takes);
    case "list": {
      const items = typeof value === "string" ? listItems(value, takes) : value;
      if (!Array.isArray(items)) throw invalid(value, takes);
      return items.map((item: unknown) => {
        if (typeof item !== "string" || item === "") throw invalid(item, takes);
        return takes.of === "path" ? resolve(folder, item) : item;
      });
    }
  }
}

/** Items of a list in one text. Paths may contain commas, so that there is only one. */
function listItems(value: string, { of }: Extract<SettingType, { readonly type: "list" }>): string[] {
  return of === "path" ? [value] : value.split(",").map((item) => item.trim());
}

function text(value: unknown, takes: SettingType): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalid(value, takes);
}

function integer(value: unknown, takes: Extract<SettingType, { readonly type: "integer" }>): number {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  const isValid =
    typeof number === "number" &&
    Number.isInteger(number) &&
    number >= takes.min &&
    number <= (takes.max ?? Number.MAX_SAFE_INTEGER);
  if (!isValid) throw invalid(value, takes);
  return number;
}

function durationValue(value: unknown, takes: Extract<SettingType, { readonly type: "duration" }>): Value {
  if (takes.orFalse === true && (value === false || value === "false")) return false;
  if (typeof value === "number" || typeof value === "string") {
    try {
      duration(value);
      return value;
    } catch {
      // Reported below.
    }
  }
  throw invalid(value, takes);
}

function sizeValue(value: unknown, takes: Extract<SettingType, { readonly type: "size" }>): Value {
  try {
    if ((typeof value === "number" || typeof value === "string") && byteSize(value) >= byteSize(takes.min)) {
      return value;
    }
  } catch {
    // Reported below.
  }
  throw invalid(value, takes);
}

function invalid(value: unknown, takes: SettingType): InvalidValue {
  return new InvalidValue(`must be ${typeText(takes)}, not ${valueText(value)}`);
}

/** Describes the type of a setting. */
function typeText(takes: SettingType): string {
  switch (takes.type) {
    case "text":
      return "text";
    case "path":
      return "a path";
    case "integer":
      return takes.max === undefined
        ? `an integer from ${takes.min}`
        : `an integer from ${takes.min} to ${takes.max}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `${takes.choices.slice(0, -1).join(", ")} or ${takes.choices.at(-1) ?? ""}`;
    case "duration":
      return `a duration such as "30s" or "12h"${takes.orFalse === true ? ", or false" : ""}`;
    case "size":
      return `a size of at least ${takes.min}, such as "256Mi"`;
    case "list":
      return takes.of === "path" ? "a list of paths" : "a list of strings";
  }
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}
