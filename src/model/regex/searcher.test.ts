import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern } from "./pattern.js";

const find = (pattern: string, text: string): string | undefined => {
  const { search, fault } = compilePattern(pattern);
  if (!search) throw new Error(fault);
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const { found } = search(codes, 0);
  return found && Array.from(text).slice(found.start, found.end).join("");
};

test.each([
  ["foo|foobar", "xfoobar", "foo"],
  ["foobar|foo", "xfoobar", "foobar"],
  ["a+", "baaa", "aaa"],
  ["a+?", "baaa", "a"],
  ["(?U)a+", "baaa", "a"],
  ["(?U)a+?", "baaa", "aaa"],
  ["a{2,3}", "aaaa", "aaa"],
  ["a{2,3}?", "aaaa", "aa"],
  ["", "abc", ""],
  ["é?$", "😀é", "é"],
  ["(?m)^b$", "a\nb\nc", "b"],
  ["x", "abc", undefined],
])("%j in %j finds %j", (pattern, text, found) => {
  expect(find(pattern, text)).toBe(found);
});

/** Patterns in which JavaScript and RE2 mean the same: nothing that can be empty is repeated. */
const patterns = fc.letrec<{ atom: string; piece: string; branch: string; whole: string }>((tie) => ({
  atom: fc.oneof(
    fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]"),
    tie("whole").map((inner) => `(?:${inner})`),
  ),
  piece: fc
    .tuple(
      fc.constantFrom("a", "b", "[ab]", ".", "ab"),
      fc.constantFrom("", "*", "+", "?", "*?", "+?", "??", "{1,2}", "{1,2}?"),
    )
    .map(([atom, times]) => (times === "" ? atom : `(?:${atom})${times}`)),
  branch: fc
    .array(fc.oneof(tie("piece"), tie("atom")), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("")),
  whole: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
})).whole;

test("finds the first match of a backtracking engine", () => {
  fc.assert(
    fc.property(
      patterns,
      fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 }),
      (pattern, text) => {
        expect(find(pattern, text)).toBe(new RegExp(pattern, "s").exec(text)?.[0]);
      },
    ),
    { numRuns: 500 },
  );
});
