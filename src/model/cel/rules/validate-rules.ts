import { duplicate, type FieldError, forbidden, invalid, required } from "../../object/field-errors.js";
import { childPath, type FieldPath } from "../../object/field-path.js";
import { getOwn, isJsonArray, isJsonObject, type Json } from "../../object/json.js";
import { utf8Length } from "../../object/utf8.js";
import type { StructuralSchema, ValidationRule } from "../../schema/structural-schema.js";
import { PathStack } from "../../object/path-stack.js";
import { CostExceeded, Meter } from "../values/meter.js";
import { CelError, noValue, CelOptional, type CelValue } from "../values/value.js";
import type { CompiledExpression } from "./compile-expression.js";
import { compiledRules, type CompiledRule } from "./compile-rules.js";
import { withObjectMeta } from "../types/declaration.js";
import { oldItemsOf } from "./old-items.js";
import { schemaValue } from "./schema-value.js";

/** Cost limits for one expression and for all expressions of one object. */
const maxCostPerRun = 1_000_000;
const maxCostPerObject = 10_000_000;
/** Limits for work that costs do not count, for one expression and for one object. */
const maxWorkPerRun = 10_000_000;
const maxWorkPerObject = 20_000_000;

const maxMessageBytes = 5 * 1024;

/** Remaining budget, position and errors. */
interface Progress {
  readonly path: PathStack;
  readonly errors: FieldError[];
  readonly tolerate: (error: FieldError) => void;
  budget: number;
  work: number;
}

/** Part of an object with its old version. */
export interface CorrelatedValue {
  /** Correlation of a field or map entry; undefined if it is new. */
  key(name: string): CorrelatedValue | undefined;
  /** Correlation of a list item; undefined if it is new, or if items cannot be identified. */
  item(index: number): CorrelatedValue | undefined;
  /** True if the value is unchanged. The order of a list with keys does not matter. */
  isUnchanged(): boolean;
}

/** Old version of a value, for rules and for ratcheting. */
interface OldValue {
  /** Old value, if it can be identified. */
  readonly old: Json | undefined;
  readonly correlation: CorrelatedValue | undefined;
  /** Nearest ancestor that can be compared with its old version. */
  readonly parent: CorrelatedValue | undefined;
}

/**
 * Runs the rules of a schema for an object and all its parts. With `old`, transition rules run as well, and
 * violations of unchanged values are passed to `tolerate` instead of being reported.
 */
export function validateRules(
  schema: StructuralSchema,
  object: Json,
  old?: Json,
  correlation?: CorrelatedValue,
  tolerate: (error: FieldError) => void = () => undefined,
): FieldError[] {
  const progress: Progress = {
    path: new PathStack(),
    errors: [],
    tolerate,
    budget: maxCostPerObject,
    work: maxWorkPerObject,
  };
  validate(schema, true, object, { old, correlation, parent: undefined }, progress);
  return progress.errors;
}

/** Returns false if the budget is used up. */
function validate(
  schema: StructuralSchema,
  isRoot: boolean,
  value: Json,
  before: OldValue,
  progress: Progress,
): boolean {
  if (value === null) return true;
  if (!runRules(schema, isRoot, value, before, progress)) return false;
  if (isJsonArray(value)) return validateItems(schema, value, before, progress);
  return isJsonObject(value) ? validateFields(schema, value, before, progress) : true;
}

function validateItems(
  schema: StructuralSchema,
  list: readonly Json[],
  before: OldValue,
  progress: Progress,
): boolean {
  const { items } = schema;
  if (!items || !hasRules(items)) return true;
  const oldItems = oldItemsOf(schema, before.old);
  for (const [index, item] of list.entries()) {
    progress.path.enterItem(index);
    const inner: OldValue = {
      old: oldItems(item),
      ...step(before, before.correlation?.item(index)),
    };
    const withinBudget = validate(items, isEmbedded(items), item, inner, progress);
    progress.path.leave();
    if (!withinBudget) return false;
  }
  return true;
}

function validateFields(
  schema: StructuralSchema,
  object: { readonly [name: string]: Json },
  before: OldValue,
  progress: Progress,
): boolean {
  const { properties, additionalProperties } = schema;
  const oldObject = before.old !== undefined && isJsonObject(before.old) ? before.old : undefined;
  for (const [name, value] of Object.entries(object)) {
    const field = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const child = field ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (!child || !hasRules(child)) continue;
    if (field) progress.path.enterField(name);
    else progress.path.enterKey(name);
    // The version of the request is not a change of the object.
    const isVersion = !before.parent && (name === "apiVersion" || name === "kind");
    const inner: OldValue = {
      old: oldObject && getOwn(oldObject, name),
      ...(isVersion
        ? { correlation: undefined, parent: undefined }
        : step(before, before.correlation?.key(name))),
    };
    const withinBudget = validate(child, isEmbedded(child), value, inner, progress);
    progress.path.leave();
    if (!withinBudget) return false;
  }
  return true;
}

function isEmbedded(schema: StructuralSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

function step(
  before: OldValue,
  correlation: CorrelatedValue | undefined,
): Pick<OldValue, "correlation" | "parent"> {
  if (!before.correlation) return { correlation: undefined, parent: before.parent };
  return { correlation, parent: before.correlation };
}

const schemasWithRules = new WeakMap<StructuralSchema, boolean>();

/** True if a schema, or one below it, has rules. */
export function hasRules(schema: StructuralSchema): boolean {
  let result = schemasWithRules.get(schema);
  if (result === undefined) {
    const { properties, additionalProperties, items } = schema;
    result =
      (schema["x-kubernetes-validations"] ?? []).length > 0 ||
      (items !== undefined && hasRules(items)) ||
      (typeof additionalProperties === "object" && hasRules(additionalProperties)) ||
      Object.values(properties ?? {}).some(hasRules);
    schemasWithRules.set(schema, result);
  }
  return result;
}

const budgetSpent =
  "validation failed due to running out of cost budget, no further validation rules will be run";

function runRules(
  schema: StructuralSchema,
  isRoot: boolean,
  value: Json,
  before: OldValue,
  progress: Progress,
): boolean {
  if ((schema["x-kubernetes-validations"] ?? []).length === 0) return true;
  const field = progress.path.bracketed();
  const type = schema.type ?? "";
  const report = (detail: string): void => {
    progress.errors.push(invalid(field || "<nil>", type, detail));
  };
  const { isVisible, rules } = compiledRules(schema, isRoot);
  if (!isVisible) {
    report("rule compiler initialization error: failed to convert to declType for CEL validation rules");
    return true;
  }
  if (progress.budget <= 0) {
    report(budgetSpent);
    return false;
  }
  const seen = isRoot ? withObjectMeta(schema) : schema;
  const self = schemaValue(value, seen);
  const old = before.old === undefined || before.old === null ? undefined : schemaValue(before.old, seen);
  for (const rule of rules) {
    if (!runRule(rule, self, old, { before, progress, field, type, report })) return false;
  }
  return true;
}

interface RuleContext {
  readonly before: OldValue;
  readonly progress: Progress;
  readonly field: FieldPath;
  readonly type: string;
  readonly report: (detail: string) => void;
}

/** Returns false if no further rules are to be run. */
function runRule(
  compiled: CompiledRule,
  self: CelValue,
  old: CelValue | undefined,
  context: RuleContext,
): boolean {
  const { rule, fault, expression } = compiled;
  const { progress, before, report } = context;
  if (fault !== undefined) report(`rule compile error: ${fault}`);
  if (!expression) return true;
  if (expression.usesOldSelf && old === undefined && !rule.optionalOldSelf) return true;
  const oldSelf = rule.optionalOldSelf ? (old === undefined ? noValue : new CelOptional(old)) : old;
  const outcome = runExpression(expression, self, oldSelf, progress);
  if (outcome.isSpent) {
    report(budgetSpent);
    return false;
  }
  if (outcome.isOver) {
    const why = "no further validation rules will be run due to call cost exceeds limit for rule";
    report(`'${exceeded}': ${why}: ${ruleText(rule)}`);
    return false;
  }
  const { value } = outcome;
  if (value instanceof CelError) {
    const { message } = value;
    const isOverload = message.startsWith("no such overload");
    const why = "call arguments did not match a supported operator, function or macro signature for rule";
    report(
      isOverload
        ? `'${message}': ${why}: ${ruleText(rule)}`
        : `${message} evaluating rule: ${ruleText(rule)}`,
    );
    return true;
  }
  if (value === true) return true;
  const message = evaluateMessage(compiled, self, old, progress);
  const unchanged = before.correlation ? before.correlation.isUnchanged() : before.parent?.isUnchanged();
  const fail = (error: FieldError): void => {
    // Transition rules are not ratcheted.
    if (!expression.usesOldSelf && unchanged === true) progress.tolerate(error);
    else progress.errors.push(error);
  };
  const at = childPath(context.field, ...(compiled.fieldPath === "" ? [] : [compiled.fieldPath])) || "<nil>";
  if (message.stops !== undefined) {
    fail(invalid(at, context.type, message.stops));
    return false;
  }
  fail(ruleError(rule, at, context.type, message.text ?? defaultMessage(rule)));
  return true;
}

const exceeded = "operation cancelled: actual cost limit exceeded";

interface ExpressionResult {
  readonly value: CelValue;
  /** True if the expression exceeded its own limit. */
  readonly isOver: boolean;
  /** True if it exceeded the rest of the object's budget. */
  readonly isSpent: boolean;
}

function runExpression(
  expression: CompiledExpression,
  self: CelValue,
  oldSelf: CelValue | undefined,
  progress: Progress,
): ExpressionResult {
  const meter = new Meter(maxCostPerRun, Math.min(maxWorkPerRun, progress.work));
  let value: CelValue = false;
  let isOver = false;
  try {
    value = expression.run({ self, oldSelf }, meter);
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error;
    isOver = true;
  }
  const isSpent = meter.cost > progress.budget || (isOver && progress.work < maxWorkPerRun);
  progress.budget -= meter.cost;
  progress.work -= meter.workDone;
  return { value, isOver, isSpent };
}

/** Evaluates the message of a rule, if it is usable; `stops` explains why no further rules run. */
function evaluateMessage(
  { rule, messageExpression }: CompiledRule,
  self: CelValue,
  old: CelValue | undefined,
  progress: Progress,
): { readonly text?: string; readonly stops?: string } {
  if (!messageExpression) return {};
  const { value, isOver, isSpent } = runExpression(messageExpression, self, old, progress);
  if (isSpent) {
    return {
      stops:
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  }
  if (isOver) {
    const why =
      "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    return { stops: `${why}: ${JSON.stringify(rule.messageExpression ?? "")}` };
  }
  if (typeof value !== "string") return {};
  const text = value.trim();
  const isUsable = text !== "" && !text.includes("\n") && utf8Length(text) <= maxMessageBytes;
  return isUsable ? { text } : {};
}

function ruleText({ rule, message }: ValidationRule): string {
  return message ? message.trim() : rule.trim();
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;
}

function ruleError({ reason }: ValidationRule, field: FieldPath, type: string, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return duplicate(field, type);
    default:
      return invalid(field, type, detail);
  }
}
