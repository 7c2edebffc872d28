import type { CelValue } from "./value.js";

/** Semantics of comparing and adding lists: item by item, as a set, or by key. */
export type ListSemantics =
  | { readonly type: "atomic" }
  | { readonly type: "set" }
  | { readonly type: "map"; readonly keys: readonly string[] };

const atomic: ListSemantics = { type: "atomic" };

/** List. */
export class CelList {
  readonly semantics: ListSemantics = atomic;
  readonly #items: readonly CelValue[];

  constructor(items: readonly CelValue[] = []) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Item at an index; undefined if it is out of range. */
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

/** List of an object, whose items are converted on demand. */
export class SchemaList extends CelList {
  readonly #converted: (CelValue | undefined)[] = [];

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
    return (this.#converted[index] ??= this.make(this.source[index]));
  }
}

/** Concatenation of two lists. Copies nothing, because a rule may join the same large lists many times. */
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

/** List with the semantics of another one. */
export class ListLike extends CelList {
  constructor(
    items: readonly CelValue[],
    override readonly semantics: ListSemantics,
  ) {
    super(items);
  }
}
