import { failures } from "../../../model/core.js";

/** Query parameters by name, with all values in order. */
export type Query = ReadonlyMap<string, readonly string[]>;

const empty: Query = new Map();

/** Parses a query string without the question mark. Throws a 400 for malformed escapes. */
export function parseQuery(text: string): Query {
  if (text === "") return empty;
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

/** First value of a parameter. */
export function firstValue(query: Query, name: string): string | undefined {
  return query.get(name)?.[0];
}

/** Boolean parameter as in Kubernetes: any value but `0` and `false` means true. */
export function booleanOf(query: Query, name: string): boolean | undefined {
  const text = firstValue(query, name);
  if (text === undefined) return undefined;
  return text !== "0" && text.toLowerCase() !== "false";
}

const integer = /^[+-]?[0-9]+$/;
const maxInteger = 2n ** 63n - 1n;

/** 64-bit integer parameter. Throws a 400 for anything else. */
export function integerOf(query: Query, name: string): number | undefined {
  const text = firstValue(query, name);
  if (text === undefined) return undefined;
  if (!integer.test(text)) throw notANumber(text, "invalid syntax");
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length > 19 || BigInt(digits || "0") > maxInteger) throw notANumber(text, "value out of range");
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
