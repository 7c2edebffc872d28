/** Literal value. */
export type Literal =
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "null"; readonly value: null };

interface Node {
  /** Position for messages, in characters. */
  readonly at: number;
}

interface LiteralNode extends Node {
  readonly kind: "literal";
  readonly literal: Literal;
}

interface IdentNode extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface SelectNode extends Node {
  readonly kind: "select";
  readonly operand: Expression;
  readonly field: string;
  /** True for `has(a.b)`. */
  readonly testOnly: boolean;
}

/** Call of a function or an operator; operators have cel-go's names, such as `_+_`. */
export interface CallNode extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expression | undefined;
  readonly args: readonly Expression[];
}

interface ListNode extends Node {
  readonly kind: "list";
  readonly items: readonly Expression[];
  /** Positions of items with a `?` before them. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

interface MapNode extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** `Name{field: value}`: part of the grammar, although no such types exist. */
interface StructNode extends Node {
  readonly kind: "struct";
  readonly name: string;
}

/** Loop with an accumulated result; the expansion of macros such as `all` and `map`. */
export interface LoopNode extends Node {
  readonly kind: "loop";
  readonly range: Expression;
  readonly variable: string;
  readonly second?: string | undefined;
  readonly result: string;
  readonly start: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly finish: Expression;
}

export type Expression =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | LoopNode;

/** Direct children of an expression. */
function partsOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "select":
      return [node.operand];
    case "call":
      return node.target ? [node.target, ...node.args] : node.args;
    case "list":
      return node.items;
    case "map":
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case "loop":
      return [node.range, node.start, node.condition, node.step, node.finish];
    default:
      return [];
  }
}

/** Reads `a.b.c` as a qualified name; undefined for other expressions. */
export function qualifiedName(node: Expression): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** Limit for the height of a tree: chains inside of nested parts add up. */
const maxHeight = 1500;

/** True if a tree is too high for recursion. */
export function isTooDeep(expression: Expression): boolean {
  const seen = new Set<Expression>();
  let level = [expression];
  for (let height = 0; level.length > 0; height++) {
    if (height > maxHeight) return true;
    const next: Expression[] = [];
    for (const node of level) {
      if (seen.has(node)) continue;
      seen.add(node);
      for (const part of partsOf(node)) next.push(part);
    }
    level = next;
  }
  return false;
}
