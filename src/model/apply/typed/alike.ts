import { emptySet, type FieldSet, type FieldSetDraft, inOrder, self } from "../fields/field-set.js";
import { fieldElement } from "../fields/path-element.js";

/**
 * The fields of the last value of some type. Most objects of a kind have the fields that the one before had: then the set
 * need not be made again, and the same one serves all of them.
 */
export interface Last {
  readonly names: readonly string[];
  readonly nodes: readonly FieldSet[];
  readonly set: FieldSet;
}

/** Puts together the node of a map that is there with all its fields, or finds that it is like the last one. */
export class MapNode {
  readonly #last: Last | undefined;
  /** How many fields there are; as long as they are like the last ones, nothing else is known of them. */
  #count = 0;
  #names: string[] | undefined;
  #nodes: FieldSet[] = [];

  constructor(last: Last | undefined) {
    this.#last = last;
  }

  add(name: string, node: FieldSet): void {
    const last = this.#last;
    const at = this.#count++;
    if (this.#names === undefined) {
      if (last !== undefined && last.names[at] === name && last.nodes[at] === node) return;
      this.#names = last?.names.slice(0, at) ?? [];
      this.#nodes = last?.nodes.slice(0, at) ?? [];
    }
    this.#names.push(name);
    this.#nodes.push(node);
  }

  finish(): Last {
    const last = this.#last;
    if (last !== undefined && this.#names === undefined && last.names.length === this.#count) return last;
    const names = this.#names ?? last?.names.slice(0, this.#count) ?? [];
    const nodes = this.#names === undefined ? (last?.nodes.slice(0, this.#count) ?? []) : this.#nodes;
    const draft: FieldSetDraft = { [self]: emptySet };
    for (const [at, name] of names.entries()) draft[fieldElement(name)] = nodes[at] ?? emptySet;
    return { names, nodes, set: inOrder(draft) };
  }
}

/** Whether two sets have the same elements in the same order, and the very same nodes below them. */
export function areAlike(left: FieldSet, right: FieldSet): boolean {
  const elements = Object.keys(left);
  const others = Object.keys(right);
  if (elements.length !== others.length) return false;
  return elements.every((element, at) => others[at] === element && left[element] === right[element]);
}
