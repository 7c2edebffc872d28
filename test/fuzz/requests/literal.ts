import type { Json } from "../../../src/model/core.js";

const mark = "\u0001literal ";
const marked = /"\\u0001literal ([0-9a-f]*)"/g;

/**
 * Placeholder for raw text in the body that no value can produce: huge numbers, duplicate keys, nesting deeper than a
 * stack.
 *
 * @example encodeJson({ a: literal("1e999"), b: literal('1,"b":2') }); // {"a":1e999,"b":1,"b":2}
 */
export function literal(text: string): string {
  return mark + Buffer.from(text).toString("hex");
}

export function encodeJson(value: Json): string {
  return JSON.stringify(value).replaceAll(marked, (_, hex: string) => Buffer.from(hex, "hex").toString());
}
