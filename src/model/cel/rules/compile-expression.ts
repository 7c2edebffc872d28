import { estimateCost } from "../cost/estimate.js";
import { ProgramFault } from "../run/constant.js";
import { compileToClosures } from "../run/plan.js";
import { type Evaluate, Variables } from "../run/variables.js";
import { parse } from "../syntax/parse.js";
import { renderIssues } from "../syntax/source.js";
import { check } from "../check/check.js";
import { renderType, type CelType } from "../types/type.js";
import type { Meter } from "../values/meter.js";
import type { CelValue } from "../values/value.js";
import type { Declaration } from "../types/declaration.js";

/** Compiled expression. */
export interface CompiledExpression {
  /** Name of the result type. */
  readonly type: string;
  readonly usesOldSelf: boolean;
  /** Maximum estimated cost. */
  readonly maxCost: number;
  run(
    variables: { readonly self: CelValue; readonly oldSelf?: CelValue | undefined },
    meter: Meter,
  ): CelValue;
}

/**
 * Compiles an expression over `self` and `oldSelf`. `fault` is a syntax or type error with cel-go's message;
 * `program` explains why it could never run.
 */
export function compileExpression(
  source: string,
  declaration: Declaration,
  oldSelf: CelType,
): CompiledExpression | { readonly fault: string } | { readonly program: string } {
  const { expression, issues } = parse(source);
  if (!expression) return { fault: renderIssues(source, issues) };
  const checked = check(
    expression,
    new Map([
      ["self", declaration.type],
      ["oldSelf", oldSelf],
    ]),
  );
  if ("issues" in checked) return { fault: renderIssues(source, checked.issues) };
  let run: Evaluate;
  try {
    run = compileToClosures(checked);
  } catch (error) {
    if (error instanceof ProgramFault) return { program: error.message };
    throw error;
  }
  return {
    type: renderType(checked.type),
    usesOldSelf: checked.variables.has("oldSelf"),
    maxCost: estimateCost(checked, declaration).max,
    run({ self, oldSelf: old }, meter) {
      const variables = new Variables(meter, "self", self, undefined);
      return run(old === undefined ? variables : variables.with("oldSelf", old));
    },
  };
}
