import * as types from "./type.js";
import type { CelType } from "./type.js";

/** Parameters and result of an overload. */
export interface Signature {
  /** True if the first parameter is the receiver. */
  readonly isMember: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  /** Names of type parameters. */
  readonly free: readonly string[];
}

const plain = new Map<string, CelType>(
  [
    types.dyn,
    types.bool,
    types.int,
    types.uint,
    types.double,
    types.string,
    types.bytes,
    types.timestamp,
    types.duration,
  ].map((type) => [type.name, type]),
);

const opaque = new Map<string, CelType>([
  ["quantity", types.struct("kubernetes.Quantity")],
  ["url", types.struct("kubernetes.URL")],
  ["format", types.struct("kubernetes.NamedFormat")],
  ["ip", { kind: "opaque", name: "net.IP", params: [] }],
  ["cidr", { kind: "opaque", name: "net.CIDR", params: [] }],
]);

/**
 * Parses the declaration of an overload. Capital letters are type parameters.
 *
 * @example
 * readSignature("list(A).(A): int"); // list.indexOf(item)
 */
export function readSignature(text: string): Signature {
  const [, target, args = "", result = ""] =
    /^(?:([^.]*(?:\([^.]*\))?)\.)?\(([^]*)\): (.*)$/.exec(text) ?? [];
  const free = new Set<string>();
  const read = (part: string): CelType => readType(part.trim(), free);
  const params = split(args).map(read);
  if (target !== undefined) params.unshift(read(target));
  return { isMember: target !== undefined, params, result: read(result), free: [...free] };
}

/** Splits at commas outside of parentheses. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return part.trim() === "" ? parts : [...parts, part];
}

function readType(text: string, free: Set<string>): CelType {
  const named = plain.get(text) ?? opaque.get(text);
  if (named) return named;
  if (/^[A-Z]$/.test(text)) {
    free.add(text);
    return types.param(text);
  }
  const [, name, inner = ""] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const [first = types.dyn, second = types.dyn] = split(inner).map((part) => readType(part.trim(), free));
  switch (name) {
    case "list":
      return types.listOf(first);
    case "map":
      return types.mapOf(first, second);
    case "type":
      return types.typeOf(first);
    case "optional":
      return types.optionalOf(first);
    default:
      throw new Error(`no such type in a signature: ${text}`);
  }
}
