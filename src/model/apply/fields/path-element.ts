import { isJsonArray, isJsonObject, type Json } from "../../object/json.js";
import { quote } from "../../object/quote.js";
import { compareUtf8, canonicalJson, canonicalString } from "./canonical-json.js";

/** Malformed `managedFields` or `fieldsV1`. */
export class FieldSetError extends Error {
  override readonly name = "FieldSetError";
}

/**
 * Step from an object to a field, spelled like the keys of `fieldsV1`:
 *
 * - `f:name`: field of a map;
 * - `k:{"name":"web"}`: item of a list of maps, by its keys;
 * - `v:"blue"`: item of a set, by its value;
 * - `i:0`: item of a list, by its index. Never created here (a list without keys is owned as a whole), but
 *   kept if a client sends it.
 *
 * Elements are canonical, so they can be compared as strings and used as keys.
 */
export type PathElement = string;

/** Key of a list item: names and values of its key fields, sorted by name. */
export type ItemKey = readonly (readonly [name: string, value: Json])[];

/** Cache of elements by field name: a lookup is cheaper than creating a string that becomes an object key. */
const fieldElements = new Map<string, PathElement>();
const maxCachedElements = 10_000;
const maxCachedNameLength = 256;

/** Element for a field of a map. */
export function fieldElement(name: string): PathElement {
  const cached = fieldElements.get(name);
  if (cached !== undefined) return cached;
  const element = `f:${name}`;
  if (name.length > maxCachedNameLength) return element;
  if (fieldElements.size === maxCachedElements) fieldElements.clear();
  fieldElements.set(name, element);
  return element;
}

/** Element for an item of a list of maps; key fields may be in any order. */
export function keyElement(key: ItemKey): PathElement {
  const [first] = key;
  if (first !== undefined && key.length === 1)
    return `k:{${canonicalString(first[0])}:${canonicalJson(first[1])}}`;
  const fields = key.toSorted(([left], [right]) => compareUtf8(left, right));
  return `k:{${fields.map(([name, value]) => `${canonicalString(name)}:${canonicalJson(value)}`).join(",")}}`;
}

/** Element for an item of a set. */
export function valueElement(value: Json): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** Name in a field element; undefined for list items. */
export function fieldName(element: PathElement): string | undefined {
  return element.charCodeAt(0) === field ? element.slice(2) : undefined;
}

/** True for an item of a list of maps. */
export function isKeyElement(element: PathElement): boolean {
  return element.charCodeAt(0) === key;
}

const field = 0x66;
const key = 0x6b;
const value = 0x76;
const index = 0x69;
const self = 0x2e;
const colon = 0x3a;
const integer = /^[+-]?\d{1,15}$/;

/**
 * Brings an element from a client into canonical form. Undefined for an unknown kind of element; throws if it
 * is malformed.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2 || text.charCodeAt(1) !== colon) {
    throw new FieldSetError(`invalid path element ${quote(text)}: missing colon`);
  }
  switch (text.charCodeAt(0)) {
    case field:
      return text;
    case key:
      return keyElement(parseKey(text));
    case value:
      return valueElement(parseContent(text));
    case index:
      if (!integer.test(text.slice(2)))
        throw new FieldSetError(`invalid path element ${quote(text)}: not an index`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

function parseContent(element: PathElement): Json {
  try {
    return JSON.parse(element.slice(2)) as Json;
  } catch {
    throw new FieldSetError(`invalid path element ${quote(element)}: not JSON`);
  }
}

function parseKey(element: PathElement): ItemKey {
  const content = parseContent(element);
  if (!isJsonObject(content))
    throw new FieldSetError(`invalid path element ${quote(element)}: not a map of keys`);
  return Object.entries(content);
}

/** Element with its sort keys. */
interface Sortable {
  readonly element: PathElement;
  readonly order: number;
  readonly key: ItemKey;
  readonly value: Json;
}

function toSortable(element: PathElement): Sortable {
  const kind = element.charCodeAt(0);
  return {
    element,
    order: kindOrder(kind),
    key: kind === key ? parseKey(element) : [],
    value: kind === value || kind === index ? parseContent(element) : null,
  };
}

/**
 * Sorts elements in Kubernetes' order: the mark `.`, fields, keys, values, indexes; within a kind by name,
 * key fields, value or number. Undefined if they are sorted already.
 */
export function sortElements(elements: readonly PathElement[]): PathElement[] | undefined {
  if (areTriviallySorted(elements)) return undefined;
  if (elements.every(isField)) return elements.toSorted(compareUtf8);
  // Each is parsed once: there may be thousands of them.
  const sortables = elements.map(toSortable);
  const inOrder = sortables.every((each, at) => {
    const before = sortables[at - 1];
    return before === undefined || compareSortables(before, each) <= 0;
  });
  return inOrder ? undefined : sortables.sort(compareSortables).map(({ element }) => element);
}

/** True for a field or the mark `.`, which sorts before all fields. */
function isField(element: PathElement): boolean {
  const kind = element.charCodeAt(0);
  return kind === field || kind === self;
}

/** True for a single element, and for sorted fields: the form of most sets. */
function areTriviallySorted(elements: readonly PathElement[]): boolean {
  if (elements.length < 2) return true;
  if (elements.length === 2 && elements[0]?.charCodeAt(0) === self) return true;
  let before = "";
  for (const element of elements) {
    if (!isField(element) || compareUtf8(before, element) > 0) return false;
    before = element;
  }
  return true;
}

function compareSortables(left: Sortable, right: Sortable): number {
  return (
    left.order - right.order ||
    compareKeys(left.key, right.key) ||
    compareValues(left.value, right.value) ||
    (left.order === 1 ? compareUtf8(left.element, right.element) : 0)
  );
}

function kindOrder(kind: number): number {
  if (kind === field) return 1;
  if (kind === key) return 2;
  if (kind === value) return 3;
  return kind === index ? 4 : 0;
}

function compareKeys(left: ItemKey, right: ItemKey): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left[index], right[index]];
    if (a === undefined || b === undefined) break;
    const order = compareUtf8(a[0], b[0]) || compareValues(a[1], b[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareValues(left: Json, right: Json): number {
  const types = typeOrder(left) - typeOrder(right);
  if (types !== 0) return types;
  if (typeof left === "string" && typeof right === "string") return compareUtf8(left, right);
  if (isJsonArray(left) && isJsonArray(right)) {
    for (const [index, item] of left.entries()) {
      const other = right[index];
      const order = other === undefined ? 1 : compareValues(item, other);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  }
  if (isJsonObject(left) && isJsonObject(right))
    return compareUtf8(canonicalJson(left), canonicalJson(right));
  return Number(left) - Number(right);
}

function typeOrder(value: Json): number {
  if (typeof value === "number") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (isJsonArray(value)) return 3;
  return value === null ? 5 : 4;
}

/** Renders a path for messages: `.spec.containers[name="web"].image`, `.metadata.finalizers[="x"]`. */
export function renderPath(path: readonly PathElement[]): string {
  return path.map(renderElement).join("");
}

/** Renders one element of a path. */
export function renderElement(element: PathElement): string {
  const name = fieldName(element);
  if (name !== undefined) return `.${name}`;
  if (element.charCodeAt(0) === index) return `[${element.slice(2)}]`;
  if (element.charCodeAt(0) === value) return `[=${renderKeyValue(parseContent(element))}]`;
  return `[${parseKey(element)
    .map(([name, value]) => `${name}=${renderKeyValue(value)}`)
    .join(",")}]`;
}

function renderKeyValue(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (isJsonArray(value)) return `[${value.map(renderKeyValue).join(",")}]`;
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, field]) => `${name}=${renderKeyValue(field)}`)
    .join("");
}
