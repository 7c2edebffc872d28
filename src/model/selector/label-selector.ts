import { type FieldError, forbidden, invalid, required } from "../object/field-errors.js";
import { childPath, type FieldPath, indexPath } from "../object/field-path.js";
import { validateLabelKey, validateLabels } from "../object/labels.js";
import { validateLabelValue } from "../object/names.js";
import { quote } from "../object/quote.js";
import { parseRequirements } from "./label-parser.js";
import {
  compileRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  labelRequirement,
  renderRequirement,
} from "./label-requirement.js";
import { SelectorError } from "./selector-error.js";

/** Label selector as a field of an object. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelSelectorExpression[];
}

/** Requirement on one label, as a field of an object. */
export interface LabelSelectorExpression {
  readonly key: string;
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Selects objects by labels; all requirements must match. */
export interface LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** Matches everything. */
  readonly empty: boolean;
  matches(labels: Labels | undefined): boolean;
  /** Value that a label must equal, if only one is possible; for index lookups. */
  exactValue(key: string): string | undefined;
  /** Form that {@link parseLabelSelector} reads; the same for equivalent selectors. */
  toString(): string;
}

const noLabels: Labels = Object.freeze({});

/** Compiles requirements; an empty list matches everything. */
export function compileSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = Object.freeze(requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
  const tests = sorted.map(compileRequirement);
  return Object.freeze({
    requirements: sorted,
    empty: sorted.length === 0,
    matches(labels: Labels | undefined): boolean {
      return tests.every((test) => test(labels ?? noLabels));
    },
    exactValue(key: string): string | undefined {
      const found = sorted.find((requirement) => requirement.key === key);
      if (found === undefined || found.values.length !== 1) return undefined;
      return ["=", "==", "in"].includes(found.operator) ? found.values[0] : undefined;
    },
    toString: (): string => sorted.map(renderRequirement).join(","),
  });
}

/** Matches everything. */
export const everything: LabelSelector = compileSelector([]);

/** Matches nothing. */
export const nothing: LabelSelector = Object.freeze({
  requirements: Object.freeze([]),
  empty: false,
  matches: (): boolean => false,
  exactValue: (): undefined => undefined,
  toString: (): string => "",
});

/**
 * Parses a label selector of a query. Throws a {@link SelectorError}.
 *
 * @example
 * parseLabelSelector("app=web,tier in (front,back),!legacy").matches(pod.metadata.labels);
 */
export function parseLabelSelector(text: string): LabelSelector {
  return text === "" ? everything : compileSelector(parseRequirements(text));
}

const operators = new Map<string, LabelOperator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * Compiles the selector in a field of an object: a missing one matches nothing, an empty one everything.
 * Throws a {@link SelectorError}.
 */
export function labelSelector(spec: LabelSelectorSpec | null | undefined): LabelSelector {
  if (!spec) return nothing;
  const requirements = Object.entries(spec.matchLabels ?? {}).map(([key, value]) =>
    labelRequirement(key, "=", [value]),
  );
  for (const { key, operator, values = [] } of spec.matchExpressions ?? []) {
    const labelOperator = operators.get(operator);
    if (labelOperator === undefined) {
      throw new SelectorError(`${quote(operator)} is not a valid label selector operator`);
    }
    requirements.push(labelRequirement(key, labelOperator, values));
  }
  return requirements.length === 0 ? everything : compileSelector(requirements);
}

/** Validates a selector in a field of an object. */
export function validateLabelSelector(
  spec: LabelSelectorSpec | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (!spec) return [];
  const errors = validateLabels(spec.matchLabels, childPath(path, "matchLabels"));
  for (const [index, expression] of (spec.matchExpressions ?? []).entries()) {
    validateExpression(expression, indexPath(childPath(path, "matchExpressions"), index), errors);
  }
  return errors;
}

function validateExpression(
  expression: LabelSelectorExpression,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { key, operator, values = [] } = expression;
  const valuesPath = childPath(path, "values");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0) {
      errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(forbidden(valuesPath, detail));
    }
  } else errors.push(invalid(childPath(path, "operator"), operator, "not a valid selector operator"));

  errors.push(...validateLabelKey(key, childPath(path, "key")));
  for (const [index, value] of values.entries()) {
    for (const fault of validateLabelValue(value)) {
      errors.push(invalid(indexPath(valuesPath, index), value, fault));
    }
  }
}
