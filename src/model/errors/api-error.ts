import { deepFreeze } from "../object/freeze.js";
import { type FailureStatus, failureStatus, type ApiStatus } from "./status.js";

/**
 * Failed request, with its `Status`. The server throws it, HTTP sends its `status`, and the client throws it
 * again.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: FailureStatus;

  constructor(status: FailureStatus, options?: ErrorOptions) {
    super(status.message, options);
    this.status = deepFreeze(status);
  }

  /** HTTP status code. */
  get code(): number {
    return this.status.code;
  }

  /** Reason in one word; empty if the server gave none. */
  get reason(): string {
    return this.status.reason ?? "";
  }
}

/** Maximum length of the chain of causes that is searched; ends cycles. */
const maxCauseDepth = 16;

/** Finds the {@link ApiError} in an error or its chain of causes. */
export function asApiError(error: unknown): ApiError | undefined {
  let current = error;
  for (let depth = 0; depth < maxCauseDepth && current instanceof Error; depth++) {
    if (current instanceof ApiError) return current;
    current = current.cause;
  }
  return undefined;
}

/**
 * Converts anything thrown to the `Status` to send; other errors than {@link ApiError} become a 500.
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

/** 500: the server failed for a reason other than the request. */
export function internal(error: unknown): ApiError {
  const message = errorMessage(error);
  const details = { causes: [{ message }] };
  const status = failureStatus("InternalError", `Internal error occurred: ${message}`, details);
  return new ApiError(status, { cause: error });
}

/** Message of anything thrown, even of values that cannot be converted to a string. */
function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return `a ${typeof error} was thrown`;
  }
}

/** Creates the error for a `Status` that a server sent. */
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
