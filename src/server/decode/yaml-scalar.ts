import { DecodeError } from "./decode-error.js";

/** Resolved YAML scalar. `inexact` marks integers that a 64-bit float cannot represent. */
export type YamlScalar =
  | { readonly type: "null"; readonly value: null }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: number; readonly inexact: boolean }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "str"; readonly value: string };

const words = new Map<string, YamlScalar>();

function addWords(scalar: YamlScalar, ...texts: string[]): void {
  for (const text of texts) words.set(text, scalar);
}

// YAML 1.1 as Kubernetes reads it: yes, no, on, off, y and n are booleans.
addWords(
  { type: "bool", value: true },
  "y",
  "Y",
  "yes",
  "Yes",
  "YES",
  "true",
  "True",
  "TRUE",
  "on",
  "On",
  "ON",
);
addWords(
  { type: "bool", value: false },
  "n",
  "N",
  "no",
  "No",
  "NO",
  "false",
  "False",
  "FALSE",
  "off",
  "Off",
  "OFF",
);
addWords({ type: "null", value: null }, "", "~", "null", "Null", "NULL");
addWords({ type: "float", value: NaN }, ".nan", ".NaN", ".NAN");
addWords({ type: "float", value: Infinity }, ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF");
addWords({ type: "float", value: -Infinity }, "-.inf", "-.Inf", "-.INF");

const numberStart = /^[-+.0-9]/;
const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * Resolves a scalar without quotes and tag by the rules of YAML 1.1, except that sexagesimal numbers and timestamps stay
 * strings.
 */
export function resolvePlain(text: string): YamlScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (!numberStart.test(text)) return { type: "str", value: text };
  // Underscores in numbers are digit separators.
  const digits = text.replaceAll("_", "");
  return resolveInteger(digits) ?? resolveFloat(digits) ?? { type: "str", value: text };
}

function resolveInteger(text: string): YamlScalar | undefined {
  const [, sign, hex, binary, octal, decimal] = integer.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const magnitude =
    decimal === undefined
      ? (sixtyFourBits("0x", hex) ?? sixtyFourBits("0b", binary) ?? sixtyFourBits("0o", octal))
      : Number(decimal);
  if (magnitude === undefined) return undefined;
  const value = sign === "-" && magnitude !== 0 ? -magnitude : magnitude;
  const inexact = !Number.isSafeInteger(value) && String(magnitude) !== decimal;
  return { type: "int", value, inexact };
}

/** Integers in hexadecimal, binary or octal notation are limited to 64 bits; longer ones are strings. */
function sixtyFourBits(prefix: string, digits: string | undefined): number | undefined {
  if (digits === undefined || digits.length > 64) return undefined;
  const value = BigInt(prefix + digits);
  return value < 2n ** 64n ? Number(value) : undefined;
}

function resolveFloat(text: string): YamlScalar | undefined {
  if (!float.test(text)) return undefined;
  const value = Number(text);
  // As in Kubernetes, 1e400 is a string.
  return Number.isFinite(value) ? { type: "float", value } : undefined;
}

const prefix = "tag:yaml.org,2002:";

/** Resolves a scalar with a tag, quoted or not. Tags other than YAML's own make it a string. */
export function resolveTagged(tag: string, text: string, place: string): YamlScalar {
  const type = tag.startsWith(prefix) ? tag.slice(prefix.length) : "";
  switch (type) {
    case "binary":
      return { type: "str", value: Buffer.from(text, "base64").toString() };
    case "null":
    case "bool":
    case "int":
    case "float": {
      const scalar = resolvePlain(text);
      if (scalar.type === type) return scalar;
      if (scalar.type === "int" && type === "float") return { type: "float", value: scalar.value };
      const excerpt = text.length > 40 ? `${text.slice(0, 40)}…` : text;
      throw new DecodeError(
        "syntax",
        `yaml: ${place}: cannot decode !!${scalar.type} \`${excerpt}\` as a !!${type}`,
      );
    }
    default:
      return { type: "str", value: text };
  }
}

/** Field name for a float used as a key: the shortest representation in 32 bits, in Go's `%g` format. */
export function floatKey(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return value > 0 ? ".inf" : "-.inf";
  if (single === 0) return Object.is(value, -0) ? "-0" : "0";
  let shortest = single.toExponential();
  for (let digits = 0; digits < 9; digits++) {
    shortest = single.toExponential(digits);
    if (Math.fround(Number(shortest)) === single) break;
  }
  const [mantissa = "", exponent = ""] = shortest.split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDecimal(mantissa, power);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function plainDecimal(mantissa: string, power: number): string {
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, "0");
  const rest = digits.slice(power + 1);
  return `${sign}${whole}${rest === "" ? "" : `.${rest}`}`;
}
