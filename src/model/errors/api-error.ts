import { deepFreeze } from "../object/freeze.js";
import { type FailureStatus, failureStatus, type ApiStatus } from "./status.js";

/**
 * A request that failed, with the Status that says so. The server throws it, the wire layer sends its
 * `status`, and the client throws it again.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: FailureStatus;

  constructor(status: FailureStatus, options?: ErrorOptions) {
    super(status.message, options);
    this.status = deepFreeze(status);
  }

  /** The HTTP status code. */
  get code(): number {
    return this.status.code;
  }

  /** The reason in one word; empty when the server gave none. */
  get reason(): string {
    return this.status.reason ?? "";
  }
}

/** How many wrappers are looked through for an {@link ApiError}; also the end of a cycle of causes. */
const maxCauseDepth = 16;

/** The {@link ApiError} that was thrown, also when another error wraps it as its `cause`. */
export function asApiError(error: unknown): ApiError | undefined {
  let current = error;
  for (let depth = 0; depth < maxCauseDepth && current instanceof Error; depth++) {
    if (current instanceof ApiError) return current;
    current = current.cause;
  }
  return undefined;
}

/**
 * The Status to send for anything that was thrown; what is not an {@link ApiError} becomes a 500.
 *
 * @example
 * catch (error) {
 *   const status = statusOf(error);
 *   response.writeHead(status.code).end(JSON.stringify(status));
 * }
 */
export function statusOf(error: unknown): FailureStatus {
  return (asApiError(error) ?? internal(error)).status;
}

/** 500: something went wrong that is not the client's doing. */
export function internal(error: unknown): ApiError {
  const message = errorMessage(error);
  const details = { causes: [{ message }] };
  const status = failureStatus("InternalError", `Internal error occurred: ${message}`, details);
  return new ApiError(status, { cause: error });
}

/** Anything can be thrown, even what cannot be turned into text. */
function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return `a ${typeof error} was thrown`;
  }
}

/** The error that a server reported, from the Status it sent. */
export function fromStatus(status: Partial<ApiStatus>): ApiError {
  const { metadata, message, code = 500 } = status;
  return new ApiError({
    ...status,
    kind: "Status",
    apiVersion: "v1",
    metadata: metadata ?? {},
    status: "Failure",
    message:
      message || `the server responded with the status code ${code} but did not return more information`,
    code,
  });
}
