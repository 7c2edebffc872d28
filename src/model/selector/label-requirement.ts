import { type FieldError, invalid, notSupported, renderFieldErrors } from "../object/field-errors.js";
import { indexPath, keyPath } from "../object/field-path.js";
import { validateLabelValue, validateQualifiedName } from "../object/names.js";
import { SelectorError } from "./selector-error.js";

/** Operator of a label requirement, with Kubernetes' names. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** Operators with a key on the left and values on the right. */
export const binaryOperators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

const operators: readonly LabelOperator[] = [...binaryOperators, "exists", "!"];

/** Requirement on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** Validates and freezes a requirement. Throws a {@link SelectorError} with every violation. */
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
  // An empty list is nil in Go, which is null in JSON.
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

/** Renders a requirement in the form that the parser reads, with sorted sets. */
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
 * Compiles a requirement into a test that reads one property.
 *
 * Inherited properties are never strings: `labels["constructor"]` is a function, so it equals no value and
 * counts as absent. No check for own properties is needed.
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

/** Parses a 64-bit integer like Go. */
function parseInt64(text: string | undefined): bigint | undefined {
  if (typeof text !== "string" || !integer.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
