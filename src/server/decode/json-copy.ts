import { failures, type Json } from "../../model/core.js";
import { type MutableObject, setOwn } from "../../model/object/json.js";
import { defaultDecodeLimits } from "./decode-limits.js";

/**
 * Deep copy of a value as `JSON.parse(JSON.stringify(value))` makes it: undefined fields are omitted, `toJSON` is called (a
 * Date becomes a string), lone surrogates become U+FFFD.
 *
 * Values that JSON would drop silently (NaN, functions) are refused.
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

/** Value that JSON cannot represent. Callers add the path while unwinding, so that success costs nothing. */
class NotJson extends Error {
  readonly path: string[] = [];
}

function placeOf({ path }: NotJson): string {
  // For a cycle or excessive depth, the beginning of the path is enough.
  const start = path.reverse().slice(0, 8).join("").replace(/^\./, "");
  return start === "" ? "" : ` at ${start}${path.length > 8 ? "…" : ""}`;
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
      if (depth === defaultDecodeLimits.depth) {
        throw new NotJson(`maps and lists are nested more than ${depth} levels deep`);
      }
      if (Array.isArray(value)) return copyOfList(value, depth);
      if (hasToJson(value)) return copyOf(value.toJSON(key), key, depth + 1);
      return copyOfMap(value, depth);
    case "bigint":
      throw new NotJson(`${value}n is a BigInt; convert it to a string or a number`);
    case "undefined":
      throw new NotJson("value is undefined");
    default:
      throw new NotJson(`unsupported ${typeof value}`);
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
    // JSON omits inherited fields.
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

/** Methods that Node has and the ES2023 library types lack. */
interface WellFormedString {
  isWellFormed(): boolean;
  toWellFormed(): string;
}

function wellFormed(text: string): string {
  const string = text as unknown as WellFormedString;
  return string.isWellFormed() ? text : string.toWellFormed();
}

function checkedNumber(value: number): number {
  if (!Number.isFinite(value)) throw new NotJson(`${value} is not a number in JSON`);
  // JSON.stringify turns -0 into 0.
  return value + 0;
}
