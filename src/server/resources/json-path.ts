import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  setOwn,
} from "../../model/object/json.js";
import { renderBadValue } from "../../model/object/bad-value.js";
import { controlCharacters } from "../../model/object/quote.js";

/** Compiled JSON path: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`. */
export interface JsonPath {
  /** All values at the path; empty if there are none or the path does not fit the object. */
  find(object: unknown): Json[];
  /** First value of {@link find}, for table cells. */
  first(object: unknown): Json | undefined;
  /** Field names of a plain path, which has nothing but fields; otherwise undefined. */
  readonly fields: readonly string[] | undefined;
  /**
   * Sets the value at a plain path, creating missing maps. Returns false and changes nothing if the path is not plain or
   * leads through a value that is not a map.
   */
  set(object: unknown, value: Json): boolean;
}

/** Syntax error in a path. */
class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "wildcard" | "recursive" }
  | { readonly type: "slice"; readonly slice: Slice }
  | { readonly type: "union"; readonly parts: readonly (readonly Step[])[] }
  | { readonly type: "filter"; readonly filter: Filter }
  | { readonly type: "literal"; readonly value: string | number | boolean };

interface Slice {
  readonly start: number;
  /** Default: the end of the list. */
  readonly end: number | undefined;
  /** True for an index (`[2]`), for which `end` is `start + 1`. */
  readonly single: boolean;
  readonly step: number;
}

const operators = ["exists", "==", "!=", "<", "<=", ">", ">="] as const;

interface Filter {
  readonly left: readonly Step[];
  readonly operator: (typeof operators)[number];
  readonly right: readonly Step[];
}

/**
 * Compiles a JSON path of a custom resource definition: the language of `kubectl get -o jsonpath` without the braces,
 * `range` and `end`.
 *
 * @throws JsonPathError
 */
export function compileJsonPath(path: string): JsonPath {
  const steps = parse(path);
  const fields = steps.every((step) => step.type === "field") ? steps.map(({ name }) => name) : undefined;
  const find = (object: unknown): Json[] => walk([object as Json], steps) ?? [];
  return {
    find,
    first: fields ? (object) => readFields(object, fields) : (object) => find(object)[0],
    fields,
    set: (object, value) => fields !== undefined && writeFields(object as Json, fields, value),
  };
}

/** Error message for an invalid path; undefined if it is valid. */
export function checkJsonPath(path: string): string | undefined {
  try {
    parse(path);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

/** Formats a value as kubectl prints it: maps and lists as JSON, scalars without quotes. */
export function jsonPathText(value: Json): string {
  if (value === null) return "<no value>";
  return typeof value === "object" || typeof value === "number" ? renderBadValue(value) : String(value);
}

/** Value of a nested field, given the names from the outermost to the innermost. */
export function readFields(object: unknown, fields: readonly string[]): Json | undefined {
  let value = object as Json | undefined;
  for (const name of fields) {
    if (!isJsonObject(value)) return undefined;
    value = getOwn(value, name);
  }
  return value;
}

function writeFields(object: Json, fields: readonly string[], value: Json): boolean {
  const names = fields.slice(0, -1);
  const last = fields.at(-1);
  if (last === undefined || !isJsonObject(object)) return false;
  let parent: JsonObject = object;
  let missing = 0;
  for (const [index, name] of names.entries()) {
    const inner = getOwn(parent, name);
    if (inner === undefined) {
      missing = names.length - index;
      break;
    }
    if (!isJsonObject(inner)) return false;
    parent = inner;
  }
  for (const name of names.slice(names.length - missing)) {
    const inner: JsonObject = {};
    setOwn(parent, name, inner);
    parent = inner;
  }
  setOwn(parent, last, value);
  return true;
}

/** Maximum of values; a path that finds more finds nothing, since every step can multiply them. */
const maxValues = 100_000;

/** Values at the path; undefined if it does not fit, for example a filter on a value that is not a list. */
function walk(input: Json[], steps: readonly Step[]): Json[] | undefined {
  let values: Json[] | undefined = input;
  for (const step of steps) {
    values = advance(values, step);
    if (values === undefined || values.length > maxValues) return undefined;
  }
  return values;
}

function advance(values: Json[], step: Step): Json[] | undefined {
  switch (step.type) {
    case "field":
      return fieldsOf(values, step.name);
    case "wildcard": {
      const found: Json[] = [];
      for (const value of values) for (const child of childrenOf(value)) found.push(child);
      return found;
    }
    case "recursive":
      return descend(values);
    case "literal":
      return values.map(() => step.value);
    case "slice":
      return slicesOf(values, step.slice);
    case "filter":
      return matchesOf(values, step.filter);
    case "union":
      return unionOf(values, step.parts);
  }
}

function fieldsOf(values: readonly Json[], name: string): Json[] {
  const found: Json[] = [];
  for (const value of values) {
    const field = isJsonObject(value) ? getOwn(value, name) : undefined;
    if (field !== undefined) found.push(field);
  }
  return found;
}

function childrenOf(value: Json): readonly Json[] {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

/** All non-empty maps and lists at and below the values, in document order. */
function descend(values: readonly Json[]): Json[] | undefined {
  const found: Json[] = [];
  const stack = values.toReversed();
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const children = childrenOf(value);
    if (children.length === 0) continue;
    found.push(value);
    if (found.length > maxValues) return undefined;
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index] ?? null);
  }
  return found;
}

function slicesOf(values: readonly Json[], { start, end, single, step }: Slice): Json[] | undefined {
  const found: Json[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!isJsonArray(value)) return undefined;
    const { length } = value;
    const from = start < 0 ? start + length : start;
    let to = end ?? length;
    if (to < 0 || (to === 0 && single)) to += length;
    if (from === to) return found;
    if (from < 0 || from >= length || to > length || from > to) return undefined;
    for (let index = from; index < to; index += step) found.push(value[index] ?? null);
  }
  return found;
}

function unionOf(values: Json[], parts: readonly (readonly Step[])[]): Json[] | undefined {
  const found: Json[] = [];
  for (const part of parts) {
    const some = walk(values, part);
    if (some === undefined || found.length + some.length > maxValues) return undefined;
    for (const value of some) found.push(value);
  }
  return found;
}

function matchesOf(values: readonly Json[], { left, operator, right }: Filter): Json[] | undefined {
  const found: Json[] = [];
  for (const value of values) {
    if (!isJsonArray(value)) return undefined;
    for (const item of value) {
      const lefts = walk([item], left);
      if (operator === "exists") {
        if (lefts && lefts.length > 0) found.push(item);
        continue;
      }
      if (lefts === undefined || lefts.length > 1) return undefined;
      const rights = walk([item], right);
      if (rights === undefined || rights.length > 1) return undefined;
      const [a, b] = [lefts[0], rights[0]];
      if (a === undefined || b === undefined) continue;
      const holds = compare(a, operator, b);
      if (holds === undefined) return undefined;
      if (holds) found.push(item);
    }
  }
  return found;
}

/** Undefined for values that cannot be compared: Go compares values of one type only, and integers are a type. */
function compare(a: Json, operator: Exclude<Filter["operator"], "exists">, b: Json): boolean | undefined {
  const kind = kindOf(a);
  if (kind === undefined || kind !== kindOf(b)) return undefined;
  if (operator === "==") return a === b;
  if (operator === "!=") return a !== b;
  if (kind === "boolean" || a === null || b === null) return undefined;
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

function kindOf(value: Json): string | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "object" ? undefined : typeof value;
}

const slicePattern = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const filterPattern = /^([^!<>=]+)([!<>=]+)(.+)$/s;
const space = /[ \t]/;
const wordStart = /[\p{L}\p{Nd}_]/u;
/** Characters that end a field or a word, unless escaped by a backslash. */
const terminators = " \t\r\n.,[]$@{}";

/** Parses a path. A bracket ends at the first closing one, so the recursion for its content is at most two levels deep. */
function parse(text: string): Step[] {
  const steps: Step[] = [];
  let position = 0;
  while (position < text.length) {
    const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
    if (text.startsWith("[?(", position)) position = parseFilter(text, position, steps);
    else if (text.startsWith("..", position)) position = parseRecursive(text, position, steps);
    else if (character === "[") position = parseBrackets(text, position, steps);
    else if (character === ".") position = parseField(text, position + 1, steps);
    else if (character === '"' || character === "'") position = parseQuoted(text, position, steps);
    else if (/[-+\d]/.test(character)) position = parseNumber(text, position, steps);
    else if (wordStart.test(character)) position = parseWord(text, position, steps);
    else if (space.test(character) || character === "@" || character === "$") position++;
    else throw new JsonPathError(`unrecognized character in action: ${JSON.stringify(character)}`);
  }
  return steps;
}

function parseField(text: string, start: number, steps: Step[]): number {
  const end = endOfWord(text, start);
  const name = text.slice(start, end);
  steps.push(name === "*" ? { type: "wildcard" } : { type: "field", name: name.replaceAll("\\", "") });
  return end;
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length && !terminators.includes(text.charAt(end)))
    end += text.charAt(end) === "\\" ? 2 : 1;
  return Math.min(end, text.length);
}

function parseRecursive(text: string, start: number, steps: Step[]): number {
  if (steps.at(-1)?.type === "recursive") throw new JsonPathError("invalid multiple recursive descent");
  steps.push({ type: "recursive" });
  const next = String.fromCodePoint(text.codePointAt(start + 2) ?? 0);
  return wordStart.test(next) ? parseField(text, start + 2, steps) : start + 2;
}

function parseBrackets(text: string, start: number, steps: Step[]): number {
  const end = text.indexOf("]", start);
  const inside = text.slice(start + 1, end);
  if (end < 0 || inside.includes("\n")) throw new JsonPathError("unterminated array");
  const parts = inside.split(",");
  if (parts.length > 1) {
    steps.push({ type: "union", parts: parts.map((part) => parse(`[${part.trim()}]`)) });
  } else {
    const quoted = /^'([^']*)'$/.exec(inside)?.[1];
    // As in Kubernetes, an unescaped dot between the quotes separates two fields.
    if (quoted === undefined) steps.push({ type: "slice", slice: parseSlice(inside) });
    else for (const step of parse(`.${quoted}`)) steps.push(step);
  }
  return end + 1;
}

function parseSlice(text: string): Slice {
  const [, first = "", second, third] = slicePattern.exec(text === "*" ? ":" : text) ?? [];
  if (first === "" && second === undefined && text !== "")
    throw new JsonPathError(`invalid array index ${text}`);
  const start = parseIndex(first) ?? 0;
  const step = parseIndex(third?.slice(1) ?? "") ?? 1;
  if (step <= 0) throw new JsonPathError("step must be > 0");
  const single = second === undefined;
  return { start, end: single ? start + 1 : parseIndex(second.slice(1)), single, step };
}

function parseIndex(text: string): number | undefined {
  if (text === "") return undefined;
  const index = Number(text);
  if (!Number.isSafeInteger(index)) throw new JsonPathError(`array index ${text} is not a number`);
  return index;
}

function parseFilter(text: string, start: number, steps: Step[]): number {
  const end = endOfFilter(text, start + 3);
  if (text.charAt(end + 1) !== "]") throw new JsonPathError("unclosed array expect ]");
  const inside = text.slice(start + 3, end);
  const [, left = inside, operator = "exists", right = ""] = filterPattern.exec(inside) ?? [];
  const supported = operators.find((name) => name === operator);
  if (supported === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
  const filter = { left: parse(left), operator: supported, right: parse(right) };
  steps.push({ type: "filter", filter });
  return end + 2;
}

/** Position of the closing parenthesis: the first outside of quotes, of which a filter has at most one pair. */
function endOfFilter(text: string, start: number): number {
  let quote: string | undefined;
  let closed = false;
  for (let position = start; position < text.length; position++) {
    const character = text.charAt(position);
    if (character === "\n") break;
    if (character === '"' || character === "'") {
      if (quote === undefined) quote = character;
      else if (character === quote && text.charAt(position - 1) !== "\\") closed = true;
    } else if (character === ")" && (quote !== undefined) === closed) return position;
  }
  throw new JsonPathError("unterminated filter");
}

function parseQuoted(text: string, start: number, steps: Step[]): number {
  const quote = text.charAt(start);
  let end = text.indexOf(quote, start + 1);
  while (end > 0 && text.charAt(end - 1) === "\\") end = text.indexOf(quote, end + 1);
  const inside = text.slice(start + 1, end);
  if (end < 0 || inside.includes("\n")) throw new JsonPathError("unterminated quoted string");
  const value = inside.replaceAll(/\\(u[\da-fA-F]{4}|x[\da-fA-F]{2}|.|$)/g, (all, escape: string) => {
    if (escape.length > 1) return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    const character = escape === quote || escape === "\\" ? escape : controlCharacters.get(escape);
    if (character === undefined) throw new JsonPathError(`unquote string ${all} error invalid syntax`);
    return character;
  });
  steps.push({ type: "literal", value });
  return end + 1;
}

function parseNumber(text: string, start: number, steps: Step[]): number {
  const digits = /^[-+]?[.\d]*/.exec(text.slice(start))?.[0] ?? "";
  const value = Number(digits);
  if (!/\d/.test(digits) || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${digits}`);
  steps.push({ type: "literal", value });
  return start + digits.length;
}

function parseWord(text: string, start: number, steps: Step[]): number {
  let end = start;
  while (end < text.length && !terminators.includes(text.charAt(end))) end++;
  const word = text.slice(start, end);
  if (word !== "true" && word !== "false") throw new JsonPathError(`unrecognized identifier ${word}`);
  steps.push({ type: "literal", value: word === "true" });
  return end;
}
