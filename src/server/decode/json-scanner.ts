import { quote } from "../../model/object/quote.js";
import { DecodeError, inexactNumber, numberOutOfRange, placeOf } from "./decode-error.js";

export interface ScanOptions {
  readonly maxDepth: number;
  /** Report duplicate keys. */
  readonly duplicates: boolean;
  /** Fields of all maps and items of all lists. Default: no limit. */
  readonly maxFields?: number | undefined;
}

/** Maximum of reported duplicates, as in Kubernetes. */
const maxDuplicates = 100;

/** Length at which the beginning of a path is cut off. */
const maxPathLength = 1000;

/**
 * Scans JSON for problems that `JSON.parse` does not report: the position and cause of a syntax error, in Go's words,
 * excessive depth, numbers that a 64-bit float cannot represent, and duplicate keys. Runs in linear time, without
 * recursion.
 *
 * @returns `duplicate field "spec.list[0].x"` for each duplicate.
 * @throws {DecodeError}
 */
export function scanJson(text: string, options: ScanOptions): string[] {
  return new Scanner(text, options).scan();
}

const space = 0x20;
const doubleQuote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Next expected token. `first…` follows an opening bracket or brace, and allows the closing one too. */
type Expected = "value" | "firstItem" | "key" | "firstKey" | "afterValue";

const simpleEscapes = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));
const hexadecimal = /^[0-9a-fA-F]$/;
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;

class Scanner {
  readonly #text: string;
  readonly #options: ScanOptions;
  #at = 0;
  /** Number of open maps and lists. Invariant: the arrays below have an entry for each of them. */
  #depth = 0;
  /** Index in each open list; -1 for maps. */
  readonly #positions: number[] = [];
  /** Current key in each open map. */
  readonly #keys: string[] = [];
  /** Keys of the open map at each depth. The sets are reused by the next map at that depth. */
  readonly #seen: Set<string>[] = [];
  readonly #duplicates = new Set<string>();
  #fields = 0;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#options = options;
  }

  scan(): string[] {
    let expected: Expected = "value";
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length) {
        if (expected === "afterValue" && this.#depth === 0) break;
        throw new DecodeError("syntax", "unexpected end of JSON input");
      }
      const code = this.#text.charCodeAt(this.#at);
      switch (expected) {
        case "firstItem":
          if (code !== closeBracket) this.#countField();
          expected = code === closeBracket ? this.#leave() : this.#value(code);
          break;
        case "value":
          expected = this.#value(code);
          break;
        case "firstKey":
          expected = code === closeBrace ? this.#leave() : this.#key(code);
          break;
        case "key":
          expected = this.#key(code);
          break;
        case "afterValue":
          expected = this.#afterValue(code);
          break;
      }
    }
    return Array.from(this.#duplicates, (path) => `duplicate field ${quote(path)}`);
  }

  #value(code: number): Expected {
    if (code === openBrace) return this.#enter(-1, "firstKey");
    if (code === openBracket) return this.#enter(0, "firstItem");
    if (code === doubleQuote) this.#string();
    else if (code === minus || (code >= zero && code <= nine)) this.#number();
    else this.#literal();
    return "afterValue";
  }

  #key(code: number): Expected {
    if (code !== doubleQuote) throw this.#invalid("looking for beginning of object key string");
    const start = this.#at;
    const escaped = this.#string();
    const raw = this.#text.slice(start, this.#at);
    this.#addKey(escaped ? (JSON.parse(raw) as string) : raw.slice(1, -1));
    this.#skipSpace();
    if (this.#text.charCodeAt(this.#at) !== colon) throw this.#invalid("after object key");
    this.#at++;
    return "value";
  }

  #afterValue(code: number): Expected {
    if (this.#depth === 0) throw this.#invalid("after top-level value");
    const top = this.#depth - 1;
    const position = this.#positions[top] ?? -1;
    const inList = position >= 0;
    if (code === (inList ? closeBracket : closeBrace)) return this.#leave();
    if (code !== comma) throw this.#invalid(inList ? "after array element" : "after object key:value pair");
    this.#at++;
    if (!inList) return "key";
    this.#countField();
    this.#positions[top] = position + 1;
    return "value";
  }

  #enter(position: number, expected: Expected): Expected {
    const { maxDepth, duplicates } = this.#options;
    if (this.#depth >= maxDepth) {
      throw new DecodeError(
        "value",
        `exceeded max depth: maps and lists may be nested ${maxDepth} levels deep (${this.#place()})`,
      );
    }
    this.#at++;
    this.#positions[this.#depth] = position;
    this.#keys[this.#depth] = "";
    if (duplicates) this.#seen[this.#depth]?.clear();
    this.#depth++;
    return expected;
  }

  #leave(): Expected {
    this.#at++;
    this.#depth--;
    return "afterValue";
  }

  #addKey(key: string): void {
    this.#countField();
    if (!this.#options.duplicates) return;
    const top = this.#depth - 1;
    const seen = (this.#seen[top] ??= new Set());
    this.#keys[top] = key;
    const { size } = seen;
    if (seen.add(key).size === size && this.#duplicates.size < maxDuplicates) {
      this.#duplicates.add(this.#path());
    }
  }

  #countField(): void {
    const { maxFields = Infinity } = this.#options;
    if (++this.#fields > maxFields) {
      throw new DecodeError("limit", `the body has more than ${maxFields} fields and list items`);
    }
  }

  /** Path of the current position: `spec.list[0].x`. */
  #path(): string {
    let path = "";
    for (let level = 0; level < this.#depth; level++) {
      const position = this.#positions[level] ?? -1;
      if (position >= 0) path += `[${position}]`;
      else path += path === "" ? this.#keys[level] : `.${this.#keys[level]}`;
    }
    return path.length > maxPathLength ? `…${path.slice(-maxPathLength)}` : path;
  }

  #skipSpace(): void {
    const text = this.#text;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== space && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
      at++;
    }
    this.#at = at;
  }

  /** Scans a string; returns true if it has escapes. */
  #string(): boolean {
    const text = this.#text;
    let escaped = false;
    for (let at = this.#at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= space && code !== doubleQuote && code !== backslash) continue;
      this.#at = at;
      if (code === doubleQuote) {
        this.#at++;
        return escaped;
      }
      if (code !== backslash) throw this.#invalid("in string literal");
      escaped = true;
      this.#escape();
      at = this.#at;
    }
    throw new DecodeError("syntax", "unexpected end of JSON input");
  }

  /** Scans an escape and stops at its last character. */
  #escape(): void {
    const text = this.#text;
    this.#at++;
    if (text[this.#at] === "u") {
      for (let digit = 0; digit < 4; digit++) {
        this.#at++;
        if (!hexadecimal.test(text[this.#at] ?? ""))
          throw this.#invalid("in \\u hexadecimal character escape");
      }
    } else if (!simpleEscapes.has(text.charCodeAt(this.#at))) {
      throw this.#invalid("in string escape code");
    }
  }

  #number(): void {
    const start = this.#at;
    number.lastIndex = start;
    const [digits, fraction, exponent] = number.exec(this.#text) ?? [];
    if (digits === undefined) {
      this.#at++;
      throw this.#invalid("in numeric literal");
    }
    this.#at = start + digits.length;
    this.#checkEnd(fraction, exponent);
    if (digits.length < 16 && exponent === undefined) return;
    const value = Number(digits);
    if (!Number.isFinite(value)) throw numberOutOfRange(digits, placeOf(this.#text, start));
    if (fraction !== undefined || exponent !== undefined) return;
    if (!Number.isSafeInteger(value) && String(value) !== digits) {
      throw inexactNumber(digits, placeOf(this.#text, start));
    }
  }

  /** Requires digits after a decimal point or an exponent. */
  #checkEnd(fraction: string | undefined, exponent: string | undefined): void {
    if (exponent !== undefined) return;
    const next = this.#text[this.#at];
    if (next === "." && fraction === undefined) {
      this.#at++;
      throw this.#invalid("after decimal point in numeric literal");
    }
    if (next === "e" || next === "E") {
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
      throw this.#invalid("in exponent of numeric literal");
    }
  }

  #literal(): void {
    const word = ["true", "false", "null"].find((word) => word[0] === this.#text[this.#at]);
    if (word === undefined) throw this.#invalid("looking for beginning of value");
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#invalid(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
  }

  #invalid(context: string): DecodeError {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return new DecodeError("syntax", "unexpected end of JSON input");
    return new DecodeError("syntax", `invalid character ${quoted(code)} ${context} (${this.#place()})`);
  }

  #place(): string {
    return placeOf(this.#text, this.#at);
  }
}

/** Character in single quotes, in Go's notation. */
function quoted(code: number): string {
  const character = String.fromCodePoint(code);
  if (character === "'") return `'\\''`;
  return character === '"' ? `'"'` : `'${quote(character).slice(1, -1)}'`;
}
