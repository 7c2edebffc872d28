import { isDynamic, renderType, type CelType } from "../types/type.js";
import { celTypeName } from "../values/kind.js";
import { CelList } from "../values/list.js";
import { isMap } from "../values/map.js";
import type { Meter } from "../values/meter.js";
import { renderDouble } from "../values/number.js";
import { decodeUtf8, encodeUtf8 } from "../values/text.js";
import { renderDuration, renderTimestamp } from "../values/time.js";
import { CelError, CelDuration, CelTimestamp, TypeValue, CelUint, type CelValue } from "../values/value.js";

class FormatFault extends Error {
  override readonly name = "FormatFault";
}

/** Part of a template: literal text, or a clause. */
type Piece = string | { readonly verb: string; readonly precision: number | undefined };

const pieceForm = /[^%]+|%(?:%|\.(\d{0,4})([^])|([^])|$)/gu;

function readTemplate(template: string): Piece[] {
  return Array.from(template.matchAll(pieceForm), ([whole, precision, precise, plain]): Piece => {
    if (whole === "%%") return "%";
    if (!whole.startsWith("%")) return whole;
    const verb = precise ?? plain;
    if (verb === undefined) throw new FormatFault("unexpected end of string");
    if (!clauses.has(verb)) {
      throw new FormatFault(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
    }
    return { verb, precision: precision === undefined || precision === "" ? undefined : Number(precision) };
  });
}

interface Clause {
  readonly name: string;
  /** Accepted types, as messages name them and as types. */
  readonly accepted: string;
  readonly kinds: ReadonlySet<CelType["kind"]>;
  /** Renders a value; undefined if the clause does not accept it. */
  write(value: CelValue, precision: number | undefined, meter: Meter): string | undefined;
}

const allKinds = new Set<CelType["kind"]>(
  "string bool bytes int uint double map list type duration timestamp null".split(" ") as CelType["kind"][],
);

const clauses: ReadonlyMap<string, Clause> = new Map<string, Clause>([
  [
    "s",
    {
      name: "string",
      accepted: "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
      kinds: allKinds,
      write: (value, _, meter) => renderValue(value, meter, 0),
    },
  ],
  [
    "d",
    {
      name: "decimal",
      accepted: "integers",
      kinds: new Set<CelType["kind"]>(["int", "uint"]),
      write: (value) => inBase(value, 10),
    },
  ],
  ["f", fixed("fixed-point", (value, digits) => grouped(roundToEven(value, digits)))],
  ["e", fixed("scientific", scientific)],
  [
    "b",
    {
      name: "binary",
      accepted: "integers and bools",
      kinds: new Set<CelType["kind"]>(["int", "uint", "bool"]),
      write: (value) => (typeof value === "boolean" ? (value ? "1" : "0") : inBase(value, 2)),
    },
  ],
  [
    "o",
    {
      name: "octal",
      accepted: "integers",
      kinds: new Set<CelType["kind"]>(["int", "uint"]),
      write: (value) => inBase(value, 8),
    },
  ],
  ["x", hexadecimal((text) => text)],
  ["X", hexadecimal((text) => text.toUpperCase())],
]);

function fixed(name: string, write: (value: number, digits: number) => string): Clause {
  return {
    name,
    accepted: "doubles",
    kinds: new Set<CelType["kind"]>(["double"]),
    write(value, precision) {
      if (typeof value !== "number") return undefined;
      return Number.isFinite(value) ? write(value, Math.min(precision ?? 6, 100)) : renderSpecial(value);
    },
  };
}

function hexadecimal(finish: (text: string) => string): Clause {
  return {
    name: "hex",
    accepted: "integers, byte buffers, and strings",
    kinds: new Set<CelType["kind"]>(["int", "uint", "string", "bytes"]),
    write(value) {
      const bytes = typeof value === "string" ? encodeUtf8(value) : value;
      if (!(bytes instanceof Uint8Array)) {
        const text = inBase(value, 16);
        return text === undefined ? undefined : finish(text);
      }
      return finish(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    },
  };
}

function misused({ name, accepted }: Clause, given: string): string {
  return `error during formatting: ${name} clause can only be used on ${accepted}, was given ${given}`;
}

/** `"%d of %s".format([1, "x"])`. */
export function formatText(meter: Meter, template: string, values: CelList): CelValue {
  let used = 0;
  try {
    const texts = readTemplate(template).map((piece) => {
      if (typeof piece === "string") return piece;
      const value = values.item(used);
      const clause = clauses.get(piece.verb);
      if (value === undefined || !clause) throw new FormatFault(`index ${used} out of range`);
      used++;
      const text = clause.write(value, piece.precision, meter);
      if (text === undefined) throw new FormatFault(misused(clause, celTypeName(value)));
      return text;
    });
    return texts.join("");
  } catch (error) {
    if (error instanceof FormatFault) return new CelError(error.message);
    throw error;
  }
}

/** Checks a template against argument types; `index` is the argument in error. */
export function formatFault(
  template: string,
  given: readonly CelType[],
): { readonly index?: number; readonly message: string } | undefined {
  let used = 0;
  try {
    for (const piece of readTemplate(template)) {
      if (typeof piece === "string") continue;
      const type = given[used];
      const clause = clauses.get(piece.verb);
      if (!type || !clause) return { message: `index ${used} out of range` };
      const isAccepted = isDynamic(type) || type.kind === "param" || clause.kinds.has(type.kind);
      if (!isAccepted) return { index: used, message: misused(clause, renderType(type)) };
      used++;
    }
    return undefined;
  } catch (error) {
    if (error instanceof FormatFault) return { message: error.message };
    throw error;
  }
}

function inBase(value: CelValue, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

function renderSpecial(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "\u221E" : "-\u221E";
}

/** JavaScript rounds half up, Go half to even. */
function roundToEven(value: number, digits: number): string {
  const scaled = Math.abs(value) * 10 ** digits;
  const isHalf = scaled < 2 ** 52 && scaled % 1 === 0.5;
  if (!isHalf || Math.floor(scaled) % 2 === 1) return value.toFixed(digits);
  return ((Math.sign(value) * Math.floor(scaled)) / 10 ** digits).toFixed(digits);
}

/** Groups digits with commas, like Kubernetes. */
function grouped(text: string): string {
  const [head = "", fraction] = text.split(".");
  const withCommas = head.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? withCommas : `${withCommas}.${fraction}`;
}

const raised = "\u2070\u00B9\u00B2\u00B3\u2074\u2075\u2076\u2077\u2078\u2079";

/** Superscript exponent with at least two digits. */
function scientific(value: number, digits: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential(digits).split("e");
  const size = String(Math.abs(Number(exponent))).padStart(2, "0");
  const high = Array.from(size, (digit) => raised[Number(digit)] ?? digit).join("");
  return `${mantissa}\u00D710${Number(exponent) < 0 ? "\u207B" : ""}${high}`;
}

function renderValue(value: CelValue, meter: Meter, depth: number): string | undefined {
  meter.work(10);
  const isInside = depth > 0;
  switch (typeof value) {
    case "string":
      meter.work(value.length / 16);
      return isInside ? JSON.stringify(value) : value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return isInside && Number.isFinite(value) ? value.toFixed(6) : renderDouble(value);
    default:
  }
  if (value === null) return "null";
  if (value instanceof Uint8Array) {
    const text = decodeUtf8(value) ?? "";
    return isInside ? `b${JSON.stringify(text)}` : text;
  }
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelTimestamp) {
    return isInside ? `timestamp("${renderTimestamp(value)}")` : renderTimestamp(value);
  }
  if (value instanceof CelDuration) {
    return isInside ? `duration("${renderDuration(value)}")` : renderDuration(value);
  }
  if (value instanceof TypeValue) return value.name;
  return depth > 100 ? undefined : renderContainer(value, meter, depth + 1);
}

function renderContainer(value: CelValue, meter: Meter, depth: number): string | undefined {
  if (value instanceof CelList) {
    return `[${Array.from(value, (item) => renderValue(item, meter, depth)).join(", ")}]`;
  }
  if (!isMap(value)) return undefined;
  const entries = value.keys().map((key) => {
    return `${renderValue(key, meter, depth)}:${renderValue(value.find(key) ?? null, meter, depth)}`;
  });
  return `{${entries.sort().join(", ")}}`;
}
