import type { CorrelatedValue } from "../../cel/rules/validate-rules.js";
import { type FieldError, required, tooMany } from "../../object/field-errors.js";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonArray,
  type JsonObject,
} from "../../object/json.js";
import { quote } from "../../object/quote.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { duplicatePositions } from "./distinct-items.js";
import type { ErrorCollector } from "./error-collector.js";
import { isSkippable, isKeyedList } from "./ratcheting.js";
import {
  entryNode,
  fieldNode,
  itemNode,
  compiledNode,
  valueRules,
  type CompiledNode,
} from "../compiled-node.js";
import { jsonKind } from "./value-kind.js";

/**
 * Validates a value in Kubernetes' order. With a correlation, errors in unchanged parts are dropped. `same`
 * is the old value, for a walk without a correlation: identical parts are skipped if their errors would be
 * dropped.
 */
export function validateValue(
  node: CompiledNode,
  value: Json,
  before: CorrelatedValue | undefined,
  collector: ErrorCollector,
  same?: Json,
): void {
  if (value === same && typeof value === "object" && isSkippable(node.schema)) return;
  const found = collector.errors.length;
  checkValue(node, value, before, collector, same);
  if (before && collector.errors.length > found && before.isUnchanged()) collector.errors.length = found;
}

function checkValue(
  node: CompiledNode,
  value: Json,
  before: CorrelatedValue | undefined,
  collector: ErrorCollector,
  same?: Json,
): void {
  const kind = jsonKind(value);
  const rules = valueRules(node);
  if (kind === "null") {
    if (rules.type) rules.type(value, kind, collector);
    else collector.checks++;
    rules.choice?.(value, collector);
    return;
  }
  if (rules.type) {
    rules.type(value, kind, collector);
    collector.checks++;
  }
  if (rules.combines) checkCombinations(node.schema, value, collector);
  collector.checks += 2;
  switch (kind) {
    case "string":
      rules.text?.(value as string, collector);
      rules.format?.(value as string, collector);
      collector.checks += rules.format ? 2 : 1;
      break;
    case "integer":
    case "number":
      rules.number?.(value as number, collector);
      collector.checks += 2;
      break;
    case "array":
      checkList(node, value as JsonArray, before, collector, same);
      collector.checks += 2;
      break;
    default:
  }
  rules.choice?.(value, collector);
  if (kind === "object") {
    checkObject(node, value as JsonObject, before, collector, same);
    collector.checks++;
  }
  collector.checks += 2;
}

function checkList(
  node: CompiledNode,
  list: JsonArray,
  before: CorrelatedValue | undefined,
  collector: ErrorCollector,
  same: Json | undefined,
): void {
  const { path } = collector;
  const { minItems, maxItems, uniqueItems } = node.schema;
  const items = itemNode(node);
  if (items) {
    // Without keys, items cannot be matched.
    const oldItems = isKeyedList(node) && isJsonArray(same) ? same : undefined;
    for (let index = 0; index < list.length && !collector.isFull; index++) {
      const item = list[index] ?? null;
      path.enterItem(index);
      validateValue(items, item, before?.item(index), collector, oldItems?.[index]);
      path.leave();
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    collector.invalid(list.length, `should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && list.length > maxItems) {
    collector.errors.push(tooMany(path.field(), list.length, maxItems));
  }
  if (uniqueItems && duplicatePositions(list).length > 0)
    collector.invalid("", "shouldn't contain duplicates");
}

function checkObject(
  node: CompiledNode,
  object: JsonObject,
  before: CorrelatedValue | undefined,
  collector: ErrorCollector,
  same: Json | undefined,
): void {
  const { path } = collector;
  const { minProperties, maxProperties, required: names, additionalProperties } = node.schema;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const count = Object.keys(object).length;
    if (minProperties !== undefined && count < minProperties) {
      collector.invalid(count, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && count > maxProperties) {
      collector.errors.push(tooMany(path.field(), count, maxProperties));
    }
  }
  for (const key in object) {
    if (collector.isFull) break;
    const value = object[key];
    if (value === undefined) continue;
    const child = fieldNode(node, key) ?? entryNode(node);
    if (!child) {
      if (additionalProperties === false) collector.errors.push(forbiddenProperty(key, collector));
      continue;
    }
    // The version of the request is not a change of the object.
    const isVersion = path.depth === 0 && (key === "apiVersion" || key === "kind");
    path.enterField(key);
    const oldField = !isVersion && isJsonObject(same) ? getOwn(same, key) : undefined;
    validateValue(child, value, isVersion ? undefined : before?.key(key), collector, oldField);
    path.leave();
  }
  if (names === undefined) return;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    if (getOwn(object, name) !== undefined) continue;
    path.enterField(name);
    collector.errors.push(required(path.field()));
    path.leave();
  }
}

function forbiddenProperty(key: string, { path }: ErrorCollector): FieldError {
  const detail = `${path.dotted()}.${key} in body is a forbidden property`;
  return { type: "FieldValueInvalid", field: path.field(), badValue: key, detail };
}

/** Validates the value against anyOf, oneOf, allOf and not. These are not ratcheted. */
function checkCombinations(schema: StructuralSchema, value: Json, collector: ErrorCollector): void {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf && anyOf.length > 0) checkAlternatives(anyOf, false, value, collector);
  if (oneOf && oneOf.length > 0) checkAlternatives(oneOf, true, value, collector);
  if (allOf && allOf.length > 0) checkAll(allOf, value, collector);
  if (not && attempt(not, value, collector).errors.length === 0) {
    collector.unmatched(`${quote(collector.path.dotted())} must not validate the schema (not)`);
  }
}

interface Attempt {
  readonly errors: readonly FieldError[];
  readonly checks: number;
}

/** Validates against an alternative schema, without adding its errors. */
function attempt(schema: StructuralSchema, value: Json, collector: ErrorCollector): Attempt {
  const { errors, checks } = collector;
  collector.errors = [];
  collector.checks = 0;
  checkValue(compiledNode(schema), value, undefined, collector);
  const result: Attempt = { errors: collector.errors, checks: collector.checks };
  collector.errors = errors;
  collector.checks = checks;
  return result;
}

function checkAlternatives(
  schemas: readonly StructuralSchema[],
  onlyOne: boolean,
  value: Json,
  collector: ErrorCollector,
): void {
  let best: Attempt | undefined;
  let first: Attempt | undefined;
  let valid = 0;
  for (const schema of schemas) {
    const result = attempt(schema, value, collector);
    if (result.errors.length === 0) {
      valid++;
      first ??= result;
      if (!onlyOne) break;
    } else if (!best || result.checks > best.checks) {
      best = result;
    }
  }
  if (first && (valid === 1 || !onlyOne)) {
    collector.checks += first.checks;
    return;
  }
  const path = quote(collector.path.dotted());
  if (!onlyOne) collector.unmatched(`${path} must validate at least one schema (anyOf)`);
  else {
    const count = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    collector.unmatched(`${path} must validate one and only one schema (oneOf). ${count}`);
  }
  if (best && valid === 0) {
    for (const error of best.errors) collector.errors.push(error);
    collector.checks += best.checks;
  }
}

function checkAll(schemas: readonly StructuralSchema[], value: Json, collector: ErrorCollector): void {
  let valid = 0;
  for (const schema of schemas) {
    const found = collector.errors.length;
    checkValue(compiledNode(schema), value, undefined, collector);
    if (collector.errors.length === found) valid++;
  }
  if (valid === schemas.length) return;
  const extra = valid === 0 ? ". None validated" : "";
  collector.unmatched(`${quote(collector.path.dotted())} must validate all the schemas (allOf)${extra}`);
}
