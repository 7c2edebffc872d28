import { failures } from "../../../model/core.js";

/** The parameters of a request by name; of those that are given twice, most mean the first. */
export type Query = ReadonlyMap<string, readonly string[]>;

const none: Query = new Map();

/** Reads what stands behind the question mark. Throws a 400 for escapes that are none. */
export function parseQuery(text: string): Query {
  if (text === "") return none;
  const query = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : unescape(pair.slice(equals + 1));
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

/** The first value of a parameter. */
export function textOf(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Like Kubernetes: given in any form but `0` and `false` means true. */
export function booleanOf(query: Query, name: string): boolean | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  return text !== "0" && text.toLowerCase() !== "false";
}

const integer = /^[+-]?[0-9]+$/;
const largest = 2n ** 63n - 1n;

/** A whole number of 64 bits. Throws a 400 for anything else. */
export function integerOf(query: Query, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (!integer.test(text)) throw notANumber(text, "invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 19 || BigInt(digits || "0") > largest) throw notANumber(text, "value out of range");
  return Number(text);
}

function notANumber(text: string, why: string): Error {
  return failures.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
}

function unescape(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw failures.badRequest(`the query parameter ${JSON.stringify(text)} has an invalid URL escape`);
  }
}
