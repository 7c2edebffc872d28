import { asApiError, isNotFound } from "../model/core.js";

/** The object is not there, though its kind is. */
export function isAbsent(error: unknown): boolean {
  return isNotFound(error) && Boolean(asApiError(error)?.status.details?.name);
}

/** There is no such kind at this address; the address may be what is wrong. */
export function isUnserved(error: unknown): boolean {
  return isNotFound(error) && !asApiError(error)?.status.details?.name;
}
