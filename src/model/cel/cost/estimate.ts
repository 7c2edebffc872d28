import type { Declaration } from "../types/declaration.js";
import { accumulator } from "../syntax/macros.js";
import type { CallNode, Expression, LoopNode, SelectNode } from "../syntax/expression.js";
import type { CheckedExpression } from "../check/check.js";
import { dyn, insideOptional, type CelType } from "../types/type.js";
import { textSize } from "../values/text.js";
import { type Argument, estimateCall } from "./estimate-call.js";
import { listCost, mapCost } from "./factors.js";
import {
  addRanges,
  sumRanges,
  exactly,
  multiplyRanges,
  type CostRange,
  unionRange,
  unknownSize,
  unlimited,
  zero,
} from "./range.js";

/** Sizes of the keys and values of a list or map. */
interface EntrySize {
  readonly kind: "list" | "map";
  readonly key: CostRange;
  readonly value: CostRange;
}

/** Loop variable. */
interface Local {
  readonly path: readonly string[];
  readonly size: CostRange | undefined;
  readonly entries: EntrySize | undefined;
}

/**
 * Estimates the minimum and maximum cost of an expression, from the maximum sizes in the schema. Same results
 * as Kubernetes, so that both accept the same definitions.
 */
export function estimateCost(checked: CheckedExpression, root: Declaration): CostRange {
  return new Estimator(checked, root).cost(checked.expression);
}

class Estimator {
  private readonly costs = new Map<Expression, CostRange>();
  private readonly sizes = new Map<Expression, CostRange>();
  private readonly entrySizes = new Map<Expression, EntrySize>();
  /** Schema path of the value of an expression. */
  private readonly paths = new Map<Expression, readonly string[]>();
  private readonly locals = new Map<string, Local[]>();

  constructor(
    private readonly checked: CheckedExpression,
    private readonly root: Declaration,
  ) {}

  cost(node: Expression): CostRange {
    let cost = this.costs.get(node);
    if (!cost) {
      cost = this.compute(node);
      this.costs.set(node, cost);
    }
    return cost;
  }

  private compute(node: Expression): CostRange {
    switch (node.kind) {
      case "literal":
        return zero;
      case "ident":
        this.paths.set(node, this.locals.get(node.name)?.at(-1)?.path ?? [node.name]);
        return exactly(1);
      case "select":
        return this.selectCost(node);
      case "call":
        return this.callCost(node);
      case "list":
        return this.listCost(node);
      case "map":
        return this.mapCost(node);
      case "loop":
        return this.loopCost(node);
      case "struct":
        return exactly(40);
    }
  }

  private typeOf(node: Expression): CelType {
    return this.checked.types.get(node) ?? dyn;
  }

  private pathOf(node: Expression): readonly string[] {
    const local = node.kind === "ident" ? this.locals.get(node.name)?.at(-1) : undefined;
    return local?.path ?? this.paths.get(node) ?? [];
  }

  private selectCost(node: SelectNode): CostRange {
    const name = this.checked.names.get(node);
    if (name !== undefined) {
      this.paths.set(node, [name]);
      return exactly(1);
    }
    const operand = this.cost(node.operand);
    if (node.testOnly) return operand;
    const { kind } = this.typeOf(node.operand);
    this.paths.set(node, [...this.pathOf(node.operand), node.field]);
    return kind === "map" || kind === "struct" || kind === "param" ? addRanges(operand, exactly(1)) : operand;
  }

  private listCost(node: Expression & { kind: "list" }): CostRange {
    let item: CostRange = { min: node.items.length === 0 ? 0 : unlimited, max: 0 };
    const costs = node.items.map((each) => {
      const cost = this.cost(each);
      item = unionRange(item, this.sizeOf(each) ?? unknownSize);
      return cost;
    });
    this.entrySizes.set(node, { kind: "list", key: exactly(1), value: item });
    return addRanges(sumRanges(costs), exactly(listCost));
  }

  private mapCost(node: Expression & { kind: "map" }): CostRange {
    const least = node.entries.length === 0 ? 0 : unlimited;
    let key: CostRange = { min: least, max: 0 };
    let value: CostRange = { min: least, max: 0 };
    const costs = node.entries.map((entry) => {
      const cost = addRanges(this.cost(entry.key), this.cost(entry.value));
      key = unionRange(key, this.sizeOf(entry.key) ?? unknownSize);
      value = unionRange(value, this.sizeOf(entry.value) ?? unknownSize);
      return cost;
    });
    this.entrySizes.set(node, { kind: "map", key, value });
    return addRanges(sumRanges(costs), exactly(mapCost));
  }

  private callCost(node: CallNode): CostRange {
    const { args } = node;
    const resolved = this.checked.calls.get(node);
    const [first] = args;
    if (node.name === "dyn" && first) {
      const cost = addRanges(exactly(1), this.cost(first));
      this.copySizes(node, first);
      return cost;
    }
    const costs = args.map((arg) => this.cost(arg));
    const sum = sumRanges(costs);
    if (!resolved) return zero;
    const { name, overloads, isMember } = resolved;
    if (name === "_&&_" || name === "_||_") return { min: costs[0]?.min ?? 0, max: sum.max };
    if (name === "_?_:_") return this.conditionalCost(node, costs);
    const outer = isMember && node.target ? this.cost(node.target) : zero;
    if (overloads.length === 0) return addRanges(addRanges(outer, sum), exactly(1));
    const target = isMember && node.target ? this.argument(node.target) : undefined;
    const given = args.map((arg) => this.argument(arg));
    let cost: CostRange = { min: unlimited, max: 0 };
    let size: CostRange | undefined;
    for (const { id } of overloads) {
      const call = estimateCall(name, id, target, given);
      cost = unionRange(cost, addRanges(call.cost, sum));
      if (call.size) size = size ? unionRange(size, call.size) : call.size;
      if ((id === "index_list" || id === "index_map") && first) {
        size = this.entriesOf(first)?.value;
        this.paths.set(node, [...this.pathOf(first), id === "index_list" ? "@items" : "@values"]);
      }
      if (id.startsWith("add_")) this.joinEntries(node, args[0], args[1]);
      size ??= this.sizeOf(node);
    }
    if (size) this.sizes.set(node, size);
    return addRanges(outer, cost);
  }

  private conditionalCost(node: CallNode, costs: readonly CostRange[]): CostRange {
    const [, yes, no] = node.args;
    const [condition = zero, yesCost = zero, noCost = zero] = costs;
    if (yes && no) {
      this.sizes.set(node, unionRange(this.sizeOf(yes) ?? unknownSize, this.sizeOf(no) ?? unknownSize));
      this.joinEntries(node, yes, no);
    }
    return addRanges(condition, unionRange(yesCost, noCost));
  }

  private joinEntries(node: Expression, a: Expression | undefined, b: Expression | undefined): void {
    const [left, right] = [a && this.entriesOf(a), b && this.entriesOf(b)];
    if (!left || !right) return;
    const joined: EntrySize = {
      kind: left.kind,
      key: unionRange(left.key, right.key),
      value: unionRange(left.value, right.value),
    };
    this.entrySizes.set(node, joined);
  }

  private argument(node: Expression): Argument {
    const { literal } = node.kind === "literal" ? node : { literal: undefined };
    const path = this.pathOf(node);
    const itemPath = path.length === 0 || path[0] === accumulator ? undefined : [...path, "@items"];
    return {
      type: this.typeOf(node),
      size: this.sizeOf(node),
      itemSize: itemPath && this.declaredSize(itemPath),
      integer: literal?.type === "int" ? literal.value : undefined,
    };
  }

  private loopCost(node: LoopNode): CostRange {
    let sum = addRanges(this.cost(node.range), this.cost(node.start));
    const isBinding =
      node.range.kind === "list" && node.range.items.length === 0 && node.result !== accumulator;
    this.push(node.result, {
      path: this.pathOf(node.start),
      size: this.sizeOf(node.start),
      entries: this.entriesOf(node.start),
    });
    if (isBinding) {
      sum = addRanges(sum, this.cost(node.finish));
      this.locals.get(node.result)?.pop();
      this.copySizes(node, node.finish);
      return sum;
    }
    this.pushVariables(node);
    const turn = addRanges(this.cost(node.condition), this.cost(node.step));
    this.locals.get(node.variable)?.pop();
    if (node.second !== undefined) this.locals.get(node.second)?.pop();
    sum = addRanges(sum, this.cost(node.finish));
    this.locals.get(node.result)?.pop();
    const count = this.sizeOf(node.range) ?? unknownSize;
    if (node.start.kind === "literal") {
      const size = this.sizeOf(node.start);
      if (size) this.sizes.set(node, size);
    } else if (node.start.kind === "list" || node.start.kind === "map") {
      this.sizes.set(node, count);
      const entries = this.entriesOf(node.step);
      if (entries) this.entrySizes.set(node, entries);
    }
    return addRanges(sum, multiplyRanges(count, turn));
  }

  private push(name: string, local: Local): void {
    const stack = this.locals.get(name);
    if (stack) stack.push(local);
    else this.locals.set(name, [local]);
  }

  private pushVariables(node: LoopNode): void {
    const entries = this.entriesOf(node.range);
    const isList = (entries?.kind ?? this.typeOf(node.range).kind) === "list";
    const path = this.pathOf(node.range);
    const keys: Local = {
      path: [...path, isList ? "@indices" : "@keys"],
      size: entries?.key,
      entries: undefined,
    };
    const values: Local = {
      path: [...path, isList ? "@items" : "@values"],
      size: entries?.value,
      entries: undefined,
    };
    this.push(node.variable, node.second === undefined && isList ? values : keys);
    if (node.second !== undefined) this.push(node.second, values);
  }

  private copySizes(to: Expression, from: Expression): void {
    const [size, entries] = [this.sizeOf(from), this.entriesOf(from)];
    if (size) this.sizes.set(to, size);
    if (entries) this.entrySizes.set(to, entries);
  }

  private entriesOf(node: Expression): EntrySize | undefined {
    const cached = this.entrySizes.get(node);
    if (cached || node.kind !== "ident") return cached;
    return this.locals.get(node.name)?.at(-1)?.entries;
  }

  private sizeOf(node: Expression): CostRange | undefined {
    const cached = this.sizes.get(node) ?? literalSize(node);
    if (cached) return cached;
    const path = this.pathOf(node);
    const declared = path.length === 0 ? undefined : this.declaredSize(path);
    if (declared) {
      this.sizes.set(node, declared);
      return declared;
    }
    if (isScalar(this.typeOf(node))) return exactly(1);
    return node.kind === "ident" ? this.locals.get(node.name)?.at(-1)?.size : undefined;
  }

  /** Maximum size of the value at a schema path. The first step is the variable. */
  private declaredSize(path: readonly string[]): CostRange | undefined {
    let place: Declaration | undefined = this.root;
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") place = place.inner;
      else if (step === "@keys") place = place.key;
      else place = place.fields?.get(step);
      if (!place) return undefined;
    }
    return { min: 0, max: place.maxElements };
  }
}

function literalSize(node: Expression): CostRange | undefined {
  switch (node.kind) {
    case "literal": {
      const { literal } = node;
      if (literal.type === "string") return exactly(textSize(literal.value));
      return exactly(literal.type === "bytes" ? literal.value.length : 1);
    }
    case "list":
      return exactly(node.items.length);
    case "map":
      return exactly(node.entries.length);
    default:
      return undefined;
  }
}

const scalars = new Set<CelType["kind"]>(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: CelType): boolean {
  const inner = insideOptional(type);
  return inner ? isScalar(inner) : scalars.has(type.kind);
}
