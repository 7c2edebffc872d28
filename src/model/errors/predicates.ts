import { asApiError } from "./api-error.js";
import { type StatusCause, type StatusReason, statusCodes } from "./status.js";

/**
 * Checks the reason of an error. If the server sent no reason known here, its HTTP code decides, where the
 * code implies one reason only.
 */
function hasReason(error: unknown, reason: StatusReason, code?: number): boolean {
  const found = asApiError(error);
  if (found === undefined) return false;
  return found.reason === reason || (found.code === code && !Object.hasOwn(statusCodes, found.reason));
}

/** 404: the object does not exist. */
export const isNotFound = (error: unknown): boolean => hasReason(error, "NotFound", 404);

/** 409: an object of this name exists. */
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, "AlreadyExists");

/** 409: the object has changed; read it again and retry. */
export const isConflict = (error: unknown): boolean => hasReason(error, "Conflict", 409);

/** 422: the object violates rules of its kind. */
export const isInvalid = (error: unknown): boolean => hasReason(error, "Invalid", 422);

/** 410 Gone. A revision that is too old is usually {@link isExpired}. */
export const isGone = (error: unknown): boolean => hasReason(error, "Gone", 410);

/** 410 Expired: the revision is compacted; list again. */
export const isExpired = (error: unknown): boolean => hasReason(error, "Expired");

/** 400: the request is malformed. */
export const isBadRequest = (error: unknown): boolean => hasReason(error, "BadRequest", 400);

/** 401: the client is not authenticated. */
export const isUnauthorized = (error: unknown): boolean => hasReason(error, "Unauthorized", 401);

/** 403: the user is not allowed to do this. */
export const isForbidden = (error: unknown): boolean => hasReason(error, "Forbidden", 403);

/** 405: the resource does not support the operation. */
export const isMethodNotSupported = (error: unknown): boolean => hasReason(error, "MethodNotAllowed", 405);

/** 406: no format that the client accepts is available. */
export const isNotAcceptable = (error: unknown): boolean => hasReason(error, "NotAcceptable", 406);

/** 415: the server cannot decode the format of the body. */
export const isUnsupportedMediaType = (error: unknown): boolean =>
  hasReason(error, "UnsupportedMediaType", 415);

/** 413: the body is too large. */
export const isRequestEntityTooLarge = (error: unknown): boolean =>
  hasReason(error, "RequestEntityTooLarge") || asApiError(error)?.code === 413;

/** 429: too many requests; retry later. */
export const isTooManyRequests = (error: unknown): boolean =>
  hasReason(error, "TooManyRequests") || asApiError(error)?.code === 429;

/** 504: timed out; the operation may still complete. */
export const isTimeout = (error: unknown): boolean => hasReason(error, "Timeout", 504);

/** 500 ServerTimeout: temporary failure; retry. */
export const isServerTimeout = (error: unknown): boolean => hasReason(error, "ServerTimeout");

/** 503: the server cannot serve the request now. */
export const isServiceUnavailable = (error: unknown): boolean => hasReason(error, "ServiceUnavailable", 503);

/** 500 InternalError: the server failed for a reason other than the request. */
export const isInternalError = (error: unknown): boolean => hasReason(error, "InternalError", 500);

/** Finds the first cause with a reason, such as `ResourceVersionTooLarge`. */
export function statusCause(error: unknown, reason: string): StatusCause | undefined {
  return asApiError(error)?.status.details?.causes?.find((cause) => cause.reason === reason);
}

/** 504: the requested revision is in the future. */
export const isTooLargeResourceVersion = (error: unknown): boolean =>
  statusCause(error, "ResourceVersionTooLarge") !== undefined;

/** Delay in seconds that the server asks for before a retry; undefined if it names none. */
export function retryAfterSeconds(error: unknown): number | undefined {
  const found = asApiError(error);
  const seconds = found?.status.details?.retryAfterSeconds ?? 0;
  return seconds > 0 || (found?.reason === "ServerTimeout" && found.status.details) ? seconds : undefined;
}
