import { quote, wellFormed } from "./quote.js";

/** Placeholder for a value that an error must not show. */
export const omitValue: unique symbol = Symbol("omitted value");

/**
 * Object whose keys are rendered in their own order, as Go renders a struct; other objects are rendered with
 * sorted keys.
 */
export interface InKeyOrder {
  readonly [inOrderTag]: object;
}

const inOrderTag: unique symbol = Symbol("keys in order");

/** Marks an object, or a list of objects, to be rendered in key order. */
export function inKeyOrder(value: object): InKeyOrder {
  return { [inOrderTag]: value };
}

/**
 * Renders a value in an error like Kubernetes: strings quoted, numbers as Go prints them, everything else as
 * JSON with sorted keys.
 */
export function renderBadValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return renderNumber(value);
  if (isInOrder(value)) return renderJson(value[inOrderTag], false, 0);
  return renderJson(value, true, 0);
}

function isInOrder(value: unknown): value is InKeyOrder {
  return typeof value === "object" && value !== null && Object.hasOwn(value, inOrderTag);
}

/** Go's `%v` uses an exponent earlier than JavaScript, with two digits; integers are written in full. */
function renderNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 2 ** 63) return BigInt(value).toString();
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** Nesting beyond which values are truncated; deeper than any real object. */
const maxDepth = 500;

function renderJson(value: unknown, sorted: boolean, depth: number): string {
  if (typeof value === "string") return renderText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return JSON.stringify(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return "null";
  if (depth === maxDepth) return '"..."';
  if (Array.isArray(value)) {
    return `[${value.map((item) => renderJson(item, sorted, depth + 1)).join(",")}]`;
  }
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  if (sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = entries.map(([key, part]) => `${renderText(key)}:${renderJson(part, sorted, depth + 1)}`);
  return `{${parts.join(",")}}`;
}

/** Go escapes JSON for HTML, and Kubernetes' messages contain it. */
function renderText(text: string): string {
  return JSON.stringify(wellFormed(text)).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
