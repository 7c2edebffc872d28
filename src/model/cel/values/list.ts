import type { CelValue } from "./value.js";

/** How a list is compared and added to: item by item, as a set, or by the keys of its items. */
export type ListSemantics =
  | { readonly type: "atomic" }
  | { readonly type: "set" }
  | { readonly type: "map"; readonly keys: readonly string[] };

const atomic: ListSemantics = { type: "atomic" };

/** A list of values. */
export class CelList {
  readonly semantics: ListSemantics = atomic;
  readonly #items: readonly CelValue[];

  constructor(items: readonly CelValue[] = []) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item at a place; undefined when there is none. */
  item(index: number): CelValue | undefined {
    return this.#items[index];
  }

  *[Symbol.iterator](): Generator<CelValue> {
    for (let index = 0; index < this.size; index++) {
      const item = this.item(index);
      if (item !== undefined) yield item;
    }
  }
}

/** A list of an object, whose values are made when they are first asked for. */
export class SchemaList extends CelList {
  readonly #made: (CelValue | undefined)[] = [];

  constructor(
    private readonly source: readonly unknown[],
    private readonly make: (item: unknown) => CelValue,
    override readonly semantics: ListSemantics,
  ) {
    super();
  }

  override get size(): number {
    return this.source.length;
  }

  override item(index: number): CelValue | undefined {
    if (index < 0 || index >= this.source.length) return undefined;
    return (this.#made[index] ??= this.make(this.source[index]));
  }
}

/** Two lists one after the other. Nothing is copied, since a rule may put the same big lists together many times. */
export class JoinedList extends CelList {
  readonly #size: number;

  constructor(
    private readonly left: CelList,
    private readonly right: CelList,
  ) {
    super();
    this.#size = left.size + right.size;
  }

  override get size(): number {
    return this.#size;
  }

  override item(index: number): CelValue | undefined {
    return index < this.left.size ? this.left.item(index) : this.right.item(index - this.left.size);
  }
}

/** A list with the semantics of another one. */
export class ListLike extends CelList {
  constructor(
    items: readonly CelValue[],
    override readonly semantics: ListSemantics,
  ) {
    super(items);
  }
}
