import type { CharacterTest } from "./pattern-node.js";

/** Range of code points, inclusive. */
export type CodeRange = readonly [from: number, to: number];

const digit: CodeRange = [0x30, 0x39];
const upper: CodeRange = [0x41, 0x5a];
const lower: CodeRange = [0x61, 0x7a];
const newline = 0x0a;

/** Ranges of `\d`, `\s` and `\w` in RE2, which are ASCII only. */
export const perlClasses: ReadonlyMap<string, readonly CodeRange[]> = new Map([
  ["d", [digit]],
  [
    "s",
    [
      [0x09, 0x0a],
      [0x0c, 0x0d],
      [0x20, 0x20],
    ] as const,
  ],
  ["w", [digit, upper, [0x5f, 0x5f], lower]],
]);

/** Ranges of POSIX classes such as `[:alpha:]`. */
export const posixClasses: ReadonlyMap<string, readonly CodeRange[]> = new Map<string, readonly CodeRange[]>([
  ["alnum", [digit, upper, lower]],
  ["alpha", [upper, lower]],
  ["ascii", [[0x00, 0x7f]]],
  [
    "blank",
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  [
    "cntrl",
    [
      [0x00, 0x1f],
      [0x7f, 0x7f],
    ],
  ],
  ["digit", [digit]],
  ["graph", [[0x21, 0x7e]]],
  ["lower", [lower]],
  ["print", [[0x20, 0x7e]]],
  [
    "punct",
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    "space",
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ["upper", [upper]],
  ["word", [digit, upper, [0x5f, 0x5f], lower]],
  ["xdigit", [digit, [0x41, 0x46], [0x61, 0x66]]],
]);

/** Matches any character. */
export const anyCharacter: CharacterTest = () => true;

/** Matches any character except a newline. */
export const anyButNewline: CharacterTest = (code) => code !== newline;

/** Matches characters in ranges; with `fold`, in either case. */
export function inRanges(ranges: readonly CodeRange[], fold: boolean): CharacterTest {
  if (fold && ranges.some(([from, to]) => hasCase(from, to))) {
    const source = ranges.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("");
    return oneOf(new RegExp(`[${source}]`, "iu"));
  }
  const [first, ...others] = ranges;
  if (first && others.length === 0) {
    const [from, to] = first;
    return from === to ? (code) => code === from : (code) => code >= from && code <= to;
  }
  return (code) => ranges.some(([from, to]) => code >= from && code <= to);
}

/** True if a range may contain letters: in ASCII exactly, beyond it assumed. */
function hasCase(from: number, to: number): boolean {
  if (to > 0x7f) return true;
  return (from <= 0x5a && to >= 0x41) || (from <= 0x7a && to >= 0x61);
}

/**
 * Matches a Unicode category or script by Go's name; undefined if there is none. JavaScript's tables have
 * them all.
 */
export function unicodeClass(name: string, fold: boolean): CharacterTest | undefined {
  if (name === "Any") return anyCharacter;
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const property of ["General_Category", "Script"]) {
    try {
      return oneOf(new RegExp(`\\p{${property}=${name}}`, fold ? "iu" : "u"));
    } catch {
      // Not a name of this property.
    }
  }
  return undefined;
}

function oneOf(expression: RegExp): CharacterTest {
  return (code) => expression.test(String.fromCodePoint(code));
}

/** Negates a test. */
export function not(test: CharacterTest): CharacterTest {
  return (code) => !test(code);
}

/** Matches characters that any of the tests accepts. */
export function anyOf(tests: readonly CharacterTest[]): CharacterTest {
  const [only, ...others] = tests;
  if (only && others.length === 0) return only;
  return (code) => tests.some((test) => test(code));
}
