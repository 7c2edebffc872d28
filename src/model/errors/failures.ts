import {
  type FieldError,
  fieldErrorCause,
  renderFieldError,
  renderFieldErrors,
} from "../object/field-errors.js";
import type { GroupKind, GroupResource } from "../object/object.js";
import { quote } from "../object/quote.js";
import { ApiError } from "./api-error.js";
import { failureStatus, type StatusCause } from "./status.js";

function qualified(name: string, group: string): string {
  return group === "" ? name : `${name}.${group}`;
}

/** Name of a resource in messages: `widgets.demo.dev`. */
export function renderResource({ group, resource }: GroupResource): string {
  return qualified(resource, group);
}

function resourceDetails(
  { group, resource }: GroupResource,
  name = "",
): { group: string; kind: string; name: string } {
  return { group, kind: resource, name };
}

/** 404: the object does not exist. */
export function notFound(resource: GroupResource, name: string): ApiError {
  const message = `${renderResource(resource)} ${quote(name)} not found`;
  return new ApiError(failureStatus("NotFound", message, resourceDetails(resource, name)));
}

/** 409: an object of this name exists. */
export function alreadyExists(resource: GroupResource, name: string): ApiError {
  const message = `${renderResource(resource)} ${quote(name)} already exists`;
  return new ApiError(failureStatus("AlreadyExists", message, resourceDetails(resource, name)));
}

/** 409: every name generated from `generateName` exists already; a retry may succeed. */
export function generateNameConflict(
  resource: GroupResource,
  name: string,
  retryAfterSeconds: number,
): ApiError {
  const message = `${renderResource(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  return new ApiError(
    failureStatus("AlreadyExists", message, { ...resourceDetails(resource, name), retryAfterSeconds }),
  );
}

/** Message of a {@link conflict} for an object that changed since it was read. */
export const modifiedConflict =
  "the object has been modified; please apply your changes to the latest version and try again";

/** 409: the object is not in the state that the request expects. */
export function conflict(resource: GroupResource, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${renderResource(resource)} ${quote(name)}: ${why}`;
  return new ApiError(failureStatus("Conflict", message, resourceDetails(resource, name)));
}

/** 422: the object violates rules of its kind. */
export function invalid({ group, kind }: GroupKind, name: string, errors: readonly FieldError[]): ApiError {
  const subject = `${qualified(kind, group)} ${quote(name)} is invalid`;
  const reported = truncateErrors(errors);
  const more = reported === errors ? "" : `, and ${errors.length - reported.length} more`;
  const message = errors.length === 0 ? subject : `${subject}: ${renderFieldErrors(reported)}${more}`;
  const causes = reported.map(fieldErrorCause);
  return new ApiError(failureStatus("Invalid", message, { group, kind, name, causes }));
}

/** Limit for the message, in characters. Every value may be invalid, and each error may quote all of it. */
const maxMessageLength = 1024 * 1024;
const minReportedErrors = 10;

/** Drops errors beyond the limit of the message. */
function truncateErrors(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length <= minReportedErrors) return errors;
  let left = maxMessageLength;
  const end = errors.findIndex((error) => (left -= renderFieldError(error).length) < 0);
  return end < 0 ? errors : errors.slice(0, Math.max(minReportedErrors, end));
}

/** 400: the request is malformed. */
export function badRequest(message: string): ApiError {
  return new ApiError(failureStatus("BadRequest", message));
}

/** 401: the client is not authenticated. */
export function unauthorized(message = "not authorized"): ApiError {
  return new ApiError(failureStatus("Unauthorized", message));
}

/** 403: the user is not allowed to do this. */
export function forbidden(resource: GroupResource, name: string, why: string): ApiError {
  const subject = renderResource(resource);
  let message = `forbidden: ${why}`;
  if (subject !== "") message = `${subject}${name === "" ? "" : ` ${quote(name)}`} is ${message}`;
  return new ApiError(failureStatus("Forbidden", message, resourceDetails(resource, name)));
}

/** 405: the resource does not support the operation. */
export function methodNotSupported(resource: GroupResource, action: string): ApiError {
  const message = `${action} is not supported on resources of kind ${quote(renderResource(resource))}`;
  return new ApiError(failureStatus("MethodNotAllowed", message, resourceDetails(resource)));
}

/** 406: no format that the client accepts is available. */
export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError(
    failureStatus("NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`),
  );
}

/** 415: the server cannot decode the format of the body. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new ApiError(failureStatus("UnsupportedMediaType", message));
}

/** 410 Gone: the requested item no longer exists. For old revisions use {@link resourceExpired}. */
export function gone(message: string): ApiError {
  return new ApiError(failureStatus("Gone", message));
}

/** 410 Expired: the requested revision is compacted; list again. */
export function resourceExpired(message: string): ApiError {
  return new ApiError(failureStatus("Expired", message));
}

/** 504: timed out; the operation may still complete. */
export function timeout(message: string, retryAfterSeconds = 0): ApiError {
  return new ApiError(failureStatus("Timeout", `Timeout: ${message}`, { retryAfterSeconds }));
}

/** 504: the requested revision is in the future. */
export function tooLargeResourceVersion(
  requested: number | bigint,
  current: number | bigint,
  retryAfterSeconds: number,
): ApiError {
  const message = `Timeout: Too large resource version: ${requested}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return new ApiError(failureStatus("Timeout", message, { causes, retryAfterSeconds }));
}

/** 500 ServerTimeout: temporary failure; the client should retry. */
export function serverTimeout(
  resource: GroupResource,
  operation: string,
  retryAfterSeconds: number,
): ApiError {
  const message = `The ${operation} operation against ${renderResource(resource)} could not be completed at this time, please try again.`;
  return new ApiError(
    failureStatus("ServerTimeout", message, { ...resourceDetails(resource, operation), retryAfterSeconds }),
  );
}

/** 429: too many requests; the client should retry later. */
export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(failureStatus("TooManyRequests", message, { retryAfterSeconds }));
}

/** 413: the body is too large. */
export function requestEntityTooLarge(message: string): ApiError {
  return new ApiError(failureStatus("RequestEntityTooLarge", `Request entity too large: ${message}`));
}

/** 503: the server cannot serve the request now. */
export function serviceUnavailable(message: string): ApiError {
  return new ApiError(failureStatus("ServiceUnavailable", message));
}

/** 409: an apply would change fields that other managers own. */
export function applyConflict(causes: readonly StatusCause[], message: string): ApiError {
  return new ApiError(failureStatus("Conflict", message, { causes }));
}
