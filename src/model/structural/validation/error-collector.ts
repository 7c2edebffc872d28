import { type FieldError, invalid, type FieldErrorType, typeInvalid } from "../../object/field-errors.js";
import { maxReportedErrors } from "../max-reported-errors.js";
import { PathStack, rootField } from "../../object/path-stack.js";

/** Position and errors of a validation. */
export class ErrorCollector {
  readonly path: PathStack;
  errors: FieldError[] = [];
  /**
   * Number of checks. If several alternatives fail, the one with the most checks is taken to be the intended
   * one, and its errors are reported; so this counts exactly like Kubernetes.
   */
  checks = 0;

  /** `base`: path of the validated value in the object. */
  constructor(base = "") {
    this.path = new PathStack(base);
  }

  /** True if the limit for errors is reached. */
  get isFull(): boolean {
    return this.errors.length >= maxReportedErrors;
  }

  /** Adds an error for a value that violates a rule. */
  invalid(badValue: unknown, rule: string): void {
    this.errors.push(invalid(this.path.field(), badValue, this.describe(rule)));
  }

  /** Adds an error for a value of the wrong type or format. */
  typeInvalid(badValue: unknown, rule: string): void {
    this.errors.push(typeInvalid(this.path.field(), badValue, this.describe(rule)));
  }

  /** Adds an error for a rule about several schemas; Kubernetes reports it for the root of the validation. */
  unmatched(rule: string): void {
    this.errors.push(invalid(this.path.base || rootField, "", rule));
  }

  private describe(rule: string): string {
    return `${this.path.dotted()} in body ${rule}`;
  }
}

/** Removes duplicates: the same rule may occur several times in a schema. */
export function distinct(errors: readonly FieldError[]): FieldError[] {
  if (errors.length < 2) return [...errors];
  const seen = new Set<string>();
  return errors.filter((error) => {
    const key = errorKey(error.type, error.field, error.detail);
    return !seen.has(key) && seen.add(key);
  });
}

function errorKey(type: FieldErrorType, field: string, detail: string): string {
  return `${type}\0${field}\0${detail}`;
}
