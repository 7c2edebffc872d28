import type { StatusReason } from "../../../src/model/errors/status.js";

/** Predicate and advice for each reason of the API. */
export const statusAdvice: Readonly<Record<StatusReason, { readonly by: string; readonly advice: string }>> =
  {
    Unauthorized: {
      by: "isUnauthorized",
      advice: "The token is missing, wrong or expired: look at the kubeconfig.",
    },
    Forbidden: {
      by: "isForbidden",
      advice: "The user may not do this: on a cluster, add it to the role; on Fettle, see `authorize`.",
    },
    NotFound: {
      by: "isNotFound",
      advice: "There is no such object, or no such kind: `find` returns undefined instead.",
    },
    AlreadyExists: { by: "isAlreadyExists", advice: "Use `createOrUpdate` or `apply`, or another name." },
    Conflict: {
      by: "isConflict",
      advice:
        "Somebody else wrote it meanwhile, or owns the field that is applied: read again; `modify` does so by itself.",
    },
    Gone: { by: "isGone", advice: "As for Expired." },
    Invalid: { by: "isInvalid", advice: "The object breaks rules of its kind; the causes name the fields." },
    ServerTimeout: { by: "isServerTimeout", advice: "Try again after `retryAfterSeconds`." },
    StorageReadError: { by: "", advice: "The server cannot read what it has stored: look at its log." },
    Timeout: {
      by: "isTimeout",
      advice: "It may have been carried out all the same: read before trying again.",
    },
    TooManyRequests: {
      by: "isTooManyRequests",
      advice:
        "Too much is asked at once: the client waits as `Retry-After` says; ask less, or from fewer places.",
    },
    BadRequest: { by: "isBadRequest", advice: "The request itself is wrong: the message says what." },
    MethodNotAllowed: { by: "isMethodNotSupported", advice: "The kind does not have this verb." },
    NotAcceptable: { by: "isNotAcceptable", advice: "Ask for JSON or YAML." },
    RequestEntityTooLarge: {
      by: "isRequestEntityTooLarge",
      advice: "The object is too large to be kept: keep the bulk elsewhere, and a reference here.",
    },
    UnsupportedMediaType: {
      by: "isUnsupportedMediaType",
      advice: "Send JSON or YAML, and patches with their own types.",
    },
    InternalError: { by: "isInternalError", advice: "A fault of the server: look at its log." },
    Expired: {
      by: "isExpired",
      advice: "The revision is too old for the store's history: list again and go on from there.",
    },
    ServiceUnavailable: {
      by: "isServiceUnavailable",
      advice: "The server cannot answer now: try again later.",
    },
  };
