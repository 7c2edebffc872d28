import { ApiError, asApiError, fromStatus } from "../../../model/core.js";
import type { StatusCause } from "../../../model/errors/status.js";
import type { FieldProblem } from "../../../server/index.js";
import type { RestResource } from "./rest-resource.js";

/** 412: the document is not the one that the client expects. */
export function preconditionFailed(message: string): ApiError {
  return fromStatus({ code: 412, reason: "PreconditionFailed", message });
}

/** 428: the request needs a confirmation. */
export function preconditionRequired(message: string): ApiError {
  return fromStatus({ code: 428, reason: "PreconditionRequired", message });
}

/** 422 with the fields of a document that are wrong. */
export function invalidDocument(message: string, errors: readonly FieldProblem[]): ApiError {
  const causes = errors.map(({ field, detail }) => ({ reason: "FieldValueInvalid", field, message: detail }));
  return fromStatus({ code: 422, reason: "Invalid", message, details: { causes } });
}

/** The same error with the fields of the document in place of those of the object. */
export function inDocument(error: unknown, { toField }: RestResource, prefix = ""): unknown {
  const { status } = asApiError(error) ?? {};
  if (status === undefined) return error;
  const unknown = Array.from(status.message.matchAll(/unknown field "([^"]+)"/g), ([, field = ""]) => ({
    field: prefix + toField(field),
    detail: "there is no such field",
  }));
  if (status.code === 400 && unknown.length > 0) {
    return invalidDocument(`unknown fields: ${unknown.map(({ field }) => field).join(", ")}`, unknown);
  }
  const causes = status.details?.causes;
  if (causes === undefined) return error;
  const renamed = causes.map(({ field, ...cause }) =>
    field === undefined ? cause : withField(cause, prefix + toField(field)),
  );
  return new ApiError({ ...status, details: { ...status.details, causes: renamed } }, { cause: error });
}

/** A cause for another field. */
export function withField(cause: StatusCause, field: string): StatusCause {
  return { ...cause, field };
}

/** Error of a mapping function: the document cannot be converted. */
export function conversionError(error: unknown): ApiError {
  const known = asApiError(error);
  if (known !== undefined) return known;
  const message = error instanceof Error ? error.message : String(error);
  return invalidDocument(`the document cannot be converted: ${message}`, []);
}
