import { isUtf8 } from "node:buffer";
import type { Json } from "../../model/core.js";
import type { Body } from "./decoded-body.js";
import { asBadRequest } from "./bad-request.js";
import { DecodeError } from "./decode-error.js";
import { type DecodeLimits, defaultDecodeLimits } from "./decode-limits.js";
import { scanJson } from "./json-scanner.js";

export interface JsonOptions {
  readonly limits?: Partial<DecodeLimits> | undefined;
  /** Report duplicate keys, which doubles the time. Default: false. */
  readonly duplicates?: boolean | undefined;
}

/**
 * Decodes a JSON body.
 *
 * Differences between JSON in JavaScript and in Go:
 * - Integers that a 64-bit float cannot represent, and numbers beyond its range, are refused and never rounded.
 * - A lone surrogate (`\ud800`) becomes U+FFFD, as in Go. Invalid UTF-8 is refused, where Go replaces it.
 * - A field `__proto__` is an own field like any other; Kubernetes allows it as a key of a ConfigMap. Spreads,
 *   `Object.keys` and `JSON.stringify` treat it as one. Only `target[key] = value` and `Object.assign` would set
 *   the prototype: code that copies fields one by one uses `setOwn`.
 * - The last value of a duplicate key wins; `duplicates` reports them.
 *
 * @throws {ApiError} 400 for a body that cannot be decoded.
 */
export function decodeJson(bytes: Uint8Array, options: JsonOptions = {}): Body {
  try {
    return parseJson(decodeBodyText(bytes), options);
  } catch (error) {
    throw asBadRequest(error, (problem, syntax) => (syntax ? `json parse error: ${problem}` : problem));
  }
}

/** Decodes UTF-8. Keeps a byte order mark, which is an error in JSON but not in YAML. */
export function decodeBodyText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new DecodeError("syntax", `invalid UTF-8 at byte ${firstInvalidByte(bytes)}`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** {@link decodeJson} for a string, throwing {@link DecodeError}. */
function parseJson(source: string, options: JsonOptions): Body {
  return scanThenParse(source, options)();
}

/** {@link parseJson} in two steps of about the same length: scans the text, and returns a function that parses it. */
export function scanThenParse(source: string, { limits, duplicates = false }: JsonOptions): () => Body {
  const text =
    source.includes("\\u") && surrogate.test(source) ? source.replace(escapes, replaceLoneSurrogate) : source;
  const maxDepth = limits?.depth ?? defaultDecodeLimits.depth;
  const maxFields = limits?.fields ?? defaultDecodeLimits.fields;
  // A list item takes up at least two characters.
  const isScanned = duplicates || text.length > maxFields * 2 || needsScan(text, maxDepth);
  const problems = isScanned ? scanJson(text, { maxDepth, maxFields, duplicates }) : [];
  return () => {
    const object = parse(text, maxDepth);
    return problems.length > 0 ? { object, duplicates: problems } : { object };
  };
}

function parse(text: string, maxDepth: number): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    scanJson(text, { maxDepth, duplicates: false });
    throw error;
  }
}

/** Number that may be too large or have too many digits, or a string that looks like one. */
const unusualNumber = /(?:^|[:,[\s])-?(?:[0-9]{16}|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{3})/;
/** Part of {@link unusualNumber} that is faster to search for. */
const unusualDigits = /[0-9]{16}|[0-9][eE]\+?[0-9]{3}/;

/** True if the text may have problems that only the scanner finds. Rare, and fast to check. */
function needsScan(text: string, maxDepth: number): boolean {
  if (unusualDigits.test(text) && unusualNumber.test(text)) return true;
  return hasMoreThan(maxDepth, "{", "[", text);
}

/** True if two characters occur more than `limit` times in total. Nesting cannot be deeper than that. */
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

const surrogate = /\\u[dD][89a-fA-F]/;
const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

function replaceLoneSurrogate(escape: string, lone: string | undefined): string {
  return lone === undefined ? escape : "\\ufffd";
}

/** Offset of the first invalid byte: the first U+FFFD after lenient decoding that the bytes do not contain. */
function firstInvalidByte(bytes: Uint8Array): number {
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
