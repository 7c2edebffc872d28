import { failures } from "../../../model/core.js";
import { firstValue, type Query } from "./query.js";

const units = new Map([
  ["ns", 1e-6],
  ["us", 1e-3],
  ["µs", 1e-3],
  ["μs", 1e-3],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
// Unambiguous on purpose: otherwise a long number without a unit would take quadratic time (ReDoS).
const whole = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h)/;
const part = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Timeout requested by the client (`timeout=10s`) in milliseconds; undefined without one. */
export function timeoutOf(query: Query): number | undefined {
  const text = firstValue(query, "timeout");
  if (text === undefined || text === "" || text === "0") return undefined;
  let milliseconds = 0;
  part.lastIndex = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
  while (part.lastIndex < text.length) {
    const found = whole.test(text) ? part.exec(text) : null;
    if (found === null) {
      throw failures.badRequest(
        `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`,
      );
    }
    milliseconds += Number(found[1]) * (units.get(found[2] ?? "") ?? 0);
  }
  return text.startsWith("-") || milliseconds === 0 ? undefined : milliseconds;
}
