import { globalRegistry, type $ZodType } from "zod/v4/core";

import type { Json } from "../../object/json.js";
import type { SchemaDraft } from "../../schema/structural-schema.js";
import { asJson } from "./as-json.js";
import type { ReportProblem } from "./problems.js";

/**
 * Keys of `.meta()` and `.describe()` that are copied into the schema. Other keys belong to the user and are
 * ignored.
 */
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

/** Reads `.meta()` and `.describe()` of a schema itself, not of a schema that it wraps. */
export function metaOf(schema: $ZodType): Meta | undefined {
  return globalRegistry.get(schema);
}

/** True if the schema has CEL rules of its own. */
export function hasOwnRules(meta: Meta | undefined): boolean {
  const rules = meta?.[rulesKey];
  return Array.isArray(rules) && rules.length > 0;
}

/** True if the schema is marked as int-or-string. */
export function isIntOrString(meta: Meta | undefined): boolean {
  return meta?.[intOrStringKey] === true;
}

/** Adds metadata to a converted schema. Metadata of a wrapper replaces that of the wrapped schema. */
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
        const spelling = "check the spelling of the key";
        report(path, `.meta() has "${key}", which is not an extension of Kubernetes`, spelling);
      }
      continue;
    }
    // A copy, because kinds are frozen and this belongs to the user.
    const json = asJson(value);
    if (json === undefined) report(path, `"${key}" in .meta() is not JSON`, "remove it");
    else added[key] = json;
  }
  const rules = schema[rulesKey];
  Object.assign(schema, added);
  // Rules of the wrapped schema apply as well.
  if (rules && schema[rulesKey]) schema[rulesKey] = [...rules, ...schema[rulesKey]];
}
