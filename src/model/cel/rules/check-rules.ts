import { type FieldError, forbidden, internal, invalid } from "../../object/field-errors.js";
import { omitValue } from "../../object/bad-value.js";
import { childPath, type FieldPath, indexPath, keyPath } from "../../object/field-path.js";
import { quote } from "../../object/quote.js";
import type { StructuralSchema, ValidationRule } from "../../schema/structural-schema.js";
import { compiledRules, type CompiledRule } from "./compile-rules.js";

/** Limit for one rule, over all values it can run for. */
const maxCostPerRule = 10_000_000;
/** Limit for all rules of a schema. */
const maxCostPerSchema = 100_000_000;

/** Position in a schema. */
interface SchemaLocation {
  readonly path: FieldPath;
  readonly isRoot: boolean;
  /** Maximum number of values here; undefined if unlimited. */
  readonly cardinality: number | undefined;
  /** Ancestor list whose items cannot be correlated, so that there is no `oldSelf` here. */
  readonly uncorrelatable: FieldPath | undefined;
}

interface Total {
  cost: number;
  readonly expensive: { readonly path: FieldPath; readonly cost: number }[];
}

/**
 * Validates the CEL rules of a structural schema, with Kubernetes' messages: syntax, types and estimated
 * cost.
 */
export function checkRules(schema: StructuralSchema, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const total: Total = { cost: 0, expensive: [] };
  walk(schema, { path, isRoot: true, cardinality: 1, uncorrelatable: undefined }, total, errors);
  if (total.cost > maxCostPerSchema) {
    const why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const worst = total.expensive.toSorted((a, b) => b.cost - a.cost).slice(0, 4);
    for (const { path: at } of worst) errors.push(forbidden(at, why));
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    errors.push(forbidden(path, tooExpensive(what, total.cost, maxCostPerSchema)));
  }
  return errors;
}

function walk(schema: StructuralSchema, place: SchemaLocation, total: Total, errors: FieldError[]): void {
  const { properties, additionalProperties, items } = schema;
  const { path } = place;
  const most = maxChildren(schema);
  const cardinality =
    place.cardinality === undefined || most === undefined ? undefined : place.cardinality * most;
  const inside = (at: FieldPath, child: StructuralSchema, uncorrelatable = place.uncorrelatable): void => {
    const isRoot = child["x-kubernetes-embedded-resource"] === true;
    walk(child, { path: at, isRoot, cardinality, uncorrelatable }, total, errors);
  };
  if (typeof additionalProperties === "object") {
    inside(childPath(path, "additionalProperties"), additionalProperties);
  }
  for (const [name, property] of Object.entries(properties ?? {})) {
    inside(keyPath(childPath(path, "properties"), name), property);
  }
  if (items) {
    const isKeyed = schema["x-kubernetes-list-type"] === "map";
    inside(childPath(path, "items"), items, place.uncorrelatable ?? (isKeyed ? undefined : path));
  }
  checkLocation(schema, place, total, errors);
}

/** Maximum number of children of one value. */
function maxChildren(schema: StructuralSchema): number | undefined {
  if (schema.type === "array")
    return schema.maxItems === undefined ? undefined : Math.max(schema.maxItems, 0);
  if (schema.type !== "object" || schema.additionalProperties === undefined) return 1;
  return schema.maxProperties === undefined ? undefined : Math.max(schema.maxProperties, 0);
}

function checkLocation(
  schema: StructuralSchema,
  place: SchemaLocation,
  total: Total,
  errors: FieldError[],
): void {
  if ((schema["x-kubernetes-validations"] ?? []).length === 0) return;
  const at = childPath(place.path, "x-kubernetes-validations");
  const { isVisible, rules, maxCardinality } = compiledRules(schema, place.isRoot);
  if (!isVisible) {
    const why = "failed to construct type information for x-kubernetes-validations rules";
    const how = "unable to convert structural schema to CEL declarations";
    errors.push(internal(at, `internal error: ${why}: ${how}`));
    return;
  }
  const times = place.cardinality ?? maxCardinality;
  for (const [index, rule] of rules.entries()) {
    const found = indexPath(at, index);
    checkCosts(rule, found, times, total, errors);
    checkRule(rule, found, place, errors);
  }
}

function checkCosts(
  { expression, messageExpression }: CompiledRule,
  path: FieldPath,
  times: number,
  total: Total,
  errors: FieldError[],
): void {
  const observe = (cost: number, at: FieldPath, what: string): void => {
    if (cost > maxCostPerRule) errors.push(forbidden(at, tooExpensive(what, cost, maxCostPerRule)));
    total.cost += cost;
    if (cost >= maxCostPerSchema / 100) total.expensive.push({ path: at, cost });
  };
  observe((expression?.maxCost ?? 0) * times, childPath(path, "rule"), "estimated rule cost");
  if (!messageExpression) return;
  const at = childPath(path, "messageExpression");
  observe(messageExpression.maxCost, at, "estimated messageExpression cost");
}

function checkRule(
  compiled: CompiledRule,
  path: FieldPath,
  place: SchemaLocation,
  errors: FieldError[],
): void {
  const { rule, fault, messageFault, expression } = compiled;
  const at = childPath(path, "rule");
  if (fault !== undefined) errors.push(invalidRule(at, rule, fault));
  if (messageFault !== undefined) {
    errors.push(invalidRule(childPath(path, "messageExpression"), rule, messageFault));
  }
  if (expression?.usesOldSelf) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    if (place.uncorrelatable !== undefined) errors.push(invalid(at, rule.rule, why));
  } else if (rule.optionalOldSelf !== undefined) {
    const why = "may not be set if oldSelf is not used in rule";
    errors.push(invalid(childPath(path, "optionalOldSelf"), rule.optionalOldSelf, why));
  }
}

/** Kubernetes renders the rule like Go prints a struct. */
function invalidRule(path: FieldPath, rule: ValidationRule, detail: string): FieldError {
  const pointer = (type: string, value: unknown): string =>
    value === undefined ? `(*${type})(nil)` : `(*${type})(0x0)`;
  const fields = [
    `Rule:${quote(rule.rule)}`,
    `Message:${quote(rule.message ?? "")}`,
    `MessageExpression:${quote(rule.messageExpression ?? "")}`,
    `Reason:${pointer("apiextensions.FieldValueErrorReason", rule.reason)}`,
    `FieldPath:${quote(rule.fieldPath ?? "")}`,
    `OptionalOldSelf:${pointer("bool", rule.optionalOldSelf)}`,
  ];
  const rendered = `apiextensions.ValidationRule{${fields.join(", ")}}`;
  return invalid(path, omitValue, `${rendered}: ${detail}`);
}

function tooExpensive(what: string, cost: number, limit: number): string {
  const factor = cost / limit;
  let times = `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  if (factor > 100) times = "more than 100x";
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
