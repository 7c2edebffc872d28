import { isJsonArray, isJsonObject, type Json } from "../../object/json.js";
import { quote } from "../../object/quote.js";
import { compareUtf8, canonicalJson, canonicalString } from "./canonical-json.js";

/** Malformed `managedFields` or `fieldsV1`. */
export class FieldSetError extends Error {
  override readonly name = "FieldSetError";
}

/**
 * One step of the way from an object to a field, spelled as the keys of `fieldsV1` are:
 *
 * - `f:name`: the field of that name in a map;
 * - `k:{"name":"web"}`: the item of a list of maps with these keys;
 * - `v:"blue"`: the item of a set with this value;
 * - `i:0`: the item of a list at this place. Nothing here makes such elements (a list without keys is owned as a
 *   whole), but others may have, and they are kept.
 *
 * An element has one spelling only, so elements can be compared as texts and looked up as keys of an object.
 */
export type PathElement = string;

/** The fields by which an item of a list is known, in the order of their names. */
export type ItemKey = readonly (readonly [name: string, value: Json])[];

/** Elements by names: making one costs more than finding it, as it becomes the key of an object. */
const fieldElements = new Map<string, PathElement>();
const maxCachedElements = 10_000;
const maxCachedNameLength = 256;

/** The field of a map. */
export function fieldElement(name: string): PathElement {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  const element = `f:${name}`;
  if (name.length > maxCachedNameLength) return element;
  if (fieldElements.size === maxCachedElements) fieldElements.clear();
  fieldElements.set(name, element);
  return element;
}

/** The item of a list of maps; the key's fields may come in any order. */
export function keyElement(key: ItemKey): PathElement {
  const [first] = key;
  if (first !== undefined && key.length === 1)
    return `k:{${canonicalString(first[0])}:${canonicalJson(first[1])}}`;
  const fields = key.toSorted(([left], [right]) => compareUtf8(left, right));
  return `k:{${fields.map(([name, value]) => `${canonicalString(name)}:${canonicalJson(value)}`).join(",")}}`;
}

/** The item of a set. */
export function valueElement(value: Json): PathElement {
  return `v:${canonicalJson(value)}`;
}

/** The name in the element of a field; undefined for items of lists. */
export function fieldName(element: PathElement): string | undefined {
  return element.charCodeAt(0) === field ? element.slice(2) : undefined;
}

/** Whether the element is an item of a list of maps. */
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
 * The one spelling of an element that somebody else may have spelled differently. Undefined for a kind of element
 * that a later version may know; throws for what can be no element at all.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2 || text.charCodeAt(1) !== colon) {
    throw new FieldSetError(`${quote(text)} is no path element: it has no colon`);
  }
  switch (text.charCodeAt(0)) {
    case field:
      return text;
    case key:
      return keyElement(parseKey(text));
    case value:
      return valueElement(parseContent(text));
    case index:
      if (!integer.test(text.slice(2))) throw new FieldSetError(`${quote(text)} has no index`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

function parseContent(element: PathElement): Json {
  try {
    return JSON.parse(element.slice(2)) as Json;
  } catch {
    throw new FieldSetError(`${quote(element)} has no JSON after its colon`);
  }
}

function parseKey(element: PathElement): ItemKey {
  const content = parseContent(element);
  if (!isJsonObject(content)) throw new FieldSetError(`${quote(element)} has no keys`);
  return Object.entries(content);
}

/** An element with what its order depends on. */
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
 * Elements in the order in which those of a set are written: the set's own mark, fields, keys, values, indexes; and among
 * their like by name, by the fields of the key, by value, by number. Undefined when they are in that order already.
 */
export function sortElements(elements: readonly PathElement[]): PathElement[] | undefined {
  if (areTriviallySorted(elements)) return undefined;
  if (elements.every(isField)) return elements.toSorted(compareUtf8);
  // Each is read once: there may be thousands of them.
  const sortables = elements.map(toSortable);
  const inOrder = sortables.every((each, at) => {
    const before = sortables[at - 1];
    return before === undefined || compareSortables(before, each) <= 0;
  });
  return inOrder ? undefined : sortables.sort(compareSortables).map(({ element }) => element);
}

/** A field or the set's own mark, which comes before all fields by its text too. */
function isField(element: PathElement): boolean {
  const kind = element.charCodeAt(0);
  return kind === field || kind === self;
}

/** Whether there is one element only, or there are fields only and they are in order: what most sets are. */
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

/** A path as messages have it: `.spec.containers[name="web"].image`, `.metadata.finalizers[="x"]`. */
export function renderPath(path: readonly PathElement[]): string {
  return path.map(renderElement).join("");
}

/** One element of such a path. */
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
