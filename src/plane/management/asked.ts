import { isJsonObject } from "../../model/object/json.js";
import { duration, failures, fromStatus, type ApiError } from "../../model/core.js";
import type { ExtensionRequest } from "../../server/index.js";

/** A whole number of the query, within bounds. */
export function numberAsked(
  request: ExtensionRequest,
  name: string,
  {
    least = 0,
    most,
    otherwise,
  }: { readonly least?: number; readonly most: number; readonly otherwise: number },
): number {
  const text = request.parameter(name);
  if (text === undefined || text === "") return otherwise;
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw failures.badRequest(
    `${name}=${text} cannot be: it has to be a whole number from ${least} to ${most}`,
  );
}

/** A duration of the query, in milliseconds. */
export function durationAsked(
  request: ExtensionRequest,
  name: string,
  { least, otherwise }: { readonly least: number; readonly otherwise: number },
): number {
  const text = request.parameter(name);
  if (text === undefined || text === "") return otherwise;
  return Math.max(least, milliseconds(text, name));
}

/** @throws {ApiError} 400 when it is no duration. */
export function milliseconds(text: string, name: string): number {
  try {
    return duration(text);
  } catch (error) {
    throw failures.badRequest(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A parameter that has to be there. */
export function neededParameter(request: ExtensionRequest, name: string): string {
  const text = request.parameter(name);
  if (text !== undefined && text !== "") return text;
  throw failures.badRequest(`the parameter ${name} is missing`);
}

export function isAsked(request: ExtensionRequest, name: "follow" | "reveal"): boolean {
  return request.parameter(name) === "true";
}

/** The body as an object with fields. */
export async function fieldsAsked(request: ExtensionRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = (await request.json()) ?? {};
  if (isJsonObject(body)) return body;
  throw failures.badRequest(
    `the body has to be a JSON object, not ${Array.isArray(body) ? "a list" : typeof body}`,
  );
}

export function notFound(message: string): ApiError {
  return fromStatus({ code: 404, reason: "NotFound", message });
}

export function conflict(message: string): ApiError {
  return fromStatus({ code: 409, reason: "Conflict", message });
}
