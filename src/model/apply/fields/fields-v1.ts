import { isJsonObject, type Json } from "../../object/json.js";
import {
  emptySet,
  type FieldSet,
  type FieldSetDraft,
  sortedSet,
  isEmpty,
  makeNode,
  self,
} from "./field-set.js";
import { FieldSetError, parseElement } from "./path-element.js";

/** Limit for nesting, deeper than any object. */
const maxDepth = 1000;

/**
 * Parses `fieldsV1` from a client: elements are sorted and brought into canonical form, and unknown kinds of
 * elements are dropped with everything below. Throws a {@link FieldSetError} for malformed input.
 *
 * There is no reverse function: a set is its own `fieldsV1`.
 */
export function parseFieldsV1(fields: Json | undefined): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  return parseNode(fields, 0).below;
}

function parseNode(json: Json, depth: number): { member: boolean; below: FieldSet } {
  // Null stands for a member without anything below it.
  if (json === null) return { member: true, below: emptySet };
  if (!isJsonObject(json)) throw new FieldSetError(`fieldsV1 must contain maps, not ${typeof json}`);
  if (depth > maxDepth) throw new FieldSetError(`fieldsV1 is nested more than ${maxDepth} levels deep`);
  const draft: FieldSetDraft = {};
  let member = false;
  for (const [text, child] of Object.entries(json)) {
    if (text === self) {
      member = true;
      continue;
    }
    const element = parseElement(text);
    if (element === undefined) continue;
    const { member: childIsMember, below } = parseNode(child, depth + 1);
    const node = makeNode(childIsMember, below);
    if (node !== undefined) draft[element] = node;
  }
  return { member: member || isEmpty(draft), below: sortedSet(draft) };
}
