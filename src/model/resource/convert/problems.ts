import type { $ZodType } from "zod/v4/core";

import type { DefinitionProblem } from "./definition-error.js";
import type { SchemaDraft } from "../../schema/structural-schema.js";

/** Where conversion puts what it cannot convert; it then goes on, so that all problems are told at once. */
export type ReportProblem = (path: string, message: string, fix: string) => void;

/** A converted schema, and whether the field that has it may be left out. */
export interface ConvertedField {
  readonly schema: SchemaDraft;
  readonly optional: boolean;
}

/** Converts a schema that lies inside another one. */
export type Convert = (schema: $ZodType, path: string) => ConvertedField;

/** What stands in for a schema that was refused: anything goes, so that no second problem follows from it. */
export function anyValue(): SchemaDraft {
  return { "x-kubernetes-preserve-unknown-fields": true };
}

/** Collects problems, one for each place: what follows there is mostly a consequence of the first. */
export function problemCollector(problems: DefinitionProblem[]): ReportProblem {
  return (path, message, fix) => {
    if (!problems.some((problem) => problem.path === path)) problems.push({ path, message, fix });
  };
}
