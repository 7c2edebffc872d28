import { omitValue, renderBadValue } from "./bad-value.js";
import type { FieldPath } from "./field-path.js";
import { quote } from "./quote.js";

/** Type of a field error, as in the causes of a Status. */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooShort"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One violated rule of one field. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: FieldPath;
  /** Invalid value; `omitValue` hides it. */
  readonly badValue: unknown;
  readonly detail: string;
}

/** Field error as a cause of a Status. */
export interface FieldErrorCause {
  readonly reason: FieldErrorType;
  readonly message: string;
  readonly field: FieldPath;
}

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
};

const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
]);

/** Required value is missing. */
export function required(field: FieldPath, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, badValue: "", detail };
}

/** Value violates a rule. */
export function invalid(field: FieldPath, badValue: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, badValue, detail };
}

/** Value has the wrong type. */
export function typeInvalid(field: FieldPath, badValue: unknown, detail: string): FieldError {
  return { type: "FieldValueTypeInvalid", field, badValue, detail };
}

/** Value is not among the supported ones. */
export function notSupported(
  field: FieldPath,
  badValue: unknown,
  supported: readonly string[] = [],
): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(quote).join(", ")}`;
  return { type: "FieldValueNotSupported", field, badValue, detail };
}

/** Value must be unique and is not. */
export function duplicate(field: FieldPath, badValue: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, badValue, detail: "" };
}

/** Value refers to something that does not exist. */
export function notFound(field: FieldPath, badValue: unknown): FieldError {
  return { type: "FieldValueNotFound", field, badValue, detail: "" };
}

/** Value is not allowed in this place or state. */
export function forbidden(field: FieldPath, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, badValue: "", detail };
}

/** String is longer than `limit` bytes. */
export function tooLong(field: FieldPath, limit: number): FieldError {
  const detail = `may not be more than ${count(limit, "byte")}`;
  return { type: "FieldValueTooLong", field, badValue: omitValue, detail };
}

/** String is shorter than `limit` characters. */
export function tooShort(field: FieldPath, badValue: string, limit: number): FieldError {
  const detail = `must be at least ${count(limit, "character")}`;
  return { type: "FieldValueTooShort", field, badValue, detail };
}

/** List has more than `limit` items. */
export function tooMany(field: FieldPath, actual: number | undefined, limit: number): FieldError {
  const detail = `must have at most ${count(limit, "item")}`;
  return { type: "FieldValueTooMany", field, badValue: actual ?? omitValue, detail };
}

/** List has fewer than `limit` items. */
export function tooFew(field: FieldPath, actual: number, limit: number): FieldError {
  const detail = `must have at least ${count(limit, "item")}`;
  return { type: "FieldValueTooFew", field, badValue: actual, detail };
}

/** Validation of the field failed for a reason other than its value. */
export function internal(field: FieldPath, detail: string): FieldError {
  return { type: "InternalError", field, badValue: omitValue, detail };
}

/** Renders the error without its field, for output that names the field separately. */
export function fieldErrorBody(error: FieldError): string {
  let body = titles[error.type];
  if (!withoutValue.has(error.type) && error.badValue !== omitValue) {
    body += `: ${renderBadValue(error.badValue)}`;
  }
  return error.detail === "" ? body : `${body}: ${error.detail}`;
}

/**
 * Renders the error in one line.
 *
 * @example
 * renderFieldError(required("metadata.name", "name or generateName is required"));
 * // "metadata.name: Required value: name or generateName is required"
 */
export function renderFieldError(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Renders several errors: each once, in brackets if there are several. */
export function renderFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(renderFieldError))];
  return texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
}

/** Converts the error to a cause of a Status. */
export function fieldErrorCause(error: FieldError): FieldErrorCause {
  return { reason: error.type, message: fieldErrorBody(error), field: error.field };
}

function count(limit: number, noun: string): string {
  return `${limit} ${noun}${limit === 1 ? "" : "s"}`;
}
