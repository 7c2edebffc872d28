import { resolve } from "node:path";
import { duration } from "../../model/core.js";
import { byteSize } from "../runs/limits.js";
import type { Setting, SettingType } from "./settings.js";

export type Value = string | number | boolean | readonly string[];

/** A value that does not fit, in words that go behind the setting's name: `must be …`. */
export class Misfit extends Error {}

/**
 * What was said of a setting as it is meant: text from the environment or a flag is read as what the setting takes.
 *
 * @throws {Misfit}
 */
export function readValue({ takes }: Setting, said: unknown, folder: string): Value {
  switch (takes.type) {
    case "text":
      return text(said, takes);
    case "path":
      return resolve(folder, text(said, takes));
    case "integer":
      return integer(said, takes);
    case "boolean":
      if (said === true || said === "true" || said === "1") return true;
      if (said === false || said === "false" || said === "0") return false;
      throw misfit(said, takes);
    case "choice":
      if (typeof said === "string" && takes.choices.includes(said)) return said;
      if (typeof said === "string" && takes.later?.includes(said) === true) {
        throw new Misfit(`${said} is not there yet: there are ${takes.choices.join(" and ")}`);
      }
      throw misfit(said, takes);
    case "duration":
      return span(said, takes);
    case "size":
      return size(said, takes);
    case "list": {
      const items = typeof said === "string" ? [said] : said;
      if (!Array.isArray(items)) throw misfit(said, takes);
      return items.map((item: unknown) => {
        if (typeof item !== "string" || item === "") throw misfit(item, takes);
        return takes.of === "path" ? resolve(folder, item) : item;
      });
    }
  }
}

function text(said: unknown, takes: SettingType): string {
  if (typeof said === "string" && said !== "") return said;
  throw misfit(said, takes);
}

function integer(said: unknown, takes: Extract<SettingType, { readonly type: "integer" }>): number {
  const value = typeof said === "string" && /^\d+$/.test(said) ? Number(said) : said;
  const fits =
    typeof value === "number" &&
    Number.isInteger(value) &&
    value >= takes.min &&
    value <= (takes.max ?? Number.MAX_SAFE_INTEGER);
  if (!fits) throw misfit(said, takes);
  return value;
}

function span(said: unknown, takes: Extract<SettingType, { readonly type: "duration" }>): Value {
  if (takes.orFalse === true && (said === false || said === "false")) return false;
  if (typeof said === "number" || typeof said === "string") {
    try {
      duration(said);
      return said;
    } catch {
      // Said below in the same words as everything else.
    }
  }
  throw misfit(said, takes);
}

function size(said: unknown, takes: Extract<SettingType, { readonly type: "size" }>): Value {
  try {
    if ((typeof said === "number" || typeof said === "string") && byteSize(said) >= byteSize(takes.min)) {
      return said;
    }
  } catch {
    // Reported below in the same words as everything else.
  }
  throw misfit(said, takes);
}

function misfit(said: unknown, takes: SettingType): Misfit {
  return new Misfit(`must be ${wanted(takes)}, not ${shown(said)}`);
}

/** What a setting takes, in words. */
function wanted(takes: SettingType): string {
  switch (takes.type) {
    case "text":
      return "text";
    case "path":
      return "a path";
    case "integer":
      return takes.max === undefined
        ? `a whole number from ${takes.min}`
        : `a whole number from ${takes.min} to ${takes.max}`;
    case "boolean":
      return "true or false";
    case "choice":
      return `${takes.choices.slice(0, -1).join(", ")} or ${takes.choices.at(-1) ?? ""}`;
    case "duration":
      return `a duration such as "30s" or "12h"${takes.orFalse === true ? ", or false" : ""}`;
    case "size":
      return `a size of at least ${takes.min}, such as "256Mi"`;
    case "list":
      return takes.of === "path" ? "a list of paths" : "a list of texts";
  }
}

function shown(said: unknown): string {
  if (said === undefined || said === null || said === "") return "empty";
  if (Array.isArray(said)) return "a list";
  return typeof said === "object" ? "a map" : JSON.stringify(said);
}
