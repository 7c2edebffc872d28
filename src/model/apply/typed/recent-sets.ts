import { emptySet, type FieldSet, type FieldSetDraft, sortedSet, self } from "../fields/field-set.js";
import { fieldElement, sortElements } from "../fields/path-element.js";

/** Fields of a recent map of some type. Most objects of a kind have the same fields, so they share one set. */
export interface CachedMapNode {
  readonly names: readonly string[];
  readonly nodes: readonly FieldSet[];
  readonly set: FieldSet;
}

/** Cached values per type: labels, annotations, creates and status updates differ. */
const maxPerType = 8;

/** Recent values by type, latest last. */
export class RecentByType<Type extends object, Found> {
  readonly #found = new WeakMap<Type, Found[]>();

  find(type: Type, matches: (found: Found) => boolean): Found | undefined {
    return this.#found.get(type)?.find(matches);
  }

  /** Adds a value, replacing `instead` or the oldest. */
  add(type: Type, found: Found, instead?: Found): void {
    const before = this.#found.get(type);
    if (before === undefined) {
      this.#found.set(type, [found]);
      return;
    }
    const at = instead === undefined ? -1 : before.indexOf(instead);
    if (at >= 0) before.splice(at, 1);
    else if (before.length === maxPerType) before.shift();
    before.push(found);
  }
}

/** Builds the node of a map, or finds that it equals a cached one. */
export class MapNodeBuilder {
  readonly #like: CachedMapNode | undefined;
  /** Number of fields; nothing else is recorded while they equal the cached ones. */
  #count = 0;
  #names: string[] | undefined;
  #nodes: FieldSet[] = [];

  constructor(like: CachedMapNode | undefined) {
    this.#like = like;
  }

  add(name: string, node: FieldSet): void {
    const like = this.#like;
    const at = this.#count++;
    if (this.#names === undefined) {
      if (like !== undefined && like.names[at] === name && like.nodes[at] === node) return;
      this.#names = like?.names.slice(0, at) ?? [];
      this.#nodes = like?.nodes.slice(0, at) ?? [];
    }
    this.#names.push(name);
    this.#nodes.push(node);
  }

  finish(): CachedMapNode {
    const like = this.#like;
    if (like !== undefined && this.#names === undefined && like.names.length === this.#count) return like;
    const names = this.#names ?? like?.names.slice(0, this.#count) ?? [];
    const nodes = this.#names === undefined ? (like?.nodes.slice(0, this.#count) ?? []) : this.#nodes;
    return {
      names,
      nodes,
      set: nodes.every((node) => node === emptySet) ? setOfLeaves(names) : setOf(names, nodes),
    };
  }
}

function setOf(names: readonly string[], nodes: readonly FieldSet[]): FieldSet {
  const draft: FieldSetDraft = { [self]: emptySet };
  for (const [at, name] of names.entries()) draft[fieldElement(name)] = nodes[at] ?? emptySet;
  return sortedSet(draft);
}

/** {@link setOf} for scalars. Sorts before it builds: objects with ten thousands of keys are expensive to build twice. */
function setOfLeaves(names: readonly string[]): FieldSet {
  const elements = names.map(fieldElement);
  const draft: FieldSetDraft = { [self]: emptySet };
  for (const element of sortElements(elements) ?? elements) draft[element] = emptySet;
  return draft;
}

/** True if two sets have the same elements with identical nodes. */
export function haveSameNodes(left: FieldSet, right: FieldSet): boolean {
  let more = 0;
  for (const element in left) {
    if (left[element] !== right[element]) return false;
    more += 1;
  }
  for (const _ in right) more -= 1;
  return more === 0;
}
