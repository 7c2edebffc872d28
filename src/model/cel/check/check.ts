import { checkPattern } from "../../regex/pattern.js";
import { authorizerFunctions, functions } from "../libraries/all.js";
import { formatFault } from "../libraries/format-text.js";
import type { Overload } from "../libraries/function.js";
import {
  type CallNode,
  type Expression,
  type LoopNode,
  qualifiedName,
  type SelectNode,
} from "../syntax/expression.js";
import type { Issue } from "../syntax/source.js";
import { readDuration, readTimestamp } from "../values/time.js";
import { mostGeneral, Substitution, substitute } from "../types/substitution.js";
import * as types from "../types/type.js";
import type { CelType } from "../types/type.js";

/** Resolved call. */
interface ResolvedCall {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** True if the operand before the dot is an argument, rather than part of the name. */
  readonly isMember: boolean;
}

/** Type-checked expression. */
export interface CheckedExpression {
  readonly expression: Expression;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expression, CelType>;
  readonly calls: ReadonlyMap<Expression, ResolvedCall>;
  /** Selections that are qualified names, such as `google.protobuf.Duration`. */
  readonly names: ReadonlyMap<Expression, string>;
  /** Used variables. */
  readonly variables: ReadonlySet<string>;
}

/** Type-checks an expression. */
export function check(
  expression: Expression,
  variables: ReadonlyMap<string, CelType>,
): CheckedExpression | { readonly issues: readonly Issue[] } {
  const checker = new Checker(variables);
  checker.check(expression);
  if (checker.issues.length === 0) {
    checker.checkLiterals();
    checker.checkElements();
  }
  return checker.issues.length > 0 ? { issues: checker.issues } : checker.result(expression);
}

class Checker {
  readonly issues: Issue[] = [];
  private readonly found = new Map<Expression, CelType>();
  private readonly calls = new Map<Expression, ResolvedCall>();
  private readonly names = new Map<Expression, string>();
  private readonly used = new Set<string>();
  private readonly scopes: Map<string, CelType>[] = [];
  /** Expressions inside of arguments of `format`. */
  private readonly formatted = new Set<Expression>();
  private formatDepth = 0;
  private readonly substitution = new Substitution();
  private fresh = 0;

  constructor(private readonly variables: ReadonlyMap<string, CelType>) {}

  result(expression: Expression): CheckedExpression {
    const all = new Map<Expression, CelType>();
    for (const [node, type] of this.found) all.set(node, substitute(this.substitution, type, types.dyn));
    return {
      expression,
      type: all.get(expression) ?? types.dyn,
      types: all,
      calls: this.calls,
      names: this.names,
      variables: this.used,
    };
  }

  check(node: Expression): CelType {
    // Macros may use an argument twice; checking it twice could double the work at every level.
    const cached = this.found.get(node);
    if (cached) return cached;
    if (this.formatDepth > 0) this.formatted.add(node);
    const type = this.typeOf(node);
    this.found.set(node, type);
    return type;
  }

  private report(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  private mismatch(at: number, expected: CelType, actual: CelType): void {
    this.report(at, `expected type '${types.renderType(expected)}' but found '${types.renderType(actual)}'`);
  }

  private typeOf(node: Expression): CelType {
    switch (node.kind) {
      case "literal":
        return node.literal.type === "null"
          ? types.nullType
          : { kind: node.literal.type, name: node.literal.type, params: [] };
      case "ident":
        return this.identType(node.name) ?? this.undeclared(node.at, node.name);
      case "select":
        return this.selectType(node);
      case "call":
        return this.callType(node);
      case "list":
        return this.listType(node.items, node.optional);
      case "map":
        return this.mapType(node);
      case "struct":
        return this.structType(node.at, node.name);
      case "loop":
        return this.loopType(node);
    }
  }

  private structType(at: number, name: string): CelType {
    if (!this.identType(name)) return this.undeclared(at, name);
    this.report(at, `'${name.replace(/^\./, "")}' is not a message type`);
    return types.errorType;
  }

  private undeclared(at: number, name: string): CelType {
    this.report(at, `undeclared reference to '${name}' (in container '')`);
    return types.errorType;
  }

  private identType(written: string): CelType | undefined {
    const isGlobal = written.startsWith(".");
    const name = isGlobal ? written.slice(1) : written;
    if (!isGlobal) {
      for (let at = this.scopes.length - 1; at >= 0; at--) {
        const type = this.scopes[at]?.get(name);
        if (type) return type;
      }
    }
    const variable = this.variables.get(name);
    if (variable) this.used.add(name);
    return variable ?? types.typeNames.get(name);
  }

  private selectType(node: SelectNode): CelType {
    const name = qualifiedName(node);
    const type = name === undefined ? undefined : this.identType(name);
    if (name !== undefined && type) {
      this.names.set(node, name);
      return type;
    }
    const field = this.fieldType(node.operand, node.field, node.at, false);
    return node.testOnly ? types.bool : field;
  }

  private fieldType(operand: Expression, field: string, at: number, optional: boolean): CelType {
    const outer = substitute(this.substitution, this.check(operand));
    const inner = types.insideOptional(outer);
    const type = this.memberType(inner ?? outer, field, at);
    return inner || optional ? types.optionalOf(type) : type;
  }

  private memberType(target: CelType, field: string, at: number): CelType {
    if (target.kind === "map") return target.params[1] ?? types.dyn;
    if (target.kind === "struct") {
      // Keywords need no escape after a dot.
      const type = target.fields?.get(field) ?? target.fields?.get(`__${field}__`);
      if (type) return type;
      this.report(at, `undefined field '${field}'`);
      return types.errorType;
    }
    if (target.kind === "param") this.fits(types.dyn, target);
    else if (!types.isDynamic(target)) {
      this.report(at, `type '${types.renderType(target)}' does not support field selection`);
    }
    return types.dyn;
  }

  private fits(to: CelType, from: CelType): boolean {
    return this.substitution.assign(to, from);
  }

  private callType(node: CallNode): CelType {
    const { name, args, target, at } = node;
    if (name === "_?._") return this.optionalSelectType(node);
    const isFormat = name === "format" && target !== undefined;
    if (isFormat) this.formatDepth++;
    for (const arg of args) this.check(arg);
    if (isFormat) this.formatDepth--;
    if (!target) {
      const plain = name.startsWith(".") ? name.slice(1) : name;
      const forms = functions.get(plain);
      return forms ? this.resolve(node, plain, forms, undefined) : this.undeclared(at, name);
    }
    const prefix = qualifiedName(target);
    const whole = prefix === undefined ? undefined : `${prefix}.${name}`.replace(/^\./, "");
    const namespaced = whole === undefined ? undefined : functions.get(whole);
    if (whole !== undefined && namespaced) return this.resolve(node, whole, namespaced, undefined);
    this.check(target);
    const forms = functions.get(name);
    if (forms) return this.resolve(node, name, forms, target);
    // Kubernetes declares these, but rules of schemas have no receiver for them.
    if (authorizerFunctions.has(name) && this.found.get(target)?.kind === "error") return types.errorType;
    return this.undeclared(at, name);
  }

  private optionalSelectType(node: CallNode): CelType {
    const [operand, field] = node.args;
    if (!operand || field?.kind !== "literal" || field.literal.type !== "string") return types.errorType;
    this.found.set(field, types.string);
    this.calls.set(node, { name: node.name, overloads: [], isMember: false });
    return this.fieldType(operand, field.literal.value, node.at, true);
  }

  private resolve(
    node: CallNode,
    name: string,
    forms: readonly Overload[],
    target: Expression | undefined,
  ): CelType {
    const given = [...(target ? [target] : []), ...node.args];
    const argTypes = given.map((arg) => this.found.get(arg) ?? types.dyn);
    if (name === "_&&_" || name === "_||_") return this.logicalType(node, name, forms, argTypes);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const form of forms) {
      const { signature } = form;
      if (signature.isMember !== (target !== undefined)) continue;
      const fresh = new Map(signature.free.map((letter) => [letter, this.newParam()]));
      const params = signature.params.map((type) => substitute(fresh, type));
      if (!this.substitution.assignAll(argTypes, params)) continue;
      matching.push(form);
      const type = substitute(this.substitution, substitute(fresh, signature.result));
      if (!result) result = type;
      else if (result.kind !== "dyn" && !types.isSameType(result, type)) result = types.dyn;
    }
    if (!result) {
      const rendered = argTypes.map((type) => substitute(this.substitution, type, types.dyn));
      const applied = types.renderArguments(rendered, target !== undefined);
      this.report(node.at, `found no matching overload for '${name}' applied to '${applied}'`);
      return types.errorType;
    }
    this.calls.set(node, { name, overloads: matching, isMember: target !== undefined });
    return result;
  }

  private logicalType(
    node: CallNode,
    name: string,
    forms: readonly Overload[],
    args: readonly CelType[],
  ): CelType {
    let isValid = true;
    for (const [index, type] of args.entries()) {
      if (this.fits(type, types.bool)) continue;
      this.mismatch(node.args[index]?.at ?? node.at, types.bool, type);
      isValid = false;
    }
    this.calls.set(node, { name, overloads: forms, isMember: false });
    return isValid ? types.bool : types.errorType;
  }

  private newParam(): CelType {
    return types.param(`_var${this.fresh++}`);
  }

  /** Type of an element of a literal; with a `?` before it, it must be optional. */
  private elementType(node: Expression, isOptional: boolean): CelType {
    const type = this.check(node);
    if (!isOptional) return type;
    const inner = types.insideOptional(type);
    if (!inner && type.kind !== "dyn") this.mismatch(node.at, types.optionalOf(type), type);
    return inner ?? type;
  }

  private join(before: CelType | undefined, type: CelType): CelType {
    if (!before) return type;
    return this.fits(before, type) ? mostGeneral(before, type) : types.dyn;
  }

  private listType(items: readonly Expression[], optional: ReadonlySet<number>): CelType {
    let type: CelType | undefined;
    for (const [index, item] of items.entries()) {
      type = this.join(type, this.elementType(item, optional.has(index)));
    }
    return types.listOf(type ?? this.newParam());
  }

  private mapType(node: Expression & { kind: "map" }): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of node.entries) {
      key = this.join(key, this.check(entry.key));
      value = this.join(value, this.elementType(entry.value, entry.optional));
    }
    return types.mapOf(key ?? this.newParam(), value ?? this.newParam());
  }

  private loopType(node: LoopNode): CelType {
    const range = substitute(this.substitution, this.check(node.range));
    const result = this.check(node.start);
    this.scopes.push(new Map([[node.result, result]]));
    const [first, second] = this.loopVariables(node, substitute(this.substitution, range));
    const inner = new Map([[node.variable, first]]);
    if (node.second !== undefined) inner.set(node.second, second);
    this.scopes.push(inner);
    this.expectType(node.condition, types.bool);
    this.expectType(node.step, result);
    this.scopes.pop();
    const type = this.check(node.finish);
    this.scopes.pop();
    return substitute(this.substitution, type);
  }

  private loopVariables(node: LoopNode, range: CelType): readonly [CelType, CelType] {
    const [first = types.dyn, second = types.dyn] = range.params;
    switch (range.kind) {
      case "list":
        return node.second === undefined ? [first, first] : [types.int, first];
      case "map":
        return [first, second];
      case "dyn":
      case "error":
      case "param":
        this.fits(types.dyn, range);
        return [types.dyn, types.dyn];
      default:
        this.report(
          node.range.at,
          `expression of type '${types.renderType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [types.errorType, types.errorType];
    }
  }

  private expectType(node: Expression, expected: CelType): void {
    const type = this.check(node);
    if (!this.fits(expected, type)) this.mismatch(node.at, expected, type);
  }

  private checkFormat(node: Expression): void {
    if (node.kind !== "call") return;
    const { target, args } = node;
    const [list] = args;
    if (target?.kind !== "literal" || target.literal.type !== "string" || list?.kind !== "list") return;
    const given = list.items.map((item) => {
      return substitute(this.substitution, this.found.get(item) ?? types.dyn, types.dyn);
    });
    const fault = formatFault(target.literal.value, given);
    if (!fault) return;
    const about = fault.index === undefined ? undefined : list.items[fault.index];
    this.report(about?.at ?? node.at, fault.message);
  }

  /** Checks that the elements of a literal have one type, except in arguments of `format`. */
  checkElements(): void {
    for (const node of this.found.keys()) {
      if (this.formatted.has(node)) continue;
      if (node.kind === "list") this.checkSame(node.items, (index) => node.optional.has(index));
      if (node.kind !== "map") continue;
      this.checkSame(node.entries.map(({ key }) => key));
      this.checkSame(
        node.entries.map(({ value }) => value),
        (index) => node.entries[index]?.optional === true,
      );
    }
  }

  private checkSame(
    nodes: readonly Expression[],
    isOptional: (index: number) => boolean = () => false,
  ): void {
    let first: CelType | undefined;
    for (const [index, node] of nodes.entries()) {
      const whole = substitute(this.substitution, this.found.get(node) ?? types.dyn, types.dyn);
      const type = isOptional(index) ? (types.insideOptional(whole) ?? whole) : whole;
      first ??= type;
      if (types.isSameType(first, type)) continue;
      this.mismatch(node.at, first, type);
      return;
    }
  }

  /** Checks string literals in calls of `duration`, `timestamp`, `matches` and `format`. */
  checkLiterals(): void {
    for (const [node, { name, isMember }] of this.calls) {
      if (name === "format" && isMember) this.checkFormat(node);
      const arg = node.kind === "call" ? node.args[0] : undefined;
      if (arg?.kind !== "literal" || arg.literal.type !== "string") continue;
      const { value } = arg.literal;
      const isWrong =
        (name === "duration" && readDuration(value) === undefined) ||
        (name === "timestamp" && readTimestamp(value) === undefined) ||
        (name === "matches" && checkPattern(value) !== undefined);
      if (isWrong) this.report(arg.at, `invalid ${name} argument`);
    }
  }
}
