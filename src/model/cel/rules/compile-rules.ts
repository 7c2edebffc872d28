import type { StructuralSchema, ValidationRule } from "../../schema/structural-schema.js";
import { optionalOf } from "../types/type.js";
import { compileExpression, type CompiledExpression } from "./compile-expression.js";
import { declare, type Declaration, maxRequestBytes } from "../types/declaration.js";
import { ruleFieldPath } from "./rule-field-path.js";

/** Compiled rule, or its errors. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly fault?: string;
  readonly expression?: CompiledExpression;
  readonly messageFault?: string;
  readonly messageExpression?: CompiledExpression;
  /** Path of the error below the value; empty for the value itself. */
  readonly fieldPath: string;
}

/** Rules of one schema node. */
export interface CompiledRules {
  /** False if the value has no CEL type. */
  readonly isVisible: boolean;
  readonly rules: readonly CompiledRule[];
  /** Maximum number of such values in an object of the largest size. */
  readonly maxCardinality: number;
}

const compiled = {
  root: new WeakMap<StructuralSchema, CompiledRules>(),
  inner: new WeakMap<StructuralSchema, CompiledRules>(),
};

/** Compiles the rules of a schema node, once. At a root, metadata is visible. */
export function compiledRules(schema: StructuralSchema, isRoot: boolean): CompiledRules {
  const cache = isRoot ? compiled.root : compiled.inner;
  let rules = cache.get(schema);
  if (!rules) {
    rules = compileRules(schema, isRoot);
    cache.set(schema, rules);
  }
  return rules;
}

function compileRules(schema: StructuralSchema, isRoot: boolean): CompiledRules {
  const declaration = declare(schema, isRoot);
  if (!declaration) return { isVisible: false, rules: [], maxCardinality: 0 };
  return {
    isVisible: true,
    rules: (schema["x-kubernetes-validations"] ?? []).map((rule) => compileRule(rule, schema, declaration)),
    maxCardinality: Math.floor(maxRequestBytes / (declaration.minSize + 1)),
  };
}

function compileRule(rule: ValidationRule, schema: StructuralSchema, declaration: Declaration): CompiledRule {
  const fieldPath = rule.fieldPath ? (ruleFieldPath(rule.fieldPath, schema) ?? "") : "";
  if (rule.rule.trim() === "") return { rule, fieldPath };
  const oldSelf = rule.optionalOldSelf ? optionalOf(declaration.type) : declaration.type;
  const expression = compileExpression(rule.rule, declaration, oldSelf);
  if ("fault" in expression) return { rule, fieldPath, fault: `compilation failed: ${expression.fault}` };
  if ("program" in expression) {
    return { rule, fieldPath, fault: `program instantiation failed: ${expression.program}` };
  }
  if (expression.type !== "bool") return { rule, fieldPath, fault: "cel expression must evaluate to a bool" };
  if (!rule.messageExpression) return { rule, fieldPath, expression };
  const message = compileExpression(rule.messageExpression, declaration, oldSelf);
  if ("fault" in message) {
    const messageFault = `messageExpression compilation failed: ${message.fault}`;
    return { rule, fieldPath, expression, messageFault };
  }
  if ("program" in message) {
    const messageFault = `messageExpression instantiation failed: ${message.program}`;
    return { rule, fieldPath, expression, messageFault };
  }
  if (message.type !== "string") {
    return { rule, fieldPath, expression, messageFault: "messageExpression must evaluate to a string" };
  }
  return { rule, fieldPath, expression, messageExpression: message };
}
