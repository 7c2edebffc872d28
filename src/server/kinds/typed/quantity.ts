const form = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]?|[eE][+-]?\d+)$/;

type Style = "binary" | "decimal" | "exponent";

interface Quantity {
  /** In billionths; Kubernetes rounds up beyond that. */
  readonly nanos: bigint;
  readonly style: Style;
}

const decimals: readonly string[] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binaries: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Canonical form of a quantity: `1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`. */
export function canonicalQuantity(text: string): string {
  const quantity = parse(text);
  if (quantity === undefined) return text;
  const { nanos, style } = quantity;
  if (nanos === 0n) return "0";
  const [sign, size] = nanos < 0n ? ["-", -nanos] : ["", nanos];
  // Small and fractional quantities have no binary form.
  const whole = size % billion === 0n;
  if (style === "binary" && whole && size >= 1024n * billion) return sign + inBinary(size / billion);
  return sign + inDecimal(size, style === "exponent");
}

/** Negative when the first quantity is smaller, 0 when both are equal. */
export function compareQuantities(left: string, right: string): number {
  const difference = (parse(left)?.nanos ?? 0n) - (parse(right)?.nanos ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const billion = 1_000_000_000n;

function parse(text: string): Quantity | undefined {
  const [, sign = "", whole = "", part = "", suffix = ""] = form.exec(text.trim()) ?? [];
  // Numbers with so many digits are not meaningful, and slow to parse.
  const length = whole.length + part.length;
  if (length === 0 || length > 1000) return undefined;
  const digits = BigInt(whole + part);
  const binary = binaries.indexOf(suffix);
  const exponent = suffix.length > 1 && binary < 0 ? Number(suffix.slice(1)) : undefined;
  // Such exponents are not meaningful, and slow to expand.
  if (exponent !== undefined && Math.abs(exponent) > 1000) return undefined;
  const tens = exponent ?? (binary > 0 ? 0 : (decimals.indexOf(suffix) - 3) * 3);
  const twos = binary > 0 ? 2n ** (10n * BigInt(binary)) : 1n;
  const shift = tens + 9 - part.length;
  const scaled =
    shift >= 0 ? digits * twos * 10n ** BigInt(shift) : ceilDivide(digits * twos, 10n ** BigInt(-shift));
  const style = binary > 0 ? "binary" : exponent === undefined ? "decimal" : "exponent";
  return { nanos: sign === "-" ? -scaled : scaled, style };
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function inBinary(value: bigint): string {
  let index = 0;
  let rest = value;
  for (; rest % 1024n === 0n && index < binaries.length - 1; index++) rest /= 1024n;
  return `${rest}${binaries[index]}`;
}

function inDecimal(nanos: bigint, exponent: boolean): string {
  let index = 0;
  let rest = nanos;
  const last = exponent ? Number.POSITIVE_INFINITY : decimals.length - 1;
  for (; rest % 1000n === 0n && index < last; index++) rest /= 1000n;
  if (!exponent) return `${rest}${decimals[index]}`;
  return index === 3 ? String(rest) : `${rest}e${(index - 3) * 3}`;
}
