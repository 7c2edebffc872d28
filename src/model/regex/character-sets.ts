import type { CharacterTest } from "./pattern-node.js";

/** Everything from one code point to another. */
export type CodeRange = readonly [from: number, to: number];

const digit: CodeRange = [0x30, 0x39];
const upper: CodeRange = [0x41, 0x5a];
const lower: CodeRange = [0x61, 0x7a];
const newline = 0x0a;

/** What `\d`, `\s` and `\w` stand for in RE2, which is ASCII only. */
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

/** What `[:alpha:]` and its kin stand for. */
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

/** Any character at all. */
export const anyCharacter: CharacterTest = () => true;

/** Any character but the end of a line. */
export const anyButNewline: CharacterTest = (code) => code !== newline;

/** One of the characters of some ranges; with `fold`, in either case. */
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

/** Whether case can matter in a range: in ASCII only where there are letters, beyond it perhaps anywhere. */
function hasCase(from: number, to: number): boolean {
  if (to > 0x7f) return true;
  return (from <= 0x5a && to >= 0x41) || (from <= 0x7a && to >= 0x61);
}

/**
 * The characters of a Unicode category or script, by the name that Go knows it under; undefined when there is none.
 * JavaScript's own tables know them all.
 */
export function unicodeClass(name: string, fold: boolean): CharacterTest | undefined {
  if (name === "Any") return anyCharacter;
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  for (const property of ["General_Category", "Script"]) {
    try {
      return oneOf(new RegExp(`\\p{${property}=${name}}`, fold ? "iu" : "u"));
    } catch {
      // Not a name of this kind.
    }
  }
  return undefined;
}

function oneOf(expression: RegExp): CharacterTest {
  return (code) => expression.test(String.fromCodePoint(code));
}

/** All characters but those. */
export function not(test: CharacterTest): CharacterTest {
  return (code) => !test(code);
}

/** The characters that one of the tests accepts. */
export function anyOf(tests: readonly CharacterTest[]): CharacterTest {
  const [only, ...others] = tests;
  if (only && others.length === 0) return only;
  return (code) => tests.some((test) => test(code));
}
