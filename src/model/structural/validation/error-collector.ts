import { type FieldError, invalid, type FieldErrorType, typeInvalid } from "../../object/field-errors.js";
import { maxReportedErrors } from "../max-reported-errors.js";
import { PathStack, rootField } from "../../object/path-stack.js";

/** Where a validation is and what it has found. */
export class ErrorCollector {
  readonly path: PathStack;
  errors: FieldError[] = [];
  /**
   * How much has been checked. Of several alternatives that all fail, the one with the most checks is taken to be the
   * one that was meant, and its errors are shown; so this is counted exactly as Kubernetes counts it.
   */
  checks = 0;

  /** `base`: where in the object the value is that is validated, if it is not the object itself. */
  constructor(base = "") {
    this.path = new PathStack(base);
  }

  /** Whether enough has been found. */
  get isFull(): boolean {
    return this.errors.length >= maxReportedErrors;
  }

  /** A value breaks a rule; the rule is said of the value's path. */
  invalid(badValue: unknown, rule: string): void {
    this.errors.push(invalid(this.path.field(), badValue, this.describe(rule)));
  }

  /** A value is of the wrong type or format. */
  typeInvalid(badValue: unknown, rule: string): void {
    this.errors.push(typeInvalid(this.path.field(), badValue, this.describe(rule)));
  }

  /** A value breaks a rule that is about several schemas; Kubernetes reports it for the whole of what is validated. */
  unmatched(rule: string): void {
    this.errors.push(invalid(this.path.base || rootField, "", rule));
  }

  private describe(rule: string): string {
    return `${this.path.dotted()} in body ${rule}`;
  }
}

/** The errors with each once: the same rule may stand in a schema several times. */
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
