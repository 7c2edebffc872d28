import { parseQuantity } from "../../object/quantity.js";
import { CelError, type OpaqueValue, type CelValue } from "../values/value.js";
import { overload, type Overload } from "./function.js";

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
  const nanos = parseQuantity(text);
  if (nanos === "form") {
    return new CelError(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  return nanos === "suffix" ? new CelError("unable to parse quantity's suffix") : new Quantity(nanos);
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
