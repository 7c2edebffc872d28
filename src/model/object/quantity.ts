const form = /^([+-]?)(\d*)(?:\.(\d*))?((?:[KMGTPE]i)|[numkMGTPE]|[eE][+-]?\d+)?$/;
const decimalSuffixes = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const binarySuffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const maxLength = 100;

/**
 * Converts a quantity of Kubernetes to a number. Throws if it is malformed.
 *
 * @example
 * quantity("128Mi"); // 134217728
 * quantity("500m"); // 0.5
 */
export function quantity(value: number | string): number {
  if (typeof value === "number") return value;
  const nanos = value === "" ? undefined : parseQuantity(value);
  if (typeof nanos !== "bigint") {
    throw new SyntaxError(
      `invalid quantity ${JSON.stringify(value)}: use a number with an optional suffix, such as "500m", "2" or "128Mi"`,
    );
  }
  return Number(nanos) / 1e9;
}

/**
 * Converts a quantity to billionths; smaller amounts are rounded up. Text without digits is zero, as in Kubernetes. Returns
 * `"form"` or `"suffix"` for the part that is malformed.
 */
export function parseQuantity(text: string): bigint | "form" | "suffix" {
  const [, sign, whole = "", fraction = "", suffix = ""] = form.exec(text) ?? [];
  if (sign === undefined || text === "" || text.length > maxLength) return "form";
  const scaled = scale(BigInt(whole + fraction || "0"), -fraction.length, suffix);
  if (scaled === undefined) return "suffix";
  return sign === "-" ? -scaled : scaled;
}

/** Converts digits with an exponent and a suffix to billionths. */
function scale(digits: bigint, exponent: number, suffix: string): bigint | undefined {
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return roundUp(digits * 1024n ** BigInt(binary + 1), exponent + 9);
  const power =
    /^[eE]/.test(suffix) && suffix.length > 1 ? Number(suffix.slice(1)) : decimalSuffixes.get(suffix);
  if (suffix !== "" && (power === undefined || Math.abs(power) > 400)) return undefined;
  return roundUp(digits, exponent + (power ?? 0) + 9);
}

function roundUp(digits: bigint, exponent: number): bigint {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (digits + divisor - 1n) / divisor;
}
