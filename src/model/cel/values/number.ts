import { CelError, CelUint } from "./value.js";

const intLimit = 2n ** 63n;

/** Checks that an integer fits into 64 bits. */
export function checkedInt(value: bigint): bigint | CelError {
  return value >= -intLimit && value < intLimit ? value : new CelError("integer overflow");
}

/** Checks that an unsigned integer fits into 64 bits. */
export function checkedUint(value: bigint): CelUint | CelError {
  return value >= 0n && value < 2n * intLimit
    ? new CelUint(value)
    : new CelError("unsigned integer overflow");
}

/** Renders a double like Go's `%g`. */
export function renderDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
