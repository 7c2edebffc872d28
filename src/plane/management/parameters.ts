import { isJsonObject } from "../../model/object/json.js";
import { duration, failures, fromStatus, type ApiError } from "../../model/core.js";
import type { ExtensionRequest } from "../../server/index.js";

/**
 * Integer from the query.
 *
 * @throws {ApiError} 400 when it is not an integer within the bounds.
 */
export function integerParameter(
  request: ExtensionRequest,
  name: string,
  { min = 0, max, fallback }: { readonly min?: number; readonly max: number; readonly fallback: number },
): number {
  const text = request.parameter(name);
  if (text === undefined || text === "") return fallback;
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw failures.badRequest(`${name}=${text}: must be an integer from ${min} to ${max}`);
}

/** Duration from the query in milliseconds, raised to the minimum. */
export function durationParameter(
  request: ExtensionRequest,
  name: string,
  { min, fallback }: { readonly min: number; readonly fallback: number },
): number {
  const text = request.parameter(name);
  if (text === undefined || text === "") return fallback;
  return Math.max(min, milliseconds(text, name));
}

/** @throws {ApiError} 400 when the text is not a duration. */
export function milliseconds(text: string, name: string): number {
  try {
    return duration(text);
  } catch (error) {
    throw failures.badRequest(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function optionalParameter(request: ExtensionRequest, name: string): string | undefined {
  return request.parameter(name) || undefined;
}

/** @throws {ApiError} 400 when the parameter is missing. */
export function requiredParameter(request: ExtensionRequest, name: string): string {
  const text = request.parameter(name);
  if (text !== undefined && text !== "") return text;
  throw failures.badRequest(`the parameter ${name} is missing`);
}

export function isSet(request: ExtensionRequest, name: "follow" | "reveal" | "failed"): boolean {
  return request.parameter(name) === "true";
}

/** @throws {ApiError} 400 when the body is not a JSON object. */
export async function bodyFields(request: ExtensionRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = (await request.json()) ?? {};
  if (isJsonObject(body)) return body;
  throw failures.badRequest(
    `the body must be a JSON object, not ${Array.isArray(body) ? "an array" : typeof body}`,
  );
}

export function notFoundError(message: string): ApiError {
  return fromStatus({ code: 404, reason: "NotFound", message });
}

export function managementConflict(message: string): ApiError {
  return fromStatus({ code: 409, reason: "Conflict", message });
}
