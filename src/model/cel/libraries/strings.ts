import { shortEscapes } from "../../object/quote.js";
import { sizeOf, celTypeName } from "../values/kind.js";
import { CelList } from "../values/list.js";
import { codePoints, textSize } from "../values/text.js";
import { CelError, type CelValue } from "../values/value.js";
import { formatText } from "./format-text.js";
import { metered, overload, type Overload } from "./function.js";

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): CelValue {
  const characters = codePoints(text);
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters[Number(index)] ?? "";
}

/** Converts an index of UTF-16 units to one of code points. */
function countTo(text: string, place: number): bigint {
  return place < 0 ? -1n : BigInt(textSize(text.slice(0, place)));
}

function indexOf(text: string, part: string, offset = 0n): CelValue {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const characters = codePoints(text);
  if (offset >= BigInt(characters.length)) return -1n;
  const skipped = characters.slice(0, Number(offset)).join("").length;
  return countTo(text, text.indexOf(part, skipped));
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelValue {
  const characters = codePoints(text);
  if (part === "") return offset ?? BigInt(characters.length);
  const from = offset ?? BigInt(characters.length) - 1n;
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(characters.length)) return -1n;
  const last = characters.slice(0, Number(from)).join("").length;
  return countTo(text, text.lastIndexOf(part, last));
}

/**
 * Replaces the first `limit` occurrences; all if it is negative. An empty part matches between all
 * characters.
 */
function replace(text: string, part: string, by: string, limit = -1n): CelValue {
  if (limit === 0n) return text;
  if (part !== "" && limit < 0n) return text.split(part).join(by);
  const pieces = part === "" ? ["", ...codePoints(text), ""] : text.split(part);
  const count = limit < 0n ? pieces.length : Math.min(Number(limit), pieces.length - 1);
  const head = pieces.slice(0, count + 1);
  const tail = pieces.slice(count + 1);
  return tail.length === 0 ? head.join(by) : head.join(by) + part + tail.join(part);
}

function split(text: string, separator: string, limit = -1n): CelValue {
  if (limit === 0n) return new CelList();
  const parts = separator === "" ? codePoints(text) : text.split(separator);
  if (limit < 0n || limit >= BigInt(parts.length)) return new CelList(parts);
  const count = Number(limit);
  return new CelList([...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]);
}

function substring(text: string, start: bigint, end?: bigint): CelValue {
  const characters = codePoints(text);
  const size = BigInt(characters.length);
  const stop = end ?? size;
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > size) return outOfRange(start);
  if (stop < 0n || stop > size) return outOfRange(stop);
  return characters.slice(Number(start), Number(stop)).join("");
}

function join(list: CelList, separator = ""): CelValue {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== "string") return new CelError(`join: invalid input: ${celTypeName(item)}`);
    parts.push(item);
  }
  return parts.join(separator);
}

function quoteText(text: string): string {
  return `"${codePoints(text)
    .map((character) => shortEscapes.get(character) ?? character)
    .join("")}"`;
}

/** White space as in Go. */
const space = /[\t-\r \u0085\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]/;

function trim(text: string): string {
  let end = text.length;
  while (end > 0 && space.test(text.charAt(end - 1))) end--;
  let start = 0;
  while (start < end && space.test(text.charAt(start))) start++;
  return text.slice(start, end);
}

const sizes = ["string", "bytes", "list(A)", "map(A, B)"].flatMap((type) => {
  const name = /^\w+/.exec(type)?.[0] ?? "";
  const size = (value: CelValue): CelValue => BigInt(sizeOf(value));
  return [
    overload("size", `size_${name}`, `(${type}): int`, size),
    overload("size", `${name}_size`, `${type}.(): int`, size),
  ];
});

/** String functions of CEL, and the extension that Kubernetes adds. */
export const stringFunctions: readonly Overload[] = [
  ...sizes,
  overload("contains", "contains_string", "string.(string): bool", (text: string, part: string) =>
    text.includes(part),
  ),
  overload("endsWith", "ends_with_string", "string.(string): bool", (text: string, part: string) =>
    text.endsWith(part),
  ),
  overload("startsWith", "starts_with_string", "string.(string): bool", (text: string, part: string) =>
    text.startsWith(part),
  ),
  overload("charAt", "string_char_at_int", "string.(int): string", charAt),
  overload("indexOf", "string_index_of_string", "string.(string): int", indexOf),
  overload("indexOf", "string_index_of_string_int", "string.(string, int): int", indexOf),
  overload("lastIndexOf", "string_last_index_of_string", "string.(string): int", lastIndexOf),
  overload("lastIndexOf", "string_last_index_of_string_int", "string.(string, int): int", lastIndexOf),
  overload("lowerAscii", "string_lower_ascii", "string.(): string", (text: string) =>
    text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase()),
  ),
  overload("upperAscii", "string_upper_ascii", "string.(): string", (text: string) =>
    text.replaceAll(/[a-z]+/g, (part) => part.toUpperCase()),
  ),
  metered(
    "replace",
    "string_replace_string_string",
    "string.(string, string): string",
    (meter, text: string, part: string, by: string) => {
      meter.work((text.length * (1 + by.length)) / 64);
      return replace(text, part, by);
    },
  ),
  metered(
    "replace",
    "string_replace_string_string_int",
    "string.(string, string, int): string",
    (meter, text: string, part: string, by: string, limit: bigint) => {
      meter.work((text.length * (1 + by.length)) / 64);
      return replace(text, part, by, limit);
    },
  ),
  overload("split", "string_split_string", "string.(string): list(string)", split),
  overload("split", "string_split_string_int", "string.(string, int): list(string)", split),
  overload("substring", "string_substring_int", "string.(int): string", substring),
  overload("substring", "string_substring_int_int", "string.(int, int): string", substring),
  overload("trim", "string_trim", "string.(): string", trim),
  metered("join", "list_join", "list(string).(): string", (meter, list: CelList) => {
    meter.work(list.size);
    return join(list);
  }),
  metered(
    "join",
    "list_join_string",
    "list(string).(string): string",
    (meter, list: CelList, separator: string) => {
      meter.work(list.size * (1 + separator.length / 64));
      return join(list, separator);
    },
  ),
  metered("format", "string_format", "string.(list(dyn)): string", formatText),
  overload("strings.quote", "strings_quote", "(string): string", quoteText),
];
