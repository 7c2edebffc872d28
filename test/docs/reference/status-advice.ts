import type { StatusReason } from "../../../src/model/errors/status.js";

/** Predicate and advice for each reason of the API. */
export const statusAdvice: Readonly<Record<StatusReason, { readonly by: string; readonly advice: string }>> =
  {
    Unauthorized: {
      by: "isUnauthorized",
      advice: "The token is missing, invalid or expired: check the kubeconfig.",
    },
    Forbidden: {
      by: "isForbidden",
      advice: "The user lacks the permission: on a cluster, add it to a role; on Fettle, see `authorize`.",
    },
    NotFound: {
      by: "isNotFound",
      advice: "The object or its kind does not exist; `find` returns undefined for a missing object.",
    },
    AlreadyExists: { by: "isAlreadyExists", advice: "Use `createOrUpdate` or `apply`, or another name." },
    Conflict: {
      by: "isConflict",
      advice:
        "The object was changed meanwhile, or another manager owns an applied field: read it again and retry, as `modify` does.",
    },
    Gone: { by: "isGone", advice: "As for Expired." },
    Invalid: {
      by: "isInvalid",
      advice: "The object violates rules of its kind; the causes name the fields.",
    },
    ServerTimeout: { by: "isServerTimeout", advice: "Retry after `retryAfterSeconds`." },
    StorageReadError: { by: "", advice: "The server cannot read its store: see its log." },
    Timeout: {
      by: "isTimeout",
      advice: "The request may have been executed: read the object before a retry.",
    },
    TooManyRequests: {
      by: "isTooManyRequests",
      advice:
        "Too many requests: the client waits as long as `Retry-After` says. Send fewer, or from fewer processes.",
    },
    BadRequest: { by: "isBadRequest", advice: "The request is invalid; the message has the reason." },
    MethodNotAllowed: { by: "isMethodNotSupported", advice: "The kind does not support this verb." },
    NotAcceptable: { by: "isNotAcceptable", advice: "Request JSON or YAML." },
    RequestEntityTooLarge: {
      by: "isRequestEntityTooLarge",
      advice: "The object is too large: store the data elsewhere, and a reference in the object.",
    },
    UnsupportedMediaType: {
      by: "isUnsupportedMediaType",
      advice: "Send JSON or YAML, and patches with their own types.",
    },
    InternalError: { by: "isInternalError", advice: "An error of the server: see its log." },
    Expired: {
      by: "isExpired",
      advice: "The revision has been compacted: list again, and continue from there.",
    },
    ServiceUnavailable: {
      by: "isServiceUnavailable",
      advice: "The server is unavailable: retry later.",
    },
  };
