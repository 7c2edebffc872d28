/** Reason of a failure, in one word that programs can compare. */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StorageReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable";

/** One cause of a failure. */
export interface StatusCause {
  /** Such as `FieldValueInvalid` or `FieldManagerConflict`. */
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Object and causes of a failure. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** Resource or kind, depending on which part of the server failed. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  /** Delay before a retry. */
  readonly retryAfterSeconds?: number;
}

/** Kubernetes' response body for errors, and for successful requests that return no object. */
export interface ApiStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  /** A {@link StatusReason}; other servers may send other words. */
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Status of a failed request. */
export interface FailureStatus extends ApiStatus {
  readonly status: "Failure";
  readonly message: string;
  readonly code: number;
}

/** HTTP code of each reason. */
export const statusCodes: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Invalid: 422,
  ServerTimeout: 500,
  StorageReadError: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  Expired: 410,
  ServiceUnavailable: 503,
};

/** Builds a failure with fields in Kubernetes' order and without empty ones. */
export function failureStatus(reason: StatusReason, message: string, details?: StatusDetails): FailureStatus {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    ...(details && { details: withoutEmpty(details) }),
    code: statusCodes[reason],
  };
}

function withoutEmpty({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  return {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    ...(uid && { uid }),
    ...(causes && causes.length > 0 && { causes }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  };
}
