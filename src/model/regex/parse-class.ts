import {
  anyOf,
  type CodeRange,
  inRanges,
  not,
  perlClasses,
  posixClasses,
  unicodeClass,
} from "./character-sets.js";
import { type CharacterTest, PatternError } from "./pattern-node.js";

/** Parsed value and the position after it. */
export interface ReadResult<Value> {
  readonly value: Value;
  readonly end: number;
}

const letterOrDigit = /^[0-9A-Za-z]$/;
const octalEscape = /(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/y;
const hexEscape = /x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})/y;
const badHexEscape = /x(?:\{[0-9A-Fa-f]*[^]?|[^]{0,2})/uy;
const controlEscapes = new Map([
  ["a", 0x07],
  ["f", 0x0c],
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["v", 0x0b],
]);

/** Parses the character class `[...]` at `start`. */
export function readClass(source: string, start: number, fold: boolean): ReadResult<CharacterTest> {
  let at = start + 1;
  const negated = source[at] === "^";
  if (negated) at++;
  const tests: CharacterTest[] = [];
  const ranges: CodeRange[] = [];
  // A bracket in first position is literal.
  for (let first = true; first || source[at] !== "]"; first = false) {
    if (at >= source.length) throw new PatternError("missing closing ]", source.slice(start));
    const named = readNamedClass(source, at, fold) ?? readClassEscape(source, at, fold);
    if (named) {
      tests.push(named.value);
      at = named.end;
      continue;
    }
    const from = readClassCharacter(source, at, start);
    let to = from;
    if (source[from.end] === "-" && from.end + 1 < source.length && source[from.end + 1] !== "]") {
      to = readClassCharacter(source, from.end + 1, start);
      if (to.value < from.value) {
        throw new PatternError("invalid character class range", source.slice(at, to.end));
      }
    }
    ranges.push([from.value, to.value]);
    at = to.end;
  }
  if (ranges.length > 0) tests.push(inRanges(ranges, fold));
  const test = anyOf(tests);
  return { value: negated ? not(test) : test, end: at + 1 };
}

function readClassCharacter(source: string, at: number, start: number): ReadResult<number> {
  if (at >= source.length) throw new PatternError("missing closing ]", source.slice(start));
  return source[at] === "\\" ? readEscape(source, at) : readCharacter(source, at);
}

/** Parses a POSIX class such as `[:alpha:]`, which is only allowed inside of a class. */
function readNamedClass(source: string, at: number, fold: boolean): ReadResult<CharacterTest> | undefined {
  if (!source.startsWith("[:", at)) return undefined;
  const close = source.indexOf(":]", at + 2);
  if (close < 0) return undefined;
  const name = source.slice(at + 2, close);
  const negated = name.startsWith("^");
  const ranges = posixClasses.get(negated ? name.slice(1) : name);
  if (!ranges) throw new PatternError("invalid character class range", source.slice(at, close + 2));
  const test = inRanges(ranges, fold);
  return { value: negated ? not(test) : test, end: close + 2 };
}

/** Parses an escape for several characters, such as `\d` and `\p{Lu}`; undefined if it is not one. */
export function readClassEscape(
  source: string,
  at: number,
  fold: boolean,
): ReadResult<CharacterTest> | undefined {
  if (source[at] !== "\\") return undefined;
  const letter = source[at + 1] ?? "";
  if (letter === "p" || letter === "P") return readUnicodeClass(source, at, fold);
  const ranges = perlClasses.get(letter.toLowerCase());
  if (!ranges) return undefined;
  const test = inRanges(ranges, fold);
  return { value: letter === letter.toLowerCase() ? test : not(test), end: at + 2 };
}

function readUnicodeClass(source: string, at: number, fold: boolean): ReadResult<CharacterTest> {
  const close = source[at + 2] === "{" ? source.indexOf("}", at) + 1 : at + 2 + widthAt(source, at + 2);
  const whole = close === 0 ? source.slice(at) : source.slice(at, close);
  let name = source[at + 2] === "{" ? whole.slice(3, -1) : whole.slice(2);
  let negated = source[at + 1] === "P";
  if (name.startsWith("^")) {
    negated = !negated;
    name = name.slice(1);
  }
  const test = close === 0 ? undefined : unicodeClass(name, fold);
  if (!test) throw new PatternError("invalid character class range", whole);
  return { value: negated ? not(test) : test, end: close };
}

/** Parses an escape for one character. */
export function readEscape(source: string, at: number): ReadResult<number> {
  const start = at + 1;
  if (start >= source.length) throw new PatternError("trailing backslash at end of expression", "");
  const { value: code, end } = readCharacter(source, start);
  const character = source.slice(start, end);
  if (code < 0x80 && !letterOrDigit.test(character)) return { value: code, end };
  const control = controlEscapes.get(character);
  if (control !== undefined) return { value: control, end };
  const octal = matchAt(octalEscape, source, start);
  if (octal) return { value: Number.parseInt(octal[0], 8), end: start + octal[0].length };
  const hex = matchAt(hexEscape, source, start);
  if (hex) {
    const value = Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
    if (value <= 0x10ffff) return { value, end: start + hex[0].length };
  }
  const bad = matchAt(badHexEscape, source, start)?.[0] ?? character;
  throw new PatternError("invalid escape sequence", `\\${bad}`);
}

/** Parses a literal character. */
export function readCharacter(source: string, at: number): ReadResult<number> {
  const value = source.codePointAt(at) ?? 0;
  return { value, end: at + (value > 0xffff ? 2 : 1) };
}

function widthAt(source: string, at: number): number {
  const code = source.codePointAt(at);
  if (code === undefined) return 0;
  return code > 0xffff ? 2 : 1;
}

function matchAt(expression: RegExp, source: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(source);
}
