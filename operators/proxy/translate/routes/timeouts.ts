import { duration } from "fettle";
import type { RouteRule } from "../../kinds/gateway-api.js";
import type { Checked } from "./paths.js";

/** Durations of the Gateway API: a subset of Go's. */
const format = /^(?:\d{1,5}(?:h|m|s|ms)){1,4}$/;
/** Longest time that nginx can measure; the Gateway API lets us use it for longer ones. */
const longest = 2 ** 31 - 1;

/**
 * Milliseconds for the response of a backend: nginx has one time limit, so the shorter of the two counts. 0 means no limit,
 * undefined the default of nginx.
 */
export function compileTimeouts(timeouts: RouteRule["timeouts"]): Checked<number | undefined> {
  if (timeouts === undefined) return { value: undefined };
  const limits: number[] = [];
  for (const field of ["request", "backendRequest"] as const) {
    const text = timeouts[field];
    if (text === undefined) continue;
    if (!format.test(text)) {
      return {
        fault: `timeouts.${field}: ${JSON.stringify(text)} is not a duration such as 500ms, 10s or 1m30s`,
      };
    }
    limits.push(Math.min(duration(text), longest));
  }
  const [request, backendRequest] = limits;
  if (request !== undefined && backendRequest !== undefined && request > 0 && backendRequest > request) {
    return { fault: "timeouts.backendRequest must not be longer than timeouts.request" };
  }
  if (limits.length === 0) return { value: undefined };
  const limited = limits.filter((limit) => limit > 0);
  return { value: limited.length === 0 ? 0 : Math.min(...limited) };
}
