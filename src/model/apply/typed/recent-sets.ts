import { emptySet, type FieldSet, type FieldSetDraft, sortedSet, self } from "../fields/field-set.js";
import { fieldElement } from "../fields/path-element.js";

/**
 * The fields of an earlier map of some type. Most objects of a kind have the fields that one before had: then the set need
 * not be made again, and the same one serves all of them.
 */
export interface CachedMapNode {
  readonly names: readonly string[];
  readonly nodes: readonly FieldSet[];
  readonly set: FieldSet;
}

/** How many different ones are remembered of a type: there are labels and annotations, creates and updates of statuses. */
const maxPerType = 8;

/** What was found of a type lately, latest last. */
export class RecentByType<Type extends object, Found> {
  readonly #found = new WeakMap<Type, Found[]>();

  find(type: Type, matches: (found: Found) => boolean): Found | undefined {
    return this.#found.get(type)?.find(matches);
  }

  /** Remembers something, in the place of `instead` or of the oldest. */
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

/** Puts together the node of a map that is there with all its fields, or finds that it is like one that is known. */
export class MapNodeBuilder {
  readonly #like: CachedMapNode | undefined;
  /** How many fields there are; as long as they are like the known ones, nothing else is noted of them. */
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
    const draft: FieldSetDraft = { [self]: emptySet };
    for (const [at, name] of names.entries()) draft[fieldElement(name)] = nodes[at] ?? emptySet;
    return { names, nodes, set: sortedSet(draft) };
  }
}

/** Whether two sets have the same elements, and the very same nodes below them. */
export function haveSameNodes(left: FieldSet, right: FieldSet): boolean {
  let more = 0;
  for (const element in left) {
    if (left[element] !== right[element]) return false;
    more += 1;
  }
  for (const _ in right) more -= 1;
  return more === 0;
}
