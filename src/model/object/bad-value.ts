import { quote, wellFormed } from "./quote.js";

/** Stands for a value that an error must not show. */
export const omitValue: unique symbol = Symbol("omitted value");

/** An object whose keys are shown in the order given, as Go shows a struct; others are shown sorted. */
export interface InKeyOrder {
  readonly [inOrderTag]: object;
}

const inOrderTag: unique symbol = Symbol("keys in order");

/** Marks an object, or a list of them, to be shown with its keys in the order they have. */
export function inKeyOrder(value: object): InKeyOrder {
  return { [inOrderTag]: value };
}

/**
 * Shows a value inside an error as Kubernetes does: texts quoted, numbers as Go prints them, the rest as JSON
 * with sorted keys.
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

/** Go's `%v` turns to an exponent earlier than JavaScript does, with two digits; whole numbers stand in full. */
function renderNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 2 ** 63) return BigInt(value).toString();
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** Deeper than any real object; past it the value is cut, since depth is the sender's choice. */
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

/** Go's JSON is safe to put into HTML, and Kubernetes' messages show it. */
function renderText(text: string): string {
  return JSON.stringify(wellFormed(text)).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
