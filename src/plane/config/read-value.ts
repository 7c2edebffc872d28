import { resolve } from "node:path";
import { duration, formatDuration, type Json } from "../../model/core.js";
import { byteSize } from "../runs/limits.js";
import type { Setting, SettingType } from "./setting.js";

export type Value = Json | readonly (string | number)[];

/** An invalid value; the message follows the name of the setting: `must be …, not …`. */
export class InvalidValue extends Error {
  /** The message without the value, which may be a secret. */
  readonly expected: string;

  constructor(expected: string, found?: unknown) {
    super(found === undefined ? expected : `${expected}, not ${valueText(found)}`);
    this.expected = expected;
  }
}

/**
 * Converts a value to the type of its setting; values of variables and flags are text.
 *
 * @throws {InvalidValue}
 */
export function readValue({ takes }: Setting, value: unknown, folder: string): Value {
  switch (takes.type) {
    case "text":
      return text(value, takes);
    case "url":
      if (typeof value !== "string") throw invalid(value, takes);
      if (takes.schemes.some((scheme) => value.startsWith(scheme))) return value;
      throw new InvalidValue(`must be ${typeText(takes)}`);
    case "path":
      return resolve(folder, text(value, takes));
    case "integer":
      return integer(value, takes);
    case "number":
      return number(value, takes);
    case "boolean":
      if (value === true || value === "true" || value === "1") return true;
      if (value === false || value === "false" || value === "0") return false;
      throw invalid(value, takes);
    case "choice":
      return choice(value, takes);
    case "duration":
      return durationValue(value, takes);
    case "size":
      return sizeValue(value, takes);
    case "amount":
      return amount(value, takes);
    case "list": {
      const items = typeof value === "string" ? listItems(value, takes) : value;
      if (!Array.isArray(items)) throw invalid(value, takes);
      return items.map((item: unknown) => listItem(item, takes, folder));
    }
    case "any":
      return value as Json;
  }
}

type ListType = Extract<SettingType, { readonly type: "list" }>;

function listItem(item: unknown, takes: ListType, folder: string): string | number {
  const { of } = takes;
  if (typeof of === "object") return choice(item, of);
  if (of === "number") {
    if (typeof item === "number" && Number.isFinite(item)) return item;
    throw invalid(item, takes);
  }
  if (typeof item !== "string" || item === "") throw invalid(item, takes);
  return of === "path" ? resolve(folder, item) : item;
}

type Choice = Extract<SettingType, { readonly type: "choice" }>;

function choice(value: unknown, takes: Choice): string | number {
  const { choices, planned, ignoreCase, synonyms = {}, orNumber } = takes;
  if (orNumber === true && typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "string") throw invalid(value, takes);
  const word = ignoreCase === true ? value.toLowerCase() : value;
  const chosen = Object.hasOwn(synonyms, word) ? synonyms[word] : word;
  if (chosen !== undefined && choices.includes(chosen)) return chosen;
  if (planned?.includes(value) === true) {
    throw new InvalidValue(`${value} is not supported yet: choose ${choices.join(" or ")}`);
  }
  throw invalid(value, takes);
}

/** Items of a list in one text. Paths may contain commas, so that there is only one. */
function listItems(value: string, { of }: ListType): string[] {
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

function number(value: unknown, takes: Extract<SettingType, { readonly type: "number" }>): number {
  const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof given === "number" && Number.isFinite(given) && given >= takes.min) return given;
  throw invalid(value, takes);
}

function durationValue(value: unknown, takes: Extract<SettingType, { readonly type: "duration" }>): Value {
  if (takes.orFalse === true && (value === false || value === "false")) return false;
  if (takes.seconds === true) return secondsValue(value, takes);
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

/** A duration longer than 0 with its unit. */
function secondsValue(value: unknown, takes: SettingType): string {
  // A plain number in a variable is text.
  const given = typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  try {
    if (typeof given === "number" && given > 0) return formatDuration(duration(given * 1000));
    if (typeof given === "string" && duration(given) > 0) return given;
  } catch {
    // Reported below.
  }
  throw invalid(value, takes);
}

/** A number, perhaps with a unit, whose meaning depends on the metric. */
function amount(value: unknown, takes: SettingType): number | string {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  if (typeof value === "string" && /^\d+(\.\d+)?\s*[a-zA-Z]*$/.test(value)) return value;
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
  return new InvalidValue(`must be ${typeText(takes)}`, value ?? "");
}

/** Describes the type of a setting. */
function typeText(takes: SettingType): string {
  switch (takes.type) {
    case "text":
      return "text";
    case "path":
      return "a path";
    case "url":
      return `a URL that begins with ${takes.schemes.join(" or ")}`;
    case "integer":
      return takes.max === undefined
        ? `an integer from ${takes.min}`
        : `an integer from ${takes.min} to ${takes.max}`;
    case "number":
      return `a number from ${takes.min}`;
    case "boolean":
      return "true or false";
    case "choice": {
      const words = takes.orNumber === true ? [...takes.choices, "a number"] : takes.choices;
      return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
    }
    case "duration":
      if (takes.seconds === true) return 'a number of seconds longer than 0, or a duration such as "30s"';
      return `a duration such as "30s" or "12h"${takes.orFalse === true ? ", or false" : ""}`;
    case "size":
      return `a size of at least ${takes.min}, such as "256Mi"`;
    case "amount":
      return 'a number, a size such as "1GB", or a duration such as "500ms"';
    case "list":
      if (typeof takes.of === "object") return `a list of ${takes.of.choices.join(", ")}`;
      return `a list of ${takes.of === "path" ? "paths" : takes.of === "number" ? "numbers" : "strings"}`;
    case "any":
      return "anything";
  }
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === "") return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}
