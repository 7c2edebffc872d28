import { CelError, CelUint } from "./value.js";

const largest = 2n ** 63n;

/** A whole number if it fits into 64 bits. */
export function checkedInt(value: bigint): bigint | CelError {
  return value >= -largest && value < largest ? value : new CelError("integer overflow");
}

/** A whole number without a sign if it fits into 64 bits. */
export function checkedUint(value: bigint): CelUint | CelError {
  return value >= 0n && value < 2n * largest ? new CelUint(value) : new CelError("unsigned integer overflow");
}

/** A double as Go's `%g` writes it. */
export function renderDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
