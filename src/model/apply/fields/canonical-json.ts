import { isJsonArray, isJsonObject, type Json } from "../../object/json.js";

/*
 * JSON inside of strings: the keys of `fieldsV1` and kubectl's annotation. Two writers must produce the same
 * string for the same value, so this is byte for byte Kubernetes' encoding: sorted keys, `<`, `>` and `&`
 * escaped, no short form for rare control characters.
 */

// oxlint-disable-next-line no-control-regex -- control characters are what has to be escaped
const special = /["\\\u0000-\u001f<>&\u2028\u2029]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g;
const plain = /^[ !#-%'-;=?-[\]-~]*$/;

const shortEscapes = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Encodes a string. */
export function canonicalString(text: string): string {
  return plain.test(text) ? `"${text}"` : `"${text.replace(special, escape)}"`;
}

function escape(part: string): string {
  // Surrogate pairs are kept; lone surrogates are replaced.
  if (part.length === 2) return part;
  const code = part.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return "\\ufffd";
  return shortEscapes.get(part) ?? `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Encodes a value. */
export function canonicalJson(value: Json): string {
  if (typeof value === "string") return canonicalString(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([left], [right]) => compareUtf8(left, right));
  return `{${fields.map(([name, field]) => `${canonicalString(name)}:${canonicalJson(field)}`).join(",")}}`;
}

/** Compares two strings by their bytes in UTF-8. */
export function compareUtf8(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

/** Surrogates encode the highest code points, but their units are lower than some others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
