import { checkPattern } from "../../regex/pattern.js";
import type { Expression, Literal } from "../syntax/expression.js";
import type { CheckedExpression } from "../check/check.js";
import { typeNames } from "../types/type.js";
import { CelList } from "../values/list.js";
import { keyText, LiteralMap } from "../values/map.js";
import { Meter } from "../values/meter.js";
import { CelError, TypeValue, CelUint, type CelValue } from "../values/value.js";

/** Error that an expression would always fail with; reported before it runs. */
export class ProgramFault extends Error {
  override readonly name = "ProgramFault";
}

const conversions = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "));
const patternFunctions = new Set(["matches", "find", "findAll"]);

/** Finds constant expressions, which cel-go evaluates once and does not charge for. */
export class Constants {
  private readonly cache = new Map<Expression, CelValue | undefined>();

  constructor(private readonly checked: CheckedExpression) {}

  /** Value of a constant expression; undefined otherwise. */
  of(node: Expression): CelValue | undefined {
    if (this.cache.has(node)) return this.cache.get(node);
    const value = this.find(node);
    this.cache.set(node, value);
    return value;
  }

  private find(node: Expression): CelValue | undefined {
    switch (node.kind) {
      case "literal":
        return literalValue(node.literal);
      case "ident":
        return this.typeName(node, node.name);
      case "select":
        return this.typeName(node, this.checked.names.get(node));
      case "list": {
        const items = this.all(node.items);
        return node.optional.size === 0 && items ? new CelList(items) : undefined;
      }
      case "map":
        return this.map(node);
      case "call":
        return this.conversion(node);
      default:
        return undefined;
    }
  }

  private typeName(node: Expression, name: string | undefined): CelValue | undefined {
    const plain = name?.replace(/^\./, "");
    const isType = this.checked.types.get(node)?.kind === "type";
    return plain !== undefined && isType && typeNames.has(plain) ? new TypeValue(plain) : undefined;
  }

  private all(nodes: readonly Expression[]): CelValue[] | undefined {
    const values: CelValue[] = [];
    for (const node of nodes) {
      const value = this.of(node);
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  }

  private map(node: Expression & { kind: "map" }): CelValue | undefined {
    const keys = this.all(node.entries.map(({ key }) => key));
    const values = this.all(node.entries.map(({ value }) => value));
    if (!keys || !values || node.entries.some(({ optional }) => optional)) return undefined;
    const entries = new Map<string, readonly [CelValue, CelValue]>();
    for (const [index, key] of keys.entries()) {
      const text = keyText(key);
      if (text === undefined) return undefined;
      entries.set(text, [key, values[index] ?? null]);
    }
    return new LiteralMap(entries);
  }

  private conversion(node: Expression & { kind: "call" }): CelValue | undefined {
    const [arg] = node.args;
    const overloads = this.checked.calls.get(node)?.overloads ?? [];
    if (!arg || node.target || node.args.length !== 1 || !conversions.has(node.name)) return undefined;
    const value = this.of(arg);
    const [only, ...others] = overloads;
    if (value === undefined || !only || others.length > 0) return undefined;
    const result = only.run([value], new Meter(Infinity, Infinity));
    if (result instanceof CelError) throw new ProgramFault(result.message);
    return result;
  }

  /** Checks literal patterns. */
  checkPatterns(): void {
    for (const [node, { name, isMember }] of this.checked.calls) {
      if (node.kind !== "call" || !patternFunctions.has(name)) continue;
      const pattern = node.args[isMember ? 0 : 1];
      const fault = pattern?.kind === "literal" ? checkPattern(String(pattern.literal.value)) : undefined;
      if (fault !== undefined) throw new ProgramFault(fault);
    }
  }
}

export function literalValue(literal: Literal): CelValue {
  return literal.type === "uint" ? new CelUint(literal.value) : literal.value;
}
