import { STATUS_CODES } from "node:http";
import type { ApiStatus } from "../../../model/errors/status.js";

/** A failed request in the format of RFC 9457, "Problem Details for HTTP APIs". */
export interface ProblemDetails {
  /** `about:blank`: the title says no more than the status code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** What is wrong with this request, and what to do. */
  readonly detail: string;
  /** Path of the request. */
  readonly instance?: string | undefined;
  /** Reason in one word, as in a Status: `Invalid`, `Conflict`. */
  readonly reason?: string | undefined;
  /** Fields that are wrong. */
  readonly errors?: readonly FieldProblem[] | undefined;
}

export interface FieldProblem {
  /** Path of the field: `spec.title`. */
  readonly field: string;
  readonly detail: string;
}

export const problemType = "application/problem+json";

/** Problem details of a Status. */
export function problemDetails(status: ApiStatus, instance?: string): ProblemDetails {
  const { code = 500, message = "", reason, details } = status;
  const errors = (details?.causes ?? []).flatMap(({ field, message: detail = "" }) =>
    field === undefined || field === "" ? [] : [{ field, detail }],
  );
  return {
    type: "about:blank",
    title: STATUS_CODES[code] ?? "Error",
    status: code,
    detail: message,
    ...(instance !== undefined && { instance }),
    ...(reason !== undefined && reason !== "" && { reason }),
    ...(errors.length > 0 && { errors }),
  };
}
