import { type FieldError, invalid, notSupported, renderFieldErrors } from "../object/field-errors.js";
import { indexPath, keyPath } from "../object/field-path.js";
import { validateLabelValue, validateQualifiedName } from "../object/names.js";
import { SelectorError } from "./selector-error.js";

/** How a label's value is compared, by Kubernetes' names. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** The operators that stand between a key and values. */
export const binaryOperators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

const operators: readonly LabelOperator[] = [...binaryOperators, "exists", "!"];

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** Checks a requirement and freezes it. Throws a {@link SelectorError} that names every fault. */
export function labelRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const errors = [...validateKey(key), ...validateValues(key, operator, values)];
  if (errors.length > 0) throw new SelectorError(renderFieldErrors(errors));
  return Object.freeze({ key, operator, values: Object.freeze([...values]) });
}

function validateKey(key: string): FieldError[] {
  const faults = validateQualifiedName(key);
  return faults.length === 0 ? [] : [invalid("key", key, faults.join("; "))];
}

function validateValues(key: string, operator: LabelOperator, values: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  // A list that is empty is nil in Go, which its JSON shows as null.
  const rendered = values.length === 0 ? null : values;
  switch (operator) {
    case "in":
    case "notin":
      if (values.length === 0) {
        errors.push(invalid("values", rendered, "for 'in', 'notin' operators, values set can't be empty"));
      }
      break;
    case "=":
    case "==":
    case "!=":
      if (values.length !== 1) {
        errors.push(invalid("values", rendered, "exact-match compatibility requires one single value"));
      }
      break;
    case "exists":
    case "!":
      if (values.length > 0) {
        errors.push(invalid("values", rendered, "values set must be empty for exists and does not exist"));
      }
      break;
    case "gt":
    case "lt":
      if (values.length !== 1) {
        errors.push(invalid("values", rendered, "for 'Gt', 'Lt' operators, exactly one value is required"));
      }
      for (const [index, value] of values.entries()) {
        if (parseInt64(value) !== undefined) continue;
        const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
        errors.push(invalid(indexPath("values", index), value, detail));
      }
      break;
    default:
      errors.push(notSupported("operator", operator, operators));
  }
  for (const [index, value] of values.entries()) {
    const faults = validateLabelValue(value);
    if (faults.length > 0) {
      errors.push(invalid(keyPath(indexPath("values", index), key), value, faults.join("; ")));
    }
  }
  return errors;
}

/** A requirement in the form that the parser reads, with the values of a set sorted. */
export function renderRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    case "gt":
    case "lt":
      return `${key}${operator === "gt" ? ">" : "<"}${values.join(",")}`;
    default:
      return `${key}${operator}${values.join(",")}`;
  }
}

/**
 * Turns a requirement into a test that does one property read.
 *
 * What `labels` inherits is never a text: `labels["constructor"]` is a function, so it equals no value and
 * counts as absent, and no separate look at own properties is needed.
 */
export function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const [only = ""] = values;
  const set = new Set<string | undefined>(values);
  switch (operator) {
    case "=":
    case "==":
      return (labels) => labels[key] === only;
    case "!=":
      return (labels) => labels[key] !== only;
    case "in":
      return (labels) => set.has(labels[key]);
    case "notin":
      return (labels) => !set.has(labels[key]);
    case "exists":
      return (labels) => typeof labels[key] === "string";
    case "!":
      return (labels) => typeof labels[key] !== "string";
    default: {
      const limit = parseInt64(only) ?? 0n;
      return (labels) => {
        const value = parseInt64(labels[key]);
        return value !== undefined && (operator === "gt" ? value > limit : value < limit);
      };
    }
  }
}

const integer = /^[+-]?\d{1,63}$/;

/** A whole number of 64 bits, as Go reads one. */
function parseInt64(text: string | undefined): bigint | undefined {
  if (typeof text !== "string" || !integer.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
