import { addressFunctions } from "./addresses.js";
import { conversionFunctions } from "./conversions.js";
import { formatFunctions } from "./formats.js";
import type { Overload } from "./function.js";
import { listFunctions } from "./lists.js";
import { operatorFunctions } from "./operators.js";
import { optionalFunctions } from "./optionals.js";
import { patternFunctions } from "./patterns.js";
import { quantityFunctions } from "./quantities.js";
import { stringFunctions } from "./strings.js";
import { timeFunctions } from "./times.js";
import { urlFunctions } from "./urls.js";

/** All functions by name, with overloads in the order in which they are tried. */
export const functions: ReadonlyMap<string, readonly Overload[]> = byName([
  ...operatorFunctions,
  ...conversionFunctions,
  ...stringFunctions,
  ...timeFunctions,
  ...listFunctions,
  ...patternFunctions,
  ...urlFunctions,
  ...quantityFunctions,
  ...addressFunctions,
  ...formatFunctions,
  ...optionalFunctions,
]);

function byName(all: readonly Overload[]): ReadonlyMap<string, readonly Overload[]> {
  const result = new Map<string, Overload[]>();
  for (const each of all) {
    const forms = result.get(each.name);
    if (forms) forms.push(each);
    else result.set(each.name, [each]);
  }
  return result;
}

/** Functions that Kubernetes offers in policies, but not in rules of schemas. */
export const authorizerFunctions = new Set(
  "path group serviceAccount resource subresource namespace name fieldSelector labelSelector check allowed reason errored error".split(
    " ",
  ),
);
