import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fieldErrorBody, renderFieldError } from "../../object/field-errors.js";
import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { compiledNode } from "../../structural/compiled-node.js";
import { correlate } from "../../structural/validation/ratcheting.js";
import { Meter } from "../values/meter.js";
import { checkRules } from "./check-rules.js";
import { compiledRules } from "./compile-rules.js";
import { withObjectMeta } from "../types/declaration.js";
import { schemaValue } from "./schema-value.js";
import { validateRules } from "./validate-rules.js";

/** Results of Kubernetes 1.33 for our expressions and schemas, recorded from its own code. */

const read = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8");
const lines = <Line>(name: string): Line[] =>
  read(name)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

interface RecordedExpression {
  readonly rule?: string;
  /** Expression for the message of a rule that is always false. */
  readonly message?: string;
  readonly refused?: readonly string[];
  readonly estimate?: number;
  readonly cost?: number;
  readonly says?: string;
}

const { schema: spec, object } = JSON.parse(read("values.json")) as {
  schema: StructuralSchema;
  object: Json;
};

/** Removes the rule from an error, where Kubernetes prints it like Go prints a struct. */
const withoutRule = (text: string): string =>
  text.replace(
    /^Invalid value: apiextensions\.ValidationRule\{[^]*?OptionalOldSelf:\(\*bool\)\(nil\)\}: /,
    "",
  );

/** Limit above which estimates are not exact integers in JavaScript. */
const enough = 1e15;

describe("expressions", () => {
  const recordings = lines<RecordedExpression>("expressions.jsonl");
  const named = recordings.map((each) => [each.rule ?? each.message ?? "", each] as const);
  test.each(named)("%s", (_, recorded) => {
    const { rule = "false", message } = recorded;
    const about =
      message === undefined ? { message: "m" } : { message: "static", messageExpression: message };
    const details = { rule, ...(message === undefined && !rule.includes("\n") ? {} : about) };
    const schema: StructuralSchema = {
      type: "object",
      properties: { spec },
      "x-kubernetes-validations": [details],
    };
    const refused = checkRules(schema, "").map((error) => withoutRule(fieldErrorBody(error)));
    expect(refused.toSorted()).toEqual([...(recorded.refused ?? [])].toSorted());
    if (recorded.refused) return;
    const errors = validateRules(schema, object).map(({ detail }) => detail);
    expect(errors).toEqual(recorded.says === undefined ? [] : [recorded.says]);
    const [compiled] = compiledRules(schema, true).rules;
    if (!compiled?.expression) throw new Error("the rule was not compiled");
    expect(Math.min(compiled.expression.maxCost, enough)).toBe(Math.min(recorded.estimate ?? 0, enough));
    if (message !== undefined || compiled.expression.usesOldSelf) return;
    const meter = new Meter(Infinity, Infinity);
    compiled.expression.run({ self: schemaValue(object, withObjectMeta(schema)) }, meter);
    expect(meter.cost).toBe(recorded.cost);
  });
});

interface RecordedSchema {
  readonly schema: StructuralSchema;
  readonly object?: Json;
  readonly old?: Json;
  readonly definition: readonly string[];
  readonly errors?: readonly string[];
}

describe("schemas", () => {
  test.each(Array.from(lines<RecordedSchema>("schemas.jsonl").entries()))("case %i", (_, recorded) => {
    const { schema, object: value, old } = recorded;
    const found = checkRules(schema, "schema").map(renderFieldError);
    expect(found.toSorted()).toEqual([...recorded.definition].toSorted());
    if (!recorded.errors || value === undefined) return;
    const before = old === undefined ? undefined : correlate(compiledNode(schema), value, old);
    const errors = validateRules(schema, value, old, before).map(renderFieldError);
    expect(errors.toSorted()).toEqual([...recorded.errors].toSorted());
  });
});
