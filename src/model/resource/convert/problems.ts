import type { $ZodType } from "zod/v4/core";

import type { DefinitionProblem } from "./definition-error.js";
import type { SchemaDraft } from "../../schema/structural-schema.js";

/** Reports a problem. Conversion then continues, so that all problems are found in one pass. */
export type ReportProblem = (path: string, message: string, fix: string) => void;

/** Converted schema, and whether its field is optional. */
export interface ConvertedField {
  readonly schema: SchemaDraft;
  readonly optional: boolean;
}

/** Converts a nested schema. */
export type Convert = (schema: $ZodType, path: string) => ConvertedField;

/**
 * Schema that accepts any value; used in place of an unsupported one, so that no further problems follow from
 * it.
 */
export function anyValue(): SchemaDraft {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

/** Collects problems, one per path: further ones are usually consequences of the first. */
export function problemCollector(problems: DefinitionProblem[]): ReportProblem {
  return (path, message, fix) => {
    if (!problems.some((problem) => problem.path === path)) problems.push({ path, message, fix });
  };
}
