import { jsonEqual } from "../../object/json.js";
import { type PathElement, sortElements } from "./path-element.js";

/**
 * Set of fields, in the format of `fieldsV1`:
 *
 *     { "f:spec": { "f:ports": { ".": {}, "k:{\"port\":80}": { ".": {}, "f:name": {} } } } }
 *
 * A node stands for what its key selects. It is a member of the set if it is empty or has the key `.`; a node
 * with other keys only is an ancestor of members. Here `spec` is not a member; `spec.ports`, its item and the
 * item's name are. The root stands for the whole object and is never a member: an empty root is an empty set.
 *
 * Invariants: keys are path elements in canonical form, in the order of {@link sortElements}; `.` occurs only
 * beside other keys. So equal sets are equal JSON, and reading, comparing and writing one is free. Input of
 * clients becomes such a set by `parseFieldsV1`. Sets are immutable and share nodes.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** Set under construction. */
export type FieldSetDraft = { [element: PathElement]: FieldSet };

/** Path to a field. */
export type FieldSetPath = readonly PathElement[];

/** Set without members. As a node below the root: a member with nothing below it. */
export const emptySet: FieldSet = Object.freeze({});

/** Key that marks an inner node as a member. */
export const self = ".";

/** True if a set has no members. */
export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** True if a node (not the root) is a member. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || isEmpty(node);
}

/** Creates a node; undefined if it is not a member and has no members below. */
export function makeNode(member: boolean, below: FieldSet | undefined): FieldSet | undefined {
  if (below === undefined || isEmpty(below)) return member ? emptySet : undefined;
  return member ? { [self]: emptySet, ...below } : below;
}

/** Creates the set of some paths. */
export function setOf(...paths: readonly FieldSetPath[]): FieldSet {
  let set = emptySet;
  for (const path of paths) {
    let node = emptySet;
    for (const element of path.toReversed()) node = { [element]: node };
    set = union(set, node);
  }
  return set;
}

/** True if the field at a path is a member. */
export function hasField(set: FieldSet, path: FieldSetPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/** True if two sets have the same members. */
export function equals(left: FieldSet, right: FieldSet): boolean {
  return jsonEqual(left, right);
}

/** Members of either set. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  return isEmpty(left) ? right : unionBelow(left, right);
}

/** Union of many sets, which sorts their elements once. One after the other, each step would copy everything merged so far. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  const [first = emptySet, second = emptySet] = sets;
  if (sets.length <= 2) return union(first, second);
  const nodes = new Map<PathElement, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      const node = set[element] ?? emptySet;
      const same = nodes.get(element);
      if (same === undefined) nodes.set(element, [node]);
      else if (same.at(-1) !== node) same.push(node);
    }
  }
  const draft: FieldSetDraft = {};
  for (const [element, same] of nodes) {
    const below = unionOf(same);
    const isSelf = element === self || isEmpty(below) || below[self] !== undefined;
    draft[element] = !isSelf && same.some(isEmpty) ? { [self]: emptySet, ...below } : below;
  }
  return sortedSet(draft);
}

/** Union of two nodes. */
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

/** Members of both sets. */
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

/** Members of the first set that are not in the second. Members below them stay, unless they are in both. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return without(left, right, false);
}

/** Members of the first set that are neither in the second nor below a member of it. */
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

/** Nodes of a set before an element. */
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

/** Members without members below them. */
export function leaves(set: FieldSet): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    const node = set[element];
    if (element !== self && node !== undefined) draft[element] = isEmpty(node) ? node : leaves(node);
  }
  return draft;
}

/** Paths of all members: those of one level first, then those below each of them. */
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

/** Sorts a draft. */
export function sortedSet(draft: FieldSetDraft): FieldSet {
  const elements = sortElements(Object.keys(draft));
  if (elements === undefined) return draft;
  const set: FieldSetDraft = {};
  for (const element of elements) set[element] = draft[element] ?? emptySet;
  return set;
}
