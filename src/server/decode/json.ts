import { isUtf8 } from "node:buffer";
import type { Json } from "../../model/core.js";
import type { Body } from "./decoded-body.js";
import { asBadRequest } from "./bad-request.js";
import { DecodeError } from "./decode-error.js";
import { type DecodeLimits, defaultLimits } from "./decode-limits.js";
import { scanJson } from "./json-scanner.js";

export interface JsonOptions {
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** Whether to look for keys that a map has twice; it costs about as much again. */
  readonly duplicates?: boolean | undefined;
}

/**
 * Reads a JSON body.
 *
 * Where JSON in JavaScript is not JSON in Go:
 * - Integers that a 64-bit float cannot hold are refused and never rounded; so are numbers beyond its range.
 * - Half of a surrogate pair (`\ud800`) becomes U+FFFD, as in Go. What is not UTF-8 is refused, where Go replaces it.
 * - A field `__proto__` is an own field like any other; Kubernetes allows it as a key of a ConfigMap. Spreads,
 *   `Object.keys` and `JSON.stringify` treat it as one. Only `target[key] = value` and `Object.assign` would take it
 *   for the prototype: code that copies fields one by one uses `setOwn`.
 * - Of a key that a map has twice the last value counts, and `duplicates` can be had.
 *
 * @throws {ApiError} 400 for what cannot be read.
 */
export function decodeJson(bytes: Uint8Array, options: JsonOptions = {}): Body {
  try {
    return parseJson(textOf(bytes), options);
  } catch (error) {
    throw asBadRequest(error, (problem, syntax) => (syntax ? `json parse error: ${problem}` : problem));
  }
}

/** The text in UTF-8 bytes. A byte order mark stays: it is an error in JSON, and none in YAML. */
export function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new DecodeError("syntax", `invalid UTF-8 at byte ${firstBadByte(bytes)}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** {@link decodeJson} for a text, throwing {@link DecodeError}. */
export function parseJson(given: string, { limits, duplicates = false }: JsonOptions): Body {
  const text =
    given.includes("\\u") && halfSurrogate.test(given) ? given.replace(escapes, wholeCharacters) : given;
  const maxDepth = limits?.depth ?? defaultLimits.depth;
  const found = duplicates || needsScan(text, maxDepth) ? scanJson(text, { maxDepth, duplicates }) : [];
  const object = parse(text, maxDepth);
  return found.length > 0 ? { object, duplicates: found } : { object };
}

function parse(text: string, maxDepth: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    scanJson(text, { maxDepth, duplicates: false });
    throw error;
  }
}

/** A number that may be too large or have too many digits, or a text that looks like one. */
const unusualNumber = /(?:^|[:,[\s])-?(?:[0-9]{16}|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3})/;
/** The heart of it, which is quicker to look for. */
const unusualDigits = /[0-9]{16}|[0-9][eE]\+?[0-9]{3}/;

/** Whether there is something that only the scanner can tell. Nearly never, and quick to know. */
function needsScan(text: string, maxDepth: number): boolean {
  if (unusualDigits.test(text) && unusualNumber.test(text)) return true;
  return hasMoreThan(maxDepth, "{", "[", text);
}

/** Whether two characters together occur more often than that: a text with fewer brackets cannot be deeper. */
function hasMoreThan(limit: number, one: string, other: string, text: string): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const character of [one, other]) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      if (++count > limit) return true;
    }
  }
  return false;
}

const halfSurrogate = /\\u[dD][89a-fA-F]/;
const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

function wholeCharacters(escape: string, half: string | undefined): string {
  return half === undefined ? escape : "\\ufffd";
}

/** Where UTF-8 ends: at the first replacement character of the lenient decoder that was none before. */
function firstBadByte(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf("\ufffd"); at >= 0; at = text.indexOf("\ufffd", from)) {
    offset += Buffer.byteLength(text.slice(from, at));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) break;
    offset += 3;
    from = at + 1;
  }
  return offset;
}
