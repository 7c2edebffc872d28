/** What stands in an expression as it is. */
export type Literal =
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "uint"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "null"; readonly value: null };

interface Node {
  /** Where it stands, for messages: the number of characters before it. */
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
  /** Whether only asked if the field is there: `has(a.b)`. */
  readonly testOnly: boolean;
}

/** A call of a function or an operator; operators have the names cel-go gives them, as `_+_`. */
export interface CallNode extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target?: Expression | undefined;
  readonly args: readonly Expression[];
}

interface ListNode extends Node {
  readonly kind: "list";
  readonly items: readonly Expression[];
  /** The places of items that are written with a `?` before them. */
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

/** `Name{field: value}`; there are no types that could be made so, but it is part of the grammar. */
interface StructNode extends Node {
  readonly kind: "struct";
  readonly name: string;
}

/** What macros such as `all` and `map` turn into: a loop with a result that grows. */
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

/** The expressions right below one. */
export function partsOf(node: Expression): readonly Expression[] {
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

/** `a.b.c` as one name; undefined when it is something else. */
export function qualifiedName(node: Expression): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}

/** How high a tree may be: chains inside of nested parts add up. */
const highest = 1500;

/** Whether a tree is too high for what later goes down it by recursion. */
export function isTooDeep(expression: Expression): boolean {
  const seen = new Set<Expression>();
  let level = [expression];
  for (let height = 0; level.length > 0; height++) {
    if (height > highest) return true;
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
