import { failures } from "../../../model/core.js";
import type { Controllers } from "../../../runtime/start/start-controllers.js";
import type { BreakerList, BreakerResetRequest, BreakerResetResult } from "../contract.js";
import { notFoundError } from "../parameters.js";

export function breakerList({ breakers }: Pick<Controllers, "breakers">): BreakerList {
  return { breakers: Array.from(breakers, (each) => each.snapshot()).sort(byName) };
}

/** @throws {ApiError} 400 when a field is unknown or not a string. */
export function breakerResetRequest(fields: Readonly<Record<string, unknown>>): BreakerResetRequest {
  for (const [field, value] of Object.entries(fields)) {
    if (field !== "name") throw failures.badRequest(`unknown field ${field}: the field is name`);
    if (typeof value !== "string") throw failures.badRequest("name must be a string");
  }
  return fields;
}

/** @throws {ApiError} 404 when there is no breaker of that name. */
export function resetBreakers(
  { breakers }: Pick<Controllers, "breakers">,
  { name }: BreakerResetRequest,
): BreakerResetResult {
  const selected = [...breakers].filter((each) => name === undefined || each.name === name);
  if (name !== undefined && selected.length === 0) {
    const names = Array.from(breakers, (each) => each.name).sort();
    throw notFoundError(
      `there is no breaker ${JSON.stringify(name)}; the breakers are: ${names.join(", ") || "none, as no call has gone through one"}`,
    );
  }
  const reset = selected.map((each) => each.snapshot()).sort(byName);
  for (const breaker of selected) breaker.reset();
  return { reset };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
