import type { Origin } from "../../translate/configuration.js";
import { quote, RefusedValue } from "../refusal.js";

/** Regular expression for exactly this text. */
export function exactly(value: string): string {
  return `^${literal(value)}\\z`;
}

/** Regular expression for a text, to be part of another one. */
export function literal(value: string): string {
  return value.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
}

/**
 * Steps for which PCRE tries to match an expression of a user; a path that needs more does not match. Its default is 500 times as many:
 * with it, one request on a host with thousands of expressions would keep a worker, and all requests that it has, busy for minutes.
 */
const matchLimit = 20_000;

/** Regular expression of a user for whole paths. */
export function wholePath(source: string, origin: Origin): string {
  // nginx stores a named group in the variable of that name, which could be one of ours.
  if (/\(\?P?<(?![=!])|\(\?'/.test(source))
    throw new RefusedValue(`the regular expression ${quote(source)} has a named group; use (?:…)`, origin);
  return `(*LIMIT_MATCH=${matchLimit})^(?:${source})\\z`;
}

/**
 * Regular expression for a query string in which the first parameter of that name has that value. Characters other than letters,
 * digits, `-`, `.`, `_` and `~` can be escaped in the query string.
 */
export function queryParameter(name: string, value: string): string {
  const key = escapable(name);
  const others = `(?:(?!${key}(?:=|&|\\z))[^&]*+&)*+`;
  return `^${others}${key}=${escapable(value)}(?:&|\\z)`;
}

/** Regular expression for the raw form of a path below a prefix. Its group is what follows the prefix, from its slash on. */
export function rawPathBelow(prefix: string): string {
  const elements = prefix.split("/").map((element) => escapable(element));
  return `^${elements.join("/+")}(/[^?#]*)(?:[?#]|\\z)`;
}

function escapable(value: string): string {
  return value.replaceAll(/[^A-Za-z0-9\-_~]/gu, (character) => {
    if (character === ".") return String.raw`\.`;
    const forms = [[...Buffer.from(character)].map((byte) => `%${hexadecimal(byte)}`).join("")];
    // A plain "&" ends a parameter.
    if (character !== "&") forms.push(literal(character));
    if (character === " ") forms.push(String.raw`\+`);
    return forms.length === 1 ? forms.join("") : `(?:${forms.join("|")})`;
  });
}

function hexadecimal(byte: number): string {
  const digits = byte.toString(16).padStart(2, "0");
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
