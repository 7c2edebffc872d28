import { callCost, listCost, mapCost } from "../cost/actual.js";
import { accepts, type Overload } from "../libraries/function.js";
import type { CallNode, Expression } from "../syntax/expression.js";
import type { CheckedExpression } from "../check/check.js";
import { CelList } from "../values/list.js";
import { isMap, keyText, LiteralMap, renderKey } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { CelError, noValue, noSuchOverload, CelOptional, type CelValue } from "../values/value.js";
import { Constants, literalValue } from "./constant.js";
import { planLoop } from "./loop.js";
import type { Evaluate } from "./variables.js";

/**
 * Compiles an expression to closures, one per node.
 *
 * @throws {ProgramFault} if the expression can never run.
 */
export function compileToClosures(checked: CheckedExpression): Evaluate {
  const constants = new Constants(checked);
  constants.checkPatterns();
  return new Planner(checked, constants).plan(checked.expression);
}

class Planner {
  private readonly planned = new Map<Expression, Evaluate>();

  constructor(
    private readonly checked: CheckedExpression,
    private readonly constants: Constants,
  ) {}

  plan(node: Expression): Evaluate {
    let run = this.planned.get(node);
    if (!run) {
      const constant = this.constants.of(node);
      run = constant === undefined ? this.planParts(node) : () => constant;
      this.planned.set(node, run);
    }
    return run;
  }

  /** Compiles an operand that is not charged if it is an attribute. */
  private planFree(node: Expression): Evaluate {
    const run = this.plan(node);
    if (!isAttribute(node) || this.constants.of(node) !== undefined) return run;
    return (variables) => {
      variables.meter.refund(1);
      return run(variables);
    };
  }

  private planParts(node: Expression): Evaluate {
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

  /** Compiles the operand of a selection; charged one more if it is not an attribute. */
  private operand(node: Expression): Evaluate {
    const run = this.plan(node);
    if (isAttribute(node)) return run;
    return (variables) => {
      const value = run(variables);
      variables.meter.spend(1);
      return value;
    };
  }

  private select(operand: Expression, field: string): Evaluate {
    const run = this.operand(operand);
    return (variables) => {
      const target = run(variables);
      if (target instanceof CelError) return target;
      if (target !== noValue) variables.meter.spend(1);
      return selectField(target, field);
    };
  }

  private has(operand: Expression, field: string): Evaluate {
    const run = this.plan(operand);
    return (variables) => {
      const target = run(variables);
      if (target instanceof CelError) return target;
      const inner = target instanceof CelOptional ? target.value : target;
      if (inner === undefined) return false;
      if (!isMap(inner)) return noSuchOverload();
      const found = inner.find(field);
      return found instanceof CelError ? found : found !== undefined;
    };
  }

  private list(node: Expression & { kind: "list" }): Evaluate {
    const items = node.items.map((item) => this.plan(item));
    return (variables) => {
      const values: CelValue[] = [];
      for (const [index, item] of items.entries()) {
        let value = item(variables);
        if (value instanceof CelError) return value;
        if (node.optional.has(index)) {
          if (!(value instanceof CelOptional)) return noSuchOverload();
          if (value.value === undefined) continue;
          value = value.value;
        }
        values.push(value);
      }
      variables.meter.spend(listCost);
      return new CelList(values);
    };
  }

  private map(node: Expression & { kind: "map" }): Evaluate {
    const parts = node.entries.map(({ key, value, optional }) => {
      return { key: this.plan(key), value: this.plan(value), optional };
    });
    return (variables) => {
      const entries = new Map<string, readonly [CelValue, CelValue]>();
      for (const part of parts) {
        const key = part.key(variables);
        if (key instanceof CelError) return key;
        let value = part.value(variables);
        if (value instanceof CelError) return value;
        if (part.optional) {
          if (!(value instanceof CelOptional)) return noSuchOverload();
          if (value.value === undefined) continue;
          value = value.value;
        }
        const text = keyText(key);
        if (text === undefined) return new CelError("unsupported key type");
        if (entries.has(text)) return new CelError(`Failed with repeated key ${renderKey(key)}`);
        entries.set(text, [key, value]);
      }
      variables.meter.spend(mapCost);
      return new LiteralMap(entries);
    };
  }

  private call(node: CallNode): Evaluate {
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
    // The overload is known only if there is one; otherwise costs do not depend on it.
    const [only, ...others] = overloads;
    const id = only && others.length === 0 ? only.id : "";
    return (variables) => {
      const values: CelValue[] = [];
      let fault: CelError | undefined;
      for (const arg of args) {
        const value = arg(variables);
        if (value instanceof CelError) fault ??= value;
        values.push(value);
      }
      const result = fault ?? dispatch(overloads, values, variables.meter);
      variables.meter.spend(callCost(name, id, values, result));
      return result;
    };
  }

  /** `false && error` is false, in either order. */
  private logic(node: CallNode, decides: boolean): Evaluate {
    const terms = node.args.map((arg) => this.plan(arg));
    return (variables) => {
      let fault: CelError | undefined;
      for (const term of terms) {
        const value = term(variables);
        if (value === decides) return decides;
        if (value instanceof CelError) fault ??= value;
        else if (typeof value !== "boolean") fault ??= noSuchOverload();
      }
      return fault ?? !decides;
    };
  }

  private conditional(node: CallNode): Evaluate {
    const [condition] = node.args.map((arg) => this.plan(arg));
    const [yes, no] = node.args.slice(1).map((arg) => this.planFree(arg));
    if (!condition || !yes || !no) return () => noSuchOverload();
    return (variables) => {
      const value = condition(variables);
      if (value instanceof CelError) return value;
      if (typeof value !== "boolean") return noSuchOverload();
      return value ? yes(variables) : no(variables);
    };
  }

  private optionalSelect(node: CallNode): Evaluate {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== "literal" || field.literal.type !== "string")
      return () => noSuchOverload();
    const name = field.literal.value;
    const run = this.operand(operand);
    return (variables) => {
      const target = run(variables);
      if (target instanceof CelError) return target;
      const inner = target instanceof CelOptional ? target.value : target;
      if (inner === undefined) return noValue;
      if (!isMap(inner)) return noSuchOverload();
      const found = inner.find(name);
      if (found === undefined) return noValue;
      variables.meter.spend(1);
      return found instanceof CelError ? found : new CelOptional(found);
    };
  }

  private index(node: CallNode): Evaluate {
    const [operand, key] = node.args;
    const overloads = this.checked.calls.get(node)?.overloads ?? [];
    if (!operand || !key) return () => noSuchOverload();
    const target = this.operand(operand);
    const at = this.planFree(key);
    return (variables) => {
      const value = target(variables);
      if (value instanceof CelError) return value;
      const index = at(variables);
      if (index instanceof CelError) return index;
      variables.meter.spend(1);
      const form = choose(overloads, [value, index]);
      return form ? form.run([value, index], variables.meter) : noSuchOverload();
    };
  }

  private optionalIndex(node: CallNode, overloads: readonly Overload[]): Evaluate {
    const [operand, key] = node.args;
    if (!operand || !key) return () => noSuchOverload();
    const target = this.operand(operand);
    const at = this.planFree(key);
    return (variables) => {
      const values = [target(variables), at(variables)];
      const fault = values.find((value) => value instanceof CelError);
      const result = fault ?? dispatch(overloads, values, variables.meter);
      if (result !== noValue) variables.meter.spend(1);
      return result;
    };
  }

  /** Compiles `or` and `orValue`, which evaluate their argument only if needed. */
  private otherwise(node: CallNode, name: string): Evaluate {
    const [fallback] = node.args.map((arg) => this.plan(arg));
    if (!node.target || !fallback) return () => noSuchOverload();
    const run = this.plan(node.target);
    return (variables) => {
      const value = run(variables);
      if (value instanceof CelError) return value;
      if (!(value instanceof CelOptional)) return noSuchOverload();
      if (value.value === undefined) return fallback(variables);
      return name === "or" ? value : value.value;
    };
  }

  /** Compiles `in` with a constant list, which cel-go looks up without charge. */
  private isOneOf(node: CallNode): Evaluate | undefined {
    const [value, list] = node.args;
    const items = list && this.constants.of(list);
    if (!value || !(items instanceof CelList)) return undefined;
    const members = new Set(Array.from(items, keyText));
    if (members.has(undefined)) return undefined;
    const run = this.plan(value);
    return (variables) => {
      const found = run(variables);
      return found instanceof CelError ? found : members.has(keyText(found) ?? "none");
    };
  }

  private notFalse(node: CallNode): Evaluate {
    const [arg] = node.args.map((each) => this.plan(each));
    return (variables) => {
      const value = arg?.(variables);
      variables.meter.spend(1);
      return value !== false;
    };
  }
}

function variable(name: string): Evaluate {
  const plain = name.startsWith(".") ? name.slice(1) : name;
  const fallback = new CelError(`no such attribute(s): ${plain}`);
  return (variables) => {
    variables.meter.spend(1);
    const value = variables.find(plain);
    return value === undefined ? fallback : value;
  };
}

const attributeCalls = new Set(["_[_]", "_?_:_", "_?._", "_[?_]"]);

/** True for an attribute in cel-go's sense: a name and selections from it. */
function isAttribute(node: Expression): boolean {
  if (node.kind === "ident" || node.kind === "select") return true;
  return node.kind === "call" && attributeCalls.has(node.name);
}

/** Selects a field of an object or an entry of a map; from an optional, an optional one. */
function selectField(target: CelValue, field: string): CelValue {
  if (target instanceof CelOptional) {
    if (target.value === undefined) return noValue;
    if (!isMap(target.value)) return noSuchOverload();
    const found = target.value.find(field);
    if (found === undefined) return noValue;
    return found instanceof CelError ? found : new CelOptional(found);
  }
  if (!isMap(target)) return noSuchOverload();
  const found = target.find(field);
  return found === undefined ? new CelError(`no such key: ${field}`) : found;
}

function choose(overloads: readonly Overload[], values: readonly CelValue[]): Overload | undefined {
  return overloads.find(({ signature: { params } }) => {
    return params.length === values.length && params.every((type, at) => accepts(type, values[at] ?? null));
  });
}

function dispatch(overloads: readonly Overload[], values: readonly CelValue[], meter: Meter): CelValue {
  const form = choose(overloads, values);
  if (!form) return noSuchOverload();
  let work = 1;
  for (const value of values) if (typeof value === "string") work += value.length / 32;
  meter.work(work);
  return form.run(values, meter);
}
