import { CelError, type OpaqueValue, type CelValue } from "../values/value.js";
import { overload, type Overload } from "./function.js";

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
const nano = 1_000_000_000n;

/** Kubernetes quantity, in billionths; smaller amounts are rounded up. */
class Quantity implements OpaqueValue {
  readonly typeName = "kubernetes.Quantity";
  constructor(readonly nanos: bigint) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof Quantity && this.nanos === other.nanos;
  }
}

function readQuantity(text: string): Quantity | CelError {
  const [, sign, whole = "", fraction = "", suffix = ""] = form.exec(text) ?? [];
  // Without digits it is zero.
  if (sign === undefined || text === "" || text.length > 100) {
    return new CelError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const scaled = scale(BigInt(whole + fraction || "0"), -fraction.length, suffix);
  if (scaled === undefined) return new CelError("unable to parse quantity's suffix");
  return new Quantity(sign === "-" ? -scaled : scaled);
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

const mostInteger = 2n ** 63n;

function asInteger({ nanos }: Quantity): bigint | undefined {
  const value = nanos / nano;
  return nanos % nano === 0n && value >= -mostInteger && value < mostInteger ? value : undefined;
}

function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** Functions on quantities: `quantity("500m")`. */
export const quantityFunctions: readonly Overload[] = [
  overload("quantity", "string_to_quantity", "(string): quantity", readQuantity),
  overload(
    "isQuantity",
    "is_quantity_string",
    "(string): bool",
    (text: string) => readQuantity(text) instanceof Quantity,
  ),
  overload("sign", "quantity_sign", "(quantity): int", (value: Quantity): CelValue => {
    if (value.nanos === 0n) return 0n;
    return value.nanos < 0n ? -1n : 1n;
  }),
  overload(
    "isGreaterThan",
    "quantity_is_greater_than",
    "quantity.(quantity): bool",
    (a: Quantity, b: Quantity) => {
      return compareQuantities(a, b) > 0;
    },
  ),
  overload("isLessThan", "quantity_is_less_than", "quantity.(quantity): bool", (a: Quantity, b: Quantity) => {
    return compareQuantities(a, b) < 0;
  }),
  overload("compareTo", "quantity_compare_to", "quantity.(quantity): int", (a: Quantity, b: Quantity) =>
    BigInt(compareQuantities(a, b)),
  ),
  overload("asApproximateFloat", "quantity_get_float", "quantity.(): double", ({ nanos }: Quantity) => {
    return Number(nanos / nano) + Number(nanos % nano) / 1e9;
  }),
  overload(
    "asInteger",
    "quantity_get_int",
    "quantity.(): int",
    (value: Quantity) => asInteger(value) ?? new CelError("cannot convert value to integer"),
  ),
  overload("isInteger", "quantity_is_integer", "quantity.(): bool", (value: Quantity) => {
    return asInteger(value) !== undefined;
  }),
  overload("add", "quantity_add", "quantity.(quantity): quantity", (a: Quantity, b: Quantity) => {
    return new Quantity(a.nanos + b.nanos);
  }),
  overload("add", "quantity_add_int", "quantity.(int): quantity", (a: Quantity, b: bigint) => {
    return new Quantity(a.nanos + b * nano);
  }),
  overload("sub", "quantity_sub", "quantity.(quantity): quantity", (a: Quantity, b: Quantity) => {
    return new Quantity(a.nanos - b.nanos);
  }),
  overload("sub", "quantity_sub_int", "quantity.(int): quantity", (a: Quantity, b: bigint) => {
    return new Quantity(a.nanos - b * nano);
  }),
];
