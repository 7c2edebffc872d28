import { globalRegistry, type $ZodType } from "zod/v4/core";

import type { Json } from "../../object/json.js";
import type { SchemaDraft } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import type { ReportProblem } from "./problems.js";

/** What `.meta()` and `.describe()` may add to a schema. Other keys are the user's own and are left alone. */
const passedThrough = new Set([
  "title",
  "description",
  "example",
  "format",
  "minProperties",
  "maxProperties",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
]);

const rulesKey = "x-kubernetes-validations";
const intOrStringKey = "x-kubernetes-int-or-string";

type Meta = Readonly<Record<string, unknown>>;

/** What was said about a schema with `.meta()` and `.describe()`, there and not on a schema it wraps. */
export function metaOf(schema: $ZodType): Meta | undefined {
  return globalRegistry.get(schema);
}

/** Whether the schema carries CEL rules of its own. */
export function hasOwnRules(meta: Meta | undefined): boolean {
  const rules = meta?.[rulesKey];
  return Array.isArray(rules) && rules.length > 0;
}

/** Whether the schema is said to be a whole number or a text. */
export function isIntOrString(meta: Meta | undefined): boolean {
  return meta?.[intOrStringKey] === true;
}

/** Adds to a converted schema what was said about it. A wrapper's word replaces that of what it wraps. */
export function applyMeta(
  meta: Meta | undefined,
  schema: SchemaDraft,
  path: string,
  report: ReportProblem,
): void {
  if (!meta) return;
  const added: Record<string, Json> = {};
  for (const [key, value] of Object.entries(meta)) {
    if (!passedThrough.has(key)) {
      if (key.startsWith("x-kubernetes-") && key !== intOrStringKey) {
        const spelling = "look for a spelling mistake in the key";
        report(path, `.meta() has "${key}", which Kubernetes does not know`, spelling);
      }
      continue;
    }
    // A copy, since what a kind is made of gets frozen and this belongs to the user.
    const json = asJson(value);
    if (json === undefined) report(path, `"${key}" in .meta() is not JSON`, "take it out");
    else added[key] = json;
  }
  const rules = schema[rulesKey];
  Object.assign(schema, added);
  // Rules of the wrapped schema hold as well.
  if (rules && schema[rulesKey]) schema[rulesKey] = [...rules, ...schema[rulesKey]];
}
