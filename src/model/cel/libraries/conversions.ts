import { celTypeName } from "../values/kind.js";
import { checkedInt, checkedUint, renderDouble } from "../values/number.js";
import { decodeUtf8, encodeUtf8 } from "../values/text.js";
import {
  checkedDuration,
  checkedTimestamp,
  readDuration,
  readTimestamp,
  renderDuration,
  renderTimestamp,
} from "../values/time.js";
import {
  CelError,
  CelDuration,
  type CelTimestamp,
  TypeValue,
  CelUint,
  type CelValue,
} from "../values/value.js";
import { overload, type Overload } from "./function.js";

const same = (value: CelValue): CelValue => value;

function cannot(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

const trues = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const falses = new Set(["0", "f", "F", "false", "FALSE", "False"]);
// Unambiguous, so that matching takes linear time.
const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?(?:inf|infinity)$|^nan$/i;

function readDouble(text: string): CelValue {
  if (!decimal.test(text) || text.includes("_")) return cannot("string", "double");
  if (/inf/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const value = Number(text.toLowerCase() === "nan" ? "NaN" : text);
  return Number.isFinite(value) || Number.isNaN(value) ? value : cannot("string", "double");
}

/** Truncates a double, if the integer is in range. */
function truncate(value: number, least: number, most: number): bigint | undefined {
  return Number.isFinite(value) && value > least && value < most ? BigInt(Math.trunc(value)) : undefined;
}

function readInt(text: string): CelValue {
  if (!/^[+-]?\d+$/.test(text) || text.length > 1000) return cannot("string", "int");
  const value = checkedInt(BigInt(text.replace("+", "")));
  return value instanceof CelError ? cannot("string", "int") : value;
}

function readUint(text: string): CelValue {
  if (!/^\d+$/.test(text) || text.length > 1000) return cannot("string", "uint");
  const value = checkedUint(BigInt(text));
  return value instanceof CelError ? cannot("string", "uint") : value;
}

/** Type conversions. */
export const conversionFunctions: readonly Overload[] = [
  overload("type", "type", "(A): type(A)", (value: CelValue) => new TypeValue(celTypeName(value))),
  overload("dyn", "to_dyn", "(A): dyn", same),

  overload("bool", "bool_to_bool", "(bool): bool", same),
  overload("bool", "string_to_bool", "(string): bool", (text: string) => {
    if (trues.has(text)) return true;
    return falses.has(text) ? false : cannot("string", "bool");
  }),

  overload("bytes", "bytes_to_bytes", "(bytes): bytes", same),
  overload("bytes", "string_to_bytes", "(string): bytes", encodeUtf8),

  overload("double", "double_to_double", "(double): double", same),
  overload("double", "int64_to_double", "(int): double", (value: bigint) => Number(value)),
  overload("double", "string_to_double", "(string): double", readDouble),
  overload("double", "uint64_to_double", "(uint): double", (value: CelUint) => Number(value.value)),

  overload("duration", "duration_to_duration", "(duration): duration", same),
  overload("duration", "int64_to_duration", "(int): duration", (value: bigint) => checkedDuration(value)),
  overload("duration", "string_to_duration", "(string): duration", (text: string) => {
    const value = readDuration(text);
    return value === undefined ? cannot("string", "google.protobuf.Duration") : new CelDuration(value);
  }),

  overload("int", "int64_to_int64", "(int): int", same),
  overload(
    "int",
    "double_to_int64",
    "(double): int",
    (value: number) => truncate(value, -(2 ** 63), 2 ** 63) ?? new CelError("integer overflow"),
  ),
  overload("int", "duration_to_int64", "(duration): int", (value: CelDuration) => value.nanoseconds),
  overload("int", "string_to_int64", "(string): int", readInt),
  overload("int", "timestamp_to_int64", "(timestamp): int", ({ nanoseconds }: CelTimestamp) => {
    const seconds = nanoseconds / 1_000_000_000n;
    return nanoseconds < seconds * 1_000_000_000n ? seconds - 1n : seconds;
  }),
  overload("int", "uint64_to_int64", "(uint): int", (value: CelUint) => checkedInt(value.value)),

  overload("string", "string_to_string", "(string): string", same),
  overload("string", "bool_to_string", "(bool): string", String),
  overload(
    "string",
    "bytes_to_string",
    "(bytes): string",
    (value: Uint8Array) =>
      decodeUtf8(value) ?? new CelError("invalid UTF-8 in bytes, cannot convert to string"),
  ),
  overload("string", "double_to_string", "(double): string", renderDouble),
  overload("string", "duration_to_string", "(duration): string", renderDuration),
  overload("string", "int64_to_string", "(int): string", (value: bigint) => value.toString()),
  overload("string", "timestamp_to_string", "(timestamp): string", renderTimestamp),
  overload("string", "uint64_to_string", "(uint): string", (value: CelUint) => value.value.toString()),

  overload("timestamp", "timestamp_to_timestamp", "(timestamp): timestamp", same),
  overload("timestamp", "int64_to_timestamp", "(int): timestamp", (value: bigint) =>
    checkedTimestamp(value * 1_000_000_000n),
  ),
  overload("timestamp", "string_to_timestamp", "(string): timestamp", (text: string) => {
    const value = readTimestamp(text);
    return value === undefined ? cannot("string", "google.protobuf.Timestamp") : checkedTimestamp(value);
  }),

  overload("uint", "uint64_to_uint64", "(uint): uint", same),
  overload("uint", "double_to_uint64", "(double): uint", (value: number) => {
    const whole = truncate(value, -1, 2 ** 64);
    return whole === undefined || value < 0 ? new CelError("unsigned integer overflow") : new CelUint(whole);
  }),
  overload("uint", "int64_to_uint64", "(int): uint", (value: bigint) => checkedUint(value)),
  overload("uint", "string_to_uint64", "(string): uint", readUint),
];
