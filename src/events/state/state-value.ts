import { deepFreeze } from "../../model/object/freeze.js";
import type { Json } from "../../model/object/json.js";
import { utf8Length } from "../../model/object/utf8.js";

/** Maximum size of a value as JSON, in UTF-8 bytes. */
const maxStateValueBytes = 2 ** 20;

/** Nesting beyond which a value is refused; a value that contains itself gets there too. */
const maxDepth = 200;

/**
 * Encodes a value as JSON. Refuses what would not be the same after decoding, such as a Date or NaN, instead of changing it silently.
 * Fields that are undefined are left out.
 *
 * @throws {TypeError} @throws {RangeError}
 */
export function encodeStateValue(key: string, value: unknown): string {
  checkJson(value, "value", maxDepth, key);
  const json = JSON.stringify(value);
  // A UTF-16 unit takes at most three bytes, so most values need not be counted.
  const size = json.length * 3 > maxStateValueBytes ? utf8Length(json) : 0;
  if (size > maxStateValueBytes) {
    throw new RangeError(
      `the value of ${key} is too large for the state: ${size} bytes as JSON, and ${maxStateValueBytes} are allowed; store it in a file, and its path here`,
    );
  }
  return json;
}

/** Decodes a value. It is frozen, since all readers share it. */
export function decodeStateValue(json: string): Json {
  return deepFreeze(JSON.parse(json) as Json);
}

/**
 * Checks that a value is JSON.
 *
 * @throws {TypeError} with the path of the part that is not.
 */
export function checkJson(value: unknown, path: string, depth: number, key: string): void {
  const problem = scalarProblem(value);
  if (problem !== undefined) {
    throw new TypeError(`${path} of ${key} is ${problem}, which is not JSON`);
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) throw new TypeError(`${path} of ${key} is nested too deeply, or contains itself`);
  if (Array.isArray(value)) {
    // Not forEach, which would skip holes.
    for (let index = 0; index < value.length; index++) {
      checkJson(value[index], `${path}[${index}]`, depth - 1, key);
    }
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (part !== undefined) checkJson(part, `${path}.${name}`, depth - 1, key);
  }
}

/** Reason why a value is not JSON, regardless of its parts. */
function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "object": {
      if (value === null || Array.isArray(value)) return undefined;
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== null && prototype !== Object.prototype && !isPlainElsewhere(prototype)) {
        const { constructor } = value as { readonly constructor?: { readonly name?: string } };
        return `an instance of ${constructor?.name ?? "a class"}`;
      }
      return typeof (value as { toJSON?: unknown }).toJSON === "function"
        ? "an object with toJSON"
        : undefined;
    }
    case "undefined":
      return "undefined";
    default:
      return `a ${typeof value}`;
  }
}

/** True for the prototype of plain objects of another realm, such as a vm context. */
function isPlainElsewhere(prototype: unknown): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, "isPrototypeOf");
}
