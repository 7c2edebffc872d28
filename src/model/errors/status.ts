/** Why a request failed, in one word that programs can compare. */
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

/** One of several things that led to a failure. */
export interface StatusCause {
  /** Such as `FieldValueInvalid` or `FieldManagerConflict`. */
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What a failure is about. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource or the kind, whichever the failing part of the server knew. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  /** Asks the client to wait this long before it tries again. */
  readonly retryAfterSeconds?: number;
}

/** Kubernetes' answer to a request that failed (or to one that has nothing else to return). */
export interface ApiStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  /** One of {@link StatusReason}, unless the server is not Kubernetes. */
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** The Status of a request that failed. */
export interface FailureStatus extends ApiStatus {
  readonly status: "Failure";
  readonly message: string;
  readonly code: number;
}

/** Each reason, and the HTTP code that goes with it. */
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

/** Builds a failure in the order of fields that Kubernetes writes, leaving out what is empty. */
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
