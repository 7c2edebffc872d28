import { callCost, listCost, mapCost } from "../cost/actual.js";
import { accepts, type Overload } from "../libraries/function.js";
import type { CallNode, Expression } from "../syntax/expression.js";
import type { Checked } from "../check/check.js";
import { CelList } from "../values/list.js";
import { isMap, keyText, LiteralMap, shownKey } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { CelError, none, noSuchOverload, Optional, type Value } from "../values/value.js";
import { Constants, literalValue } from "./constant.js";
import { planLoop } from "./loop.js";
import type { Run } from "./scope.js";

/**
 * Makes an expression ready to run: one function per node, so that nothing is decided anew each time.
 *
 * @throws {ProgramFault} when it is known already that it cannot run.
 */
export function plan(checked: Checked): Run {
  const constants = new Constants(checked);
  constants.checkPatterns();
  return new Planner(checked, constants).plan(checked.expression);
}

class Planner {
  private readonly planned = new Map<Expression, Run>();

  constructor(
    private readonly checked: Checked,
    private readonly constants: Constants,
  ) {}

  plan(node: Expression): Run {
    let run = this.planned.get(node);
    if (!run) {
      const constant = this.constants.of(node);
      run = constant === undefined ? this.planParts(node) : () => constant;
      this.planned.set(node, run);
    }
    return run;
  }

  /** A name, or what is below one, is not charged where it only leads to something else. */
  private planFree(node: Expression): Run {
    const run = this.plan(node);
    if (!isAttribute(node) || this.constants.of(node) !== undefined) return run;
    return (scope) => {
      scope.meter.refund(1);
      return run(scope);
    };
  }

  private planParts(node: Expression): Run {
    switch (node.kind) {
      case "literal":
        return () => literalValue(node.literal);
      case "ident":
        return variable(node.name);
      case "select": {
        const name = this.checked.names.get(node);
        if (name !== undefined) return variable(name);
        return node.testOnly ? this.has(node.operand, node.field) : this.select(node.operand, node.field);
      }
      case "list":
        return this.list(node);
      case "map":
        return this.map(node);
      case "loop":
        return planLoop(node, this);
      case "struct":
        return () => noSuchOverload();
      case "call":
        return this.call(node);
    }
  }

  /** Asks for a part of what an expression yields; that costs one more if it has to be held for it. */
  private operand(node: Expression): Run {
    const run = this.plan(node);
    if (isAttribute(node)) return run;
    return (scope) => {
      const value = run(scope);
      scope.meter.spend(1);
      return value;
    };
  }

  private select(operand: Expression, field: string): Run {
    const run = this.operand(operand);
    return (scope) => {
      const target = run(scope);
      if (target instanceof CelError) return target;
      if (target !== none) scope.meter.spend(1);
      return selectField(target, field);
    };
  }

  private has(operand: Expression, field: string): Run {
    const run = this.plan(operand);
    return (scope) => {
      const target = run(scope);
      if (target instanceof CelError) return target;
      const inner = target instanceof Optional ? target.value : target;
      if (inner === undefined) return false;
      if (!isMap(inner)) return noSuchOverload();
      const found = inner.find(field);
      return found instanceof CelError ? found : found !== undefined;
    };
  }

  private list(node: Expression & { kind: "list" }): Run {
    const items = node.items.map((item) => this.plan(item));
    return (scope) => {
      const values: Value[] = [];
      for (const [index, item] of items.entries()) {
        let value = item(scope);
        if (value instanceof CelError) return value;
        if (node.optional.has(index)) {
          if (!(value instanceof Optional)) return noSuchOverload();
          if (value.value === undefined) continue;
          value = value.value;
        }
        values.push(value);
      }
      scope.meter.spend(listCost);
      return new CelList(values);
    };
  }

  private map(node: Expression & { kind: "map" }): Run {
    const parts = node.entries.map(({ key, value, optional }) => {
      return { key: this.plan(key), value: this.plan(value), optional };
    });
    return (scope) => {
      const entries = new Map<string, readonly [Value, Value]>();
      for (const part of parts) {
        const key = part.key(scope);
        if (key instanceof CelError) return key;
        let value = part.value(scope);
        if (value instanceof CelError) return value;
        if (part.optional) {
          if (!(value instanceof Optional)) return noSuchOverload();
          if (value.value === undefined) continue;
          value = value.value;
        }
        const text = keyText(key);
        if (text === undefined) return new CelError("unsupported key type");
        if (entries.has(text)) return new CelError(`Failed with repeated key ${shownKey(key)}`);
        entries.set(text, [key, value]);
      }
      scope.meter.spend(mapCost);
      return new LiteralMap(entries);
    };
  }

  private call(node: CallNode): Run {
    switch (node.name) {
      case "_&&_":
        return this.logic(node, false);
      case "_||_":
        return this.logic(node, true);
      case "_?_:_":
        return this.conditional(node);
      case "_?._":
        return this.optionalSelect(node);
      case "_[_]":
        return this.index(node);
      default:
    }
    const resolved = this.checked.calls.get(node);
    if (!resolved) return () => noSuchOverload();
    const { name, overloads, isMember } = resolved;
    if (isMember && (name === "or" || name === "orValue")) return this.otherwise(node, name);
    if (name === "_[?_]") return this.optionalIndex(node, overloads);
    const membership = name === "@in" ? this.isOneOf(node) : undefined;
    if (membership) return membership;
    if (name === "@not_strictly_false") return this.notFalse(node);
    const given = isMember && node.target ? [node.target, ...node.args] : node.args;
    const args = given.map((arg) => this.plan(arg));
    // Which form it will be is known only if there is one; otherwise costs do not go by it.
    const [only, ...others] = overloads;
    const id = only && others.length === 0 ? only.id : "";
    return (scope) => {
      const values: Value[] = [];
      let fault: CelError | undefined;
      for (const arg of args) {
        const value = arg(scope);
        if (value instanceof CelError) fault ??= value;
        values.push(value);
      }
      const result = fault ?? dispatch(overloads, values, scope.meter);
      scope.meter.spend(callCost(name, id, values, result));
      return result;
    };
  }

  /** `false && anything` is false, even if the anything fails and even if it comes first. */
  private logic(node: CallNode, decides: boolean): Run {
    const terms = node.args.map((arg) => this.plan(arg));
    return (scope) => {
      let fault: CelError | undefined;
      for (const term of terms) {
        const value = term(scope);
        if (value === decides) return decides;
        if (value instanceof CelError) fault ??= value;
        else if (typeof value !== "boolean") fault ??= noSuchOverload();
      }
      return fault ?? !decides;
    };
  }

  private conditional(node: CallNode): Run {
    const [condition] = node.args.map((arg) => this.plan(arg));
    const [yes, no] = node.args.slice(1).map((arg) => this.planFree(arg));
    if (!condition || !yes || !no) return () => noSuchOverload();
    return (scope) => {
      const value = condition(scope);
      if (value instanceof CelError) return value;
      if (typeof value !== "boolean") return noSuchOverload();
      return value ? yes(scope) : no(scope);
    };
  }

  private optionalSelect(node: CallNode): Run {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== "literal" || field.literal.type !== "string")
      return () => noSuchOverload();
    const name = field.literal.value;
    const run = this.operand(operand);
    return (scope) => {
      const target = run(scope);
      if (target instanceof CelError) return target;
      const inner = target instanceof Optional ? target.value : target;
      if (inner === undefined) return none;
      if (!isMap(inner)) return noSuchOverload();
      const found = inner.find(name);
      if (found === undefined) return none;
      scope.meter.spend(1);
      return found instanceof CelError ? found : new Optional(found);
    };
  }

  private index(node: CallNode): Run {
    const [operand, key] = node.args;
    const overloads = this.checked.calls.get(node)?.overloads ?? [];
    if (!operand || !key) return () => noSuchOverload();
    const target = this.operand(operand);
    const at = this.planFree(key);
    return (scope) => {
      const value = target(scope);
      if (value instanceof CelError) return value;
      const index = at(scope);
      if (index instanceof CelError) return index;
      scope.meter.spend(1);
      const form = choose(overloads, [value, index]);
      return form ? form.run([value, index], scope.meter) : noSuchOverload();
    };
  }

  private optionalIndex(node: CallNode, overloads: readonly Overload[]): Run {
    const [operand, key] = node.args;
    if (!operand || !key) return () => noSuchOverload();
    const target = this.operand(operand);
    const at = this.planFree(key);
    return (scope) => {
      const values = [target(scope), at(scope)];
      const fault = values.find((value) => value instanceof CelError);
      const result = fault ?? dispatch(overloads, values, scope.meter);
      if (result !== none) scope.meter.spend(1);
      return result;
    };
  }

  /** What comes behind `or` and `orValue` is looked at only if it is needed. */
  private otherwise(node: CallNode, name: string): Run {
    const [fallback] = node.args.map((arg) => this.plan(arg));
    if (!node.target || !fallback) return () => noSuchOverload();
    const run = this.plan(node.target);
    return (scope) => {
      const value = run(scope);
      if (value instanceof CelError) return value;
      if (!(value instanceof Optional)) return noSuchOverload();
      if (value.value === undefined) return fallback(scope);
      return name === "or" ? value : value.value;
    };
  }

  /** Whether something is one of a list that stands in the expression: cel-go looks that up, and charges nothing. */
  private isOneOf(node: CallNode): Run | undefined {
    const [value, list] = node.args;
    const items = list && this.constants.of(list);
    if (!value || !(items instanceof CelList)) return undefined;
    const known = new Set(Array.from(items, keyText));
    if (known.has(undefined)) return undefined;
    const run = this.plan(value);
    return (scope) => {
      const found = run(scope);
      return found instanceof CelError ? found : known.has(keyText(found) ?? "none");
    };
  }

  private notFalse(node: CallNode): Run {
    const [arg] = node.args.map((each) => this.plan(each));
    return (scope) => {
      const value = arg?.(scope);
      scope.meter.spend(1);
      return value !== false;
    };
  }
}

function variable(name: string): Run {
  const plain = name.startsWith(".") ? name.slice(1) : name;
  const fallback = new CelError(`no such attribute(s): ${plain}`);
  return (scope) => {
    scope.meter.spend(1);
    const value = scope.find(plain);
    return value === undefined ? fallback : value;
  };
}

const attributeCalls = new Set(["_[_]", "_?_:_", "_?._", "_[?_]"]);

/** What cel-go reads in one go: a name and what is below it. */
function isAttribute(node: Expression): boolean {
  if (node.kind === "ident" || node.kind === "select") return true;
  return node.kind === "call" && attributeCalls.has(node.name);
}

/** A field of an object or an entry of a map; of an optional, an optional one. */
function selectField(target: Value, field: string): Value {
  if (target instanceof Optional) {
    if (target.value === undefined) return none;
    if (!isMap(target.value)) return noSuchOverload();
    const found = target.value.find(field);
    if (found === undefined) return none;
    return found instanceof CelError ? found : new Optional(found);
  }
  if (!isMap(target)) return noSuchOverload();
  const found = target.find(field);
  return found === undefined ? new CelError(`no such key: ${field}`) : found;
}

function choose(overloads: readonly Overload[], values: readonly Value[]): Overload | undefined {
  return overloads.find(({ signature: { params } }) => {
    return params.length === values.length && params.every((type, at) => accepts(type, values[at] ?? null));
  });
}

function dispatch(overloads: readonly Overload[], values: readonly Value[], meter: Meter): Value {
  const form = choose(overloads, values);
  if (!form) return noSuchOverload();
  let work = 1;
  for (const value of values) if (typeof value === "string") work += value.length / 32;
  meter.work(work);
  return form.run(values, meter);
}
