import { asApiError } from "./api-error.js";
import { type StatusCause, type StatusReason, statusCodes } from "./status.js";

/**
 * Whether an error has a reason. A server that gives no reason we know is judged by its HTTP code instead,
 * where the code means one reason only.
 */
function hasReason(error: unknown, reason: StatusReason, code?: number): boolean {
  const found = asApiError(error);
  if (found === undefined) return false;
  return found.reason === reason || (found.code === code && !Object.hasOwn(statusCodes, found.reason));
}

/** 404: there is no such object. */
export const isNotFound = (error: unknown): boolean => hasReason(error, "NotFound", 404);

/** 409: there is such an object already. */
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, "AlreadyExists");

/** 409: the object changed in the meantime; read it again and try again. */
export const isConflict = (error: unknown): boolean => hasReason(error, "Conflict", 409);

/** 422: the object breaks rules of its kind. */
export const isInvalid = (error: unknown): boolean => hasReason(error, "Invalid", 422);

/** 410 Gone. A revision that is too old is usually {@link isExpired}. */
export const isGone = (error: unknown): boolean => hasReason(error, "Gone", 410);

/** 410 Expired: the revision is too old; list again. */
export const isExpired = (error: unknown): boolean => hasReason(error, "Expired");

/** 400. */
export const isBadRequest = (error: unknown): boolean => hasReason(error, "BadRequest", 400);

/** 401. */
export const isUnauthorized = (error: unknown): boolean => hasReason(error, "Unauthorized", 401);

/** 403. */
export const isForbidden = (error: unknown): boolean => hasReason(error, "Forbidden", 403);

/** 405. */
export const isMethodNotSupported = (error: unknown): boolean => hasReason(error, "MethodNotAllowed", 405);

/** 406. */
export const isNotAcceptable = (error: unknown): boolean => hasReason(error, "NotAcceptable", 406);

/** 415. */
export const isUnsupportedMediaType = (error: unknown): boolean =>
  hasReason(error, "UnsupportedMediaType", 415);

/** 413. */
export const isRequestEntityTooLarge = (error: unknown): boolean =>
  hasReason(error, "RequestEntityTooLarge") || asApiError(error)?.code === 413;

/** 429. */
export const isTooManyRequests = (error: unknown): boolean =>
  hasReason(error, "TooManyRequests") || asApiError(error)?.code === 429;

/** 504: the time ran out; the operation may still complete. */
export const isTimeout = (error: unknown): boolean => hasReason(error, "Timeout", 504);

/** 500 ServerTimeout: try again. */
export const isServerTimeout = (error: unknown): boolean => hasReason(error, "ServerTimeout");

/** 503. */
export const isServiceUnavailable = (error: unknown): boolean => hasReason(error, "ServiceUnavailable", 503);

/** 500 InternalError. */
export const isInternalError = (error: unknown): boolean => hasReason(error, "InternalError", 500);

/** The first cause of the given kind, such as `ResourceVersionTooLarge`. */
export function statusCause(error: unknown, reason: string): StatusCause | undefined {
  return asApiError(error)?.status.details?.causes?.find((cause) => cause.reason === reason);
}

/** 504: the client asked for a revision that is yet to come. */
export const isTooLargeResourceVersion = (error: unknown): boolean =>
  statusCause(error, "ResourceVersionTooLarge") !== undefined;

/** How long the server asks to wait before another try; undefined when it does not say. */
export function retryAfterSeconds(error: unknown): number | undefined {
  const found = asApiError(error);
  const seconds = found?.status.details?.retryAfterSeconds ?? 0;
  return seconds > 0 || (found?.reason === "ServerTimeout" && found.status.details) ? seconds : undefined;
}
