import type { StatusReason } from "../../../src/model/errors/status.js";

/** For each reason of the API, its predicate, and what to do. */
export const statusAdvice: Readonly<Record<StatusReason, { readonly by: string; readonly advice: string }>> =
  {
    Unauthorized: {
      by: "isUnauthorized",
      advice: "The token is missing, wrong or expired: check the kubeconfig.",
    },
    Forbidden: {
      by: "isForbidden",
      advice: "The user lacks permission: on a cluster, extend the role; on Fettle, see `authorize`.",
    },
    NotFound: {
      by: "isNotFound",
      advice: "The object or kind does not exist. `find` returns undefined instead of this error.",
    },
    AlreadyExists: { by: "isAlreadyExists", advice: "Use `createOrUpdate` or `apply`, or another name." },
    Conflict: {
      by: "isConflict",
      advice:
        "The object was changed in the meantime, or another manager owns an applied field. Read it again and retry; `modify` does so automatically.",
    },
    Gone: { by: "isGone", advice: "As for Expired." },
    Invalid: {
      by: "isInvalid",
      advice: "The object violates the schema or the rules of its kind; the causes name the fields.",
    },
    ServerTimeout: { by: "isServerTimeout", advice: "Retry after `retryAfterSeconds`." },
    StorageReadError: { by: "", advice: "The server cannot read stored data: check its log." },
    Timeout: {
      by: "isTimeout",
      advice: "The request may have succeeded: read before you retry.",
    },
    TooManyRequests: {
      by: "isTooManyRequests",
      advice: "Too many requests. The client retries after `Retry-After`; send fewer requests at a time.",
    },
    BadRequest: { by: "isBadRequest", advice: "The request is malformed; the message names the error." },
    MethodNotAllowed: { by: "isMethodNotSupported", advice: "The kind does not support this verb." },
    NotAcceptable: { by: "isNotAcceptable", advice: "Accept JSON or YAML." },
    RequestEntityTooLarge: {
      by: "isRequestEntityTooLarge",
      advice: "The object is too large. Store large data elsewhere, and a reference in the object.",
    },
    UnsupportedMediaType: {
      by: "isUnsupportedMediaType",
      advice: "Send JSON or YAML, and patches with the media type of their format.",
    },
    InternalError: { by: "isInternalError", advice: "A bug in the server: check its log." },
    Expired: {
      by: "isExpired",
      advice: "The revision is no longer in the history: list again and continue from there.",
    },
    ServiceUnavailable: {
      by: "isServiceUnavailable",
      advice: "The server is temporarily unavailable: retry later.",
    },
  };
