import { fieldErrors, type Json } from "../../../model/core.js";
import { childPath, indexPath, keyPath } from "../../../model/object/field-path.js";
import { jsonEqual } from "../../../model/object/json.js";

type FieldError = fieldErrors.FieldError;
const { invalid, notSupported } = fieldErrors;

/** Collects field errors below one path. */
export class Checks {
  readonly path: string;
  readonly errors: FieldError[];

  constructor(path: string, errors: FieldError[] = []) {
    this.path = path;
    this.errors = errors;
  }

  /** Checks of a field or list item below this path. */
  at(...names: readonly (string | number)[]): Checks {
    let path = this.path;
    for (const name of names) path = typeof name === "number" ? indexPath(path, name) : childPath(path, name);
    return new Checks(path, this.errors);
  }

  /** Checks of a map value below this path. */
  key(key: string): Checks {
    return new Checks(keyPath(this.path, key), this.errors);
  }

  required(detail?: string): void {
    this.errors.push(fieldErrors.required(this.path, detail));
  }

  invalid(value: unknown, detail: string): void {
    this.errors.push(invalid(this.path, value, detail));
  }

  forbidden(detail: string): void {
    this.errors.push(fieldErrors.forbidden(this.path, detail));
  }

  duplicate(value: unknown): void {
    this.errors.push(fieldErrors.duplicate(this.path, value));
  }

  notFound(value: unknown): void {
    this.errors.push(fieldErrors.notFound(this.path, value));
  }

  add(errors: readonly FieldError[]): void {
    this.errors.push(...errors);
  }

  /** Reports each fault as an invalid value. */
  faults(value: unknown, faults: readonly string[]): void {
    for (const fault of faults) this.invalid(value, fault);
  }

  notSupported(value: unknown, supported: readonly string[]): void {
    this.errors.push(notSupported(this.path, value, supported));
  }

  /** Reports a value that is not supported; undefined is accepted. */
  oneOf(value: string | undefined, supported: readonly string[]): void {
    if (value !== undefined && !supported.includes(value)) this.notSupported(value, supported);
  }

  notNegative(value: number | undefined): void {
    if (value !== undefined && value < 0) this.invalid(value, "must be greater than or equal to 0");
  }

  port(value: number): void {
    if (value < 1 || value > 65_535) this.invalid(value, "must be between 1 and 65535, inclusive");
  }

  portName(name: string): boolean {
    const faults = portNameFaults(name);
    this.faults(name, faults);
    return faults.length === 0;
  }

  portOrName(value: number | string): void {
    if (typeof value === "number") this.port(value);
    else this.portName(value);
  }

  /** Reports a value that is neither a number nor a percentage up to `most`. */
  amount(value: number | string | undefined, most = Number.POSITIVE_INFINITY): void {
    if (typeof value === "number") this.notNegative(value);
    else if (value !== undefined && !/^\d+%$/.test(value)) {
      this.invalid(
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      );
    } else if (value !== undefined && Number.parseInt(value, 10) > most) {
      this.invalid(value, `must not be greater than ${most}%`);
    }
  }

  unchanged(value: unknown, old: unknown, detail = "field is immutable"): void {
    if (!same(value, old)) this.invalid(value ?? null, detail);
  }
}

/** Compares two JSON values; undefined equals null. */
export function same(left: unknown, right: unknown): boolean {
  return jsonEqual((left ?? null) as Json, (right ?? null) as Json);
}

function portNameFaults(name: string): string[] {
  const faults: string[] = [];
  if (name.length > 15) faults.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) {
    faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) faults.push("must contain at least one letter (a-z)");
  if (name.includes("--")) faults.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
}

export const invalidIpAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

export const protocols = ["SCTP", "TCP", "UDP"] as const;
