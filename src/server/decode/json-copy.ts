import { failures, type Json } from "../../model/core.js";
import { type MutableObject, setOwn } from "../../model/object/json.js";
import { defaultLimits } from "./decode-limits.js";

/**
 * What would arrive of a value if it were sent as JSON, without sending it: a copy that nobody else holds. Fields that
 * are undefined are left out, `toJSON` is asked (a Date becomes its text), half characters become U+FFFD.
 *
 * Where JSON would lose something without a word (NaN, functions), it is refused.
 *
 * @throws {ApiError} 400, naming the field.
 */
export function jsonCopy(value: unknown): Json {
  try {
    return copyOf(value, "", 0);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw failures.badRequest(`the object cannot be sent as JSON: ${error.message}${placeOf(error)}`);
  }
}

/** Thrown where the walk is; the way back fills in the path, so that nothing is spent on it otherwise. */
class NotJson extends Error {
  readonly path: string[] = [];
}

function placeOf({ path }: NotJson): string {
  // Of what is too deep (or a ring) the beginning says enough.
  const shown = path.reverse().slice(0, 8).join("").replace(/^\./, "");
  return shown === "" ? "" : ` at ${shown}${path.length > 8 ? "…" : ""}`;
}

function copyOf(value: unknown, key: string, depth: number): Json {
  switch (typeof value) {
    case "string":
      return wellFormed(value);
    case "boolean":
      return value;
    case "number":
      return checkedNumber(value);
    case "object":
      if (value === null) return null;
      if (depth === defaultLimits.depth) {
        throw new NotJson(`maps and lists stand in each other more than ${depth} levels deep`);
      }
      if (Array.isArray(value)) return copyOfList(value, depth);
      if (hasToJson(value)) return copyOf(value.toJSON(key), key, depth + 1);
      return copyOfMap(value, depth);
    case "bigint":
      throw new NotJson(`${value}n is a BigInt; make it a text or a number`);
    case "undefined":
      throw new NotJson("it is undefined");
    default:
      throw new NotJson(`a ${typeof value} is there`);
  }
}

function copyOfList(list: readonly unknown[], depth: number): Json {
  const copy: Json[] = [];
  for (let index = 0; index < list.length; index++) {
    try {
      copy.push(copyOf(list[index] ?? null, "", depth + 1));
    } catch (error) {
      if (error instanceof NotJson) error.path.push(`[${index}]`);
      throw error;
    }
  }
  return copy;
}

function copyOfMap(map: object, depth: number): Json {
  const copy: MutableObject = {};
  for (const key in map) {
    // What is inherited is not sent.
    if (!Object.hasOwn(map, key)) continue;
    const part = (map as Record<string, unknown>)[key];
    if (part === undefined) continue;
    try {
      setOwn(copy, wellFormed(key), copyOf(part, key, depth + 1));
    } catch (error) {
      if (error instanceof NotJson) error.path.push(`.${key}`);
      throw error;
    }
  }
  return copy;
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Node has these; the library of ES2023 does not yet. */
interface Text {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

function wellFormed(text: string): string {
  const asText = text as unknown as Text;
  return asText.isWellFormed() ? text : asText.toWellFormed();
}

function checkedNumber(value: number): number {
  if (!Number.isFinite(value)) throw new NotJson(`${value} is no number in JSON`);
  // JSON knows one zero only.
  return value + 0;
}
