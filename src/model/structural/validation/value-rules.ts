import { renderBadValue } from "../../object/bad-value.js";
import { notSupported, tooLong } from "../../object/field-errors.js";
import { type Json, jsonEqual } from "../../object/json.js";
import { quote } from "../../object/quote.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import type { ErrorCollector } from "./error-collector.js";
import { formatCheck } from "../../formats/formats.js";
import { compilePattern } from "../../regex/pattern.js";
import { characterCount, isNearlyInteger, jsonKind, type ValueKind } from "./value-kind.js";

/** Validates a value and adds errors. */
type Check<Value> = (value: Value, collector: ErrorCollector) => void;

/** Rules of a schema for the value itself, apart from its fields and items. */
export interface ValueRules {
  readonly type: ((value: Json, kind: ValueKind, collector: ErrorCollector) => void) | undefined;
  readonly text: Check<string> | undefined;
  readonly format: Check<string> | undefined;
  readonly number: Check<number> | undefined;
  readonly choice: Check<Json> | undefined;
  /** True if the schema has anyOf, oneOf, allOf or not. */
  readonly combines: boolean;
}

/** Compiles the rules of a schema. */
export function compileRules(schema: StructuralSchema): ValueRules {
  return {
    type: compileType(schema),
    text: compileText(schema),
    format: compileFormat(schema),
    number: compileNumber(schema),
    choice: compileChoice(schema),
    combines: Boolean(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.not),
  };
}

/** Kubernetes' names for numbers where a format was expected. */
const ownFormats: Partial<Record<ValueKind, string>> = { integer: "int64", number: "float64" };

function compileType(schema: StructuralSchema): ValueRules["type"] {
  const { type, nullable } = schema;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const types: readonly string[] = isIntOrString ? ["integer", "string"] : type ? [type] : [];
  const format = schema.format && formatCheck(schema.format) ? schema.format : undefined;
  if (types.length === 0 && format === undefined) return undefined;
  const expected = types.join();

  const fits = (value: Json, kind: ValueKind): boolean => {
    if (kind === "null") return types.length === 0 || nullable === true;
    if (types.includes(kind)) return true;
    if (kind === "integer") return types.includes("number");
    if (kind === "number") return types.includes("integer") && isNearlyInteger(value as number);
    // A format without a type allows strings and lists.
    return types.length === 0 && (kind === "string" || kind === "array");
  };

  return (value, kind, collector) => {
    if (fits(value, kind)) collector.checks++;
    else if (format === undefined || kind === "null" || kind === "string" || kind === "array") {
      wrongType(expected, kind, collector);
    } else wrongType(format, ownFormats[kind] ?? "", collector);
  };
}

function wrongType(expected: string, actual: string, collector: ErrorCollector): void {
  collector.typeInvalid(actual, `must be of type ${expected}: ${quote(actual)}`);
}

function compileText(schema: StructuralSchema): Check<string> | undefined {
  const { maxLength, minLength, pattern } = schema;
  if (maxLength === undefined && minLength === undefined && !pattern) return undefined;
  const expression = pattern ? compilePattern(pattern) : undefined;
  // Kubernetes reports only the first error.
  return (value, collector) => {
    if (maxLength !== undefined && value.length > maxLength && characterCount(value) > maxLength) {
      collector.errors.push(tooLong(collector.path.field(), maxLength));
    } else if (minLength !== undefined && value.length < 2 * minLength && characterCount(value) < minLength) {
      collector.invalid(value, `should be at least ${minLength} chars long`);
    } else if (expression?.fault !== undefined) {
      collector.invalid(value, `should match '${pattern}, but pattern is invalid: ${expression.fault}'`);
    } else if (expression) {
      const matches = expression.matches(value);
      if (matches === undefined) collector.invalid(value, `is too long to be matched with '${pattern}'`);
      else if (!matches) collector.invalid(value, `should match '${pattern}'`);
    }
  };
}

function compileFormat({ format }: StructuralSchema): Check<string> | undefined {
  const check = format ? formatCheck(format) : undefined;
  if (!check) return undefined;
  return (value, collector) => {
    if (!check(value)) collector.typeInvalid(value, `must be of type ${format}: ${quote(value)}`);
  };
}

function compileNumber(schema: StructuralSchema): Check<number> | undefined {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  if (minimum === undefined && maximum === undefined && multipleOf === undefined) return undefined;
  return (value, collector) => {
    if (multipleOf !== undefined) checkMultiple(value, multipleOf, collector);
    if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
      const relation = exclusiveMinimum ? "greater than" : "greater than or equal to";
      collector.invalid(value, `should be ${relation} ${renderLimit(minimum, value)}`);
    }
    if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
      const relation = exclusiveMaximum ? "less than" : "less than or equal to";
      collector.invalid(value, `should be ${relation} ${renderLimit(maximum, value)}`);
    }
  };
}

function checkMultiple(value: number, factor: number, collector: ErrorCollector): void {
  if (!(factor > 0)) {
    const path = collector.path.dotted();
    const detail = `factor MultipleOf declared for ${path} must be positive: ${renderLimit(factor, value)}`;
    collector.errors.push({
      type: "FieldValueInvalid",
      field: collector.path.field(),
      badValue: factor,
      detail,
    });
  } else if (!isMultiple(value, factor)) {
    collector.invalid(value, `should be a multiple of ${renderLimit(factor, value)}`);
  }
}

function isMultiple(value: number, factor: number): boolean {
  if (jsonKind(value) === "integer" && Number.isInteger(factor)) return value % factor === 0;
  return isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/**
 * Renders a limit like Go: as an integer beside an integer, otherwise as a float, which uses an exponent
 * early.
 *
 * Kubernetes truncates a limit before comparing an integer with it, so that 1 satisfies a minimum of 1.5
 * while 1.0 does not. 1 and 1.0 are the same here, and both are compared like 1.0.
 */
function renderLimit(limit: number, value: number): string {
  if (jsonKind(value) === "integer" && jsonKind(limit) === "integer") return BigInt(limit).toString();
  const size = Math.abs(limit);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(limit);
  return limit.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

function compileChoice(schema: StructuralSchema): Check<Json> | undefined {
  const { enum: values } = schema;
  if (!values || values.length === 0) return undefined;
  const plain = new Set<Json>(values.filter((value) => typeof value !== "object"));
  const containers = values.filter((value) => typeof value === "object" && value !== null);
  return (value, collector) => {
    // Null never matches, even if it is listed: Kubernetes finds no equal value.
    if (plain.has(value) || (value !== null && containers.some((choice) => jsonEqual(choice, value)))) return;
    const supported = values.map((choice) => (typeof choice === "string" ? choice : renderBadValue(choice)));
    collector.errors.push(notSupported(collector.path.field(), value, supported));
  };
}
