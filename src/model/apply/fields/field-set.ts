import { jsonEqual } from "../../object/json.js";
import { type PathElement, sortElements } from "./path-element.js";

/**
 * A set of fields, in the form in which objects carry it (`fieldsV1`):
 *
 *     { "f:spec": { "f:ports": { ".": {}, "k:{\"port\":80}": { ".": {}, "f:name": {} } } } }
 *
 * A node stands for what its key selects. It is a member of the set when it is empty or has the key `.`; a node that
 * has other keys only is just on the way to members. Here `spec` is no member, `spec.ports`, its item and that item's
 * name are. The outermost node stands for the whole object, which is never a member: when it is empty, the set is.
 *
 * Invariants: keys are path elements in their one spelling, in the order of {@link sortElements}; `.` stands only
 * beside other keys. So equal sets are equal as JSON, and reading, comparing and writing one costs nothing. What
 * comes from outside becomes such a set by `readFieldsV1`. Sets are never changed in place, and share nodes freely.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set that is still being put together. */
export type FieldSetDraft = { [element: PathElement]: FieldSet };

/** A path to a field. */
export type FieldSetPath = readonly PathElement[];

/** The set without members. As a node below the root: a member without anything below it. */
export const emptySet: FieldSet = Object.freeze({});

/** The key that marks a node with others below it as a member itself. */
export const self = ".";

/** Whether a set has no members. */
export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node (not the root) is a member. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmpty(node);
}

/** A node with what is below it, or nothing when it is no member and has no members below. */
export function makeNode(member: boolean, below: FieldSet | undefined): FieldSet | undefined {
  if (below === undefined || isEmpty(below)) return member ? emptySet : undefined;
  return member ? { [self]: emptySet, ...below } : below;
}

/** The set of some paths. */
export function setOf(...paths: readonly FieldSetPath[]): FieldSet {
  let set = emptySet;
  for (const path of paths) {
    let node = emptySet;
    for (const element of path.toReversed()) node = { [element]: node };
    set = union(set, node);
  }
  return set;
}

/** Whether the field at a path is a member. */
export function hasField(set: FieldSet, path: FieldSetPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** Whether two sets have the same members. */
export function equals(left: FieldSet, right: FieldSet): boolean {
  return jsonEqual(left, right);
}

/** The members of either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  return isEmpty(left) ? right : unionBelow(left, right);
}

/** The union of two nodes. */
export function unionNodes(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  if (isEmpty(left)) return isMember(right) ? right : { [self]: emptySet, ...right };
  if (isEmpty(right)) return isMember(left) ? left : { [self]: emptySet, ...left };
  return unionBelow(left, right);
}

function unionBelow(left: FieldSet, right: FieldSet): FieldSet {
  let draft: FieldSetDraft | undefined;
  let grown = false;
  for (const element in right) {
    const theirs = right[element];
    const ours = left[element];
    if (theirs === undefined || theirs === ours) continue;
    const both = ours === undefined ? theirs : unionNodes(ours, theirs);
    if (both === ours) continue;
    grown ||= ours === undefined;
    draft ??= { ...left };
    draft[element] = both;
  }
  if (draft === undefined) return left;
  return grown ? sortedSet(draft) : draft;
}

/** The members of both sets. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in left) {
    const ours = left[element];
    const theirs = right[element];
    if (element === self || ours === undefined || theirs === undefined) continue;
    const both = makeNode(isMember(ours) && isMember(theirs), intersection(ours, theirs));
    if (both !== undefined) draft[element] = both;
  }
  return draft;
}

/** The members of the first set that are none of the second. What is below them stays, unless it is in both too. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return without(left, right, false);
}

/** The members of the first set that are neither members of the second nor below such members. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return without(left, right, true);
}

function without(left: FieldSet, right: FieldSet, recursive: boolean): FieldSet {
  let draft: FieldSetDraft | undefined;
  for (const element in left) {
    const ours = left[element];
    const theirs = right[element];
    if (ours === undefined) continue;
    const rest = theirs === undefined || element === self ? ours : nodeWithout(ours, theirs, recursive);
    if (rest !== ours) draft ??= upTo(left, element);
    if (draft !== undefined && rest !== undefined) draft[element] = rest;
  }
  return draft ?? left;
}

/** The nodes of a set that come before an element. */
function upTo(set: FieldSet, end: PathElement): FieldSetDraft {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    const node = set[element];
    if (element === end || node === undefined) break;
    draft[element] = node;
  }
  return draft;
}

function nodeWithout(ours: FieldSet, theirs: FieldSet, recursive: boolean): FieldSet | undefined {
  const taken = isMember(theirs);
  if (taken && recursive) return undefined;
  const member = isMember(ours) && !taken;
  if (isEmpty(ours)) return member ? ours : undefined;
  const rest = without(ours, theirs, recursive);
  if (rest === ours && member === isMember(ours)) return ours;
  const below: FieldSetDraft = {};
  for (const element in rest) {
    const node = rest[element];
    if (element !== self && node !== undefined) below[element] = node;
  }
  return makeNode(member, below);
}

/** The members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    const node = set[element];
    if (element !== self && node !== undefined) draft[element] = isEmpty(node) ? node : leaves(node);
  }
  return draft;
}

/** The paths of all members: those of one level first, then what is below each of them. */
export function pathsOf(set: FieldSet): FieldSetPath[] {
  const paths: FieldSetPath[] = [];
  addPaths(set, [], paths);
  return paths;
}

function addPaths(set: FieldSet, prefix: FieldSetPath, paths: FieldSetPath[]): void {
  const elements = Object.keys(set).filter((element) => element !== self);
  for (const element of elements) {
    if (isMember(set[element] ?? emptySet)) paths.push(prefix.concat(element));
  }
  for (const element of elements) addPaths(set[element] ?? emptySet, prefix.concat(element), paths);
}

/** A draft whose elements came in any order, as a set. */
export function sortedSet(draft: FieldSetDraft): FieldSet {
  const elements = sortElements(Object.keys(draft));
  if (elements === undefined) return draft;
  const set: FieldSetDraft = {};
  for (const element of elements) set[element] = draft[element] ?? emptySet;
  return set;
}
