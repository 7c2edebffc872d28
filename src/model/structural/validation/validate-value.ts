import type { Correlation } from "../../cel/rules/validate-rules.js";
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
import { firstRepeated } from "./distinct-items.js";
import type { Findings } from "./findings.js";
import { comparesWhole, isKeyedList } from "./ratcheting.js";
import { entriesOf, fieldOf, itemsOf, nodeOf, rulesOf, type SchemaNode } from "../schema-node.js";
import { kindOf } from "./value-kind.js";

/**
 * Checks a value against a schema, in the order in which Kubernetes does it. With a correlation, what is wrong with
 * parts that did not change is overlooked. `same` is the old value, for a walk without a correlation: what of it stands here
 * too, the very same, is not looked at where it would be overlooked.
 */
export function validateValue(
  node: SchemaNode,
  value: Json,
  before: Correlation | undefined,
  findings: Findings,
  same?: Json,
): void {
  if (value === same && typeof value === "object" && comparesWhole(node.schema)) return;
  const found = findings.errors.length;
  checkValue(node, value, before, findings, same);
  if (before && findings.errors.length > found && before.isUnchanged()) findings.errors.length = found;
}

function checkValue(
  node: SchemaNode,
  value: Json,
  before: Correlation | undefined,
  findings: Findings,
  same?: Json,
): void {
  const kind = kindOf(value);
  const rules = rulesOf(node);
  if (kind === "null") {
    if (rules.type) rules.type(value, kind, findings);
    else findings.checks++;
    rules.choice?.(value, findings);
    return;
  }
  if (rules.type) {
    rules.type(value, kind, findings);
    findings.checks++;
  }
  if (rules.combines) checkCombinations(node.schema, value, findings);
  findings.checks += 2;
  switch (kind) {
    case "string":
      rules.text?.(value as string, findings);
      rules.format?.(value as string, findings);
      findings.checks += rules.format ? 2 : 1;
      break;
    case "integer":
    case "number":
      rules.number?.(value as number, findings);
      findings.checks += 2;
      break;
    case "array":
      checkList(node, value as JsonArray, before, findings, same);
      findings.checks += 2;
      break;
    default:
  }
  rules.choice?.(value, findings);
  if (kind === "object") {
    checkObject(node, value as JsonObject, before, findings, same);
    findings.checks++;
  }
  findings.checks += 2;
}

function checkList(
  node: SchemaNode,
  list: JsonArray,
  before: Correlation | undefined,
  findings: Findings,
  same: Json | undefined,
): void {
  const { path } = findings;
  const { minItems, maxItems, uniqueItems } = node.schema;
  const items = itemsOf(node);
  if (items) {
    // Without keys it is not known which item was which.
    const oldItems = isKeyedList(node) && isJsonArray(same) ? same : undefined;
    for (let index = 0; index < list.length && !findings.isFull; index++) {
      const item = list[index] ?? null;
      path.enterItem(index);
      validateValue(items, item, before?.item(index), findings, oldItems?.[index]);
      path.leave();
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    findings.invalid(list.length, `should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && list.length > maxItems) {
    findings.errors.push(tooMany(path.field(), list.length, maxItems));
  }
  if (uniqueItems && firstRepeated(list).length > 0) findings.invalid("", "shouldn't contain duplicates");
}

function checkObject(
  node: SchemaNode,
  object: JsonObject,
  before: Correlation | undefined,
  findings: Findings,
  same: Json | undefined,
): void {
  const { path } = findings;
  const { minProperties, maxProperties, required: names, additionalProperties } = node.schema;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const count = Object.keys(object).length;
    if (minProperties !== undefined && count < minProperties) {
      findings.invalid(count, `should have at least ${minProperties} properties`);
    }
    if (maxProperties !== undefined && count > maxProperties) {
      findings.errors.push(tooMany(path.field(), count, maxProperties));
    }
  }
  for (const key in object) {
    if (findings.isFull) break;
    const value = object[key];
    if (value === undefined) continue;
    const child = fieldOf(node, key) ?? entriesOf(node);
    if (!child) {
      if (additionalProperties === false) findings.errors.push(forbiddenProperty(key, findings));
      continue;
    }
    // What version an object is shown in is not its own doing, so that it changed is not seen.
    const isVersion = path.depth === 0 && (key === "apiVersion" || key === "kind");
    path.enterField(key);
    const known = !isVersion && isJsonObject(same) ? getOwn(same, key) : undefined;
    validateValue(child, value, isVersion ? undefined : before?.key(key), findings, known);
    path.leave();
  }
  if (names === undefined) return;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? "";
    if (getOwn(object, name) !== undefined) continue;
    path.enterField(name);
    findings.errors.push(required(path.field()));
    path.leave();
  }
}

function forbiddenProperty(key: string, { path }: Findings): FieldError {
  const detail = `${path.dotted()}.${key} in body is a forbidden property`;
  return { type: "FieldValueInvalid", field: path.field(), badValue: key, detail };
}

/** What the value has to be like according to other schemas. In these nothing is overlooked for being unchanged. */
function checkCombinations(schema: StructuralSchema, value: Json, findings: Findings): void {
  const { anyOf, oneOf, allOf, not } = schema;
  if (anyOf && anyOf.length > 0) checkAlternatives(anyOf, false, value, findings);
  if (oneOf && oneOf.length > 0) checkAlternatives(oneOf, true, value, findings);
  if (allOf && allOf.length > 0) checkAll(allOf, value, findings);
  if (not && attempt(not, value, findings).errors.length === 0) {
    findings.unmatched(`${quote(findings.path.dotted())} must not validate the schema (not)`);
  }
}

interface Attempt {
  readonly errors: readonly FieldError[];
  readonly checks: number;
}

/** What would be found if this were the schema. */
function attempt(schema: StructuralSchema, value: Json, findings: Findings): Attempt {
  const { errors, checks } = findings;
  findings.errors = [];
  findings.checks = 0;
  checkValue(nodeOf(schema), value, undefined, findings);
  const result: Attempt = { errors: findings.errors, checks: findings.checks };
  findings.errors = errors;
  findings.checks = checks;
  return result;
}

function checkAlternatives(
  schemas: readonly StructuralSchema[],
  onlyOne: boolean,
  value: Json,
  findings: Findings,
): void {
  let best: Attempt | undefined;
  let first: Attempt | undefined;
  let valid = 0;
  for (const schema of schemas) {
    const result = attempt(schema, value, findings);
    if (result.errors.length === 0) {
      valid++;
      first ??= result;
      if (!onlyOne) break;
    } else if (!best || result.checks > best.checks) {
      best = result;
    }
  }
  if (first && (valid === 1 || !onlyOne)) {
    findings.checks += first.checks;
    return;
  }
  const path = quote(findings.path.dotted());
  if (!onlyOne) findings.unmatched(`${path} must validate at least one schema (anyOf)`);
  else {
    const count = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    findings.unmatched(`${path} must validate one and only one schema (oneOf). ${count}`);
  }
  if (best && valid === 0) {
    for (const error of best.errors) findings.errors.push(error);
    findings.checks += best.checks;
  }
}

function checkAll(schemas: readonly StructuralSchema[], value: Json, findings: Findings): void {
  let valid = 0;
  for (const schema of schemas) {
    const found = findings.errors.length;
    checkValue(nodeOf(schema), value, undefined, findings);
    if (findings.errors.length === found) valid++;
  }
  if (valid === schemas.length) return;
  const extra = valid === 0 ? ". None validated" : "";
  findings.unmatched(`${quote(findings.path.dotted())} must validate all the schemas (allOf)${extra}`);
}
