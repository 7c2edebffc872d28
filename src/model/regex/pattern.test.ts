import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { checkPattern, compilePattern } from "./pattern.js";

const matches = (pattern: string, text: string): boolean | undefined => {
  const { fault, matches } = compilePattern(pattern);
  if (fault !== undefined) throw new Error(fault);
  return matches(text);
};

describe("checkPattern", () => {
  test.each([
    ["[a", "missing closing ]: `[a`"],
    ["[]", "missing closing ]: `[]`"],
    ["(a", "missing closing ): `(a`"],
    ["a)", "unexpected ): `a)`"],
    ["*a", "missing argument to repetition operator: `*`"],
    ["a|*", "missing argument to repetition operator: `*`"],
    ["(+?)", "missing argument to repetition operator: `+?`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{2}{3}", "invalid nested repetition operator: `{2}{3}`"],
    ["a++", "invalid nested repetition operator: `++`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{3,1}", "invalid repeat count: `{3,1}`"],
    ["(a{50}){50}", "invalid repeat count: `{50}`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[[:foo:]]", "invalid character class range: `[:foo:]`"],
    ["\\p{Foo}", "invalid character class range: `\\p{Foo}`"],
    ["\\pé", "invalid character class range: `\\pé`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["\\C", "invalid escape sequence: `\\C`"],
    ["\\x{zz}", "invalid escape sequence: `\\x{z`"],
    ["a\\", "trailing backslash at end of expression: ``"],
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?!a)", "invalid or unsupported Perl syntax: `(?!`"],
    ["(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"],
    ["(?<=a)", "invalid named capture: `(?<=a)`"],
    ["(?P<n", "invalid named capture: `(?P<n`"],
    ["(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"],
  ])("rejects %j", (pattern, fault) => {
    expect(checkPattern(pattern)).toBe(`error parsing regexp: ${fault}`);
  });

  test.each([
    "",
    "a{,2}",
    "{",
    "}",
    "]",
    "a{2",
    "^*",
    "(?)",
    "a(?i)*",
    "[a-]",
    "[]a]",
    "\\Q(\\E",
    "x{0,1000}",
  ])("accepts %j", (pattern) => {
    expect(checkPattern(pattern)).toBeUndefined();
  });

  test("refuses long patterns without parsing or repeating them", () => {
    const fault = checkPattern("a".repeat(1_000_000)) ?? "";
    expect(fault).toContain("expression too large");
    expect(fault).toContain("has 1000000 characters, and 10000 are allowed");
    expect(fault.length).toBeLessThan(200);
    expect(checkPattern("a".repeat(10_000))).toBeUndefined();
  });

  test("limits nesting and size", () => {
    expect(checkPattern(`${"(".repeat(4000)}${")".repeat(4000)}`)).toContain("nests too deeply");
    expect(checkPattern("(?:a{1000}b{1000}){1}".repeat(60))).toContain("expression too large");
  });
});

describe("compilePattern", () => {
  test.each([
    ["a", "xay", true],
    ["^a$", "a\n", false],
    ["(?m)^b$", "a\nb\nc", true],
    ["a.b", "a\nb", false],
    ["(?s)a.b", "a\nb", true],
    ["[^a]", "\n", true],
    ["^\\s$", "\v", false],
    ["^[[:space:]]$", "\v", true],
    ["^\\w$", "é", false],
    ["^\\pL+$", "aéω日", true],
    ["^\\p{Greek}$", "ω", true],
    ["^\\P{Lu}$", "A", false],
    ["^[^\\D]$", "7", true],
    ["(?i)^k$", "\u212A", true],
    ["(?i)^[^k]$", "\u212A", false],
    ["(?i)É", "é", true],
    ["\\bfoo\\b", "a foo b", true],
    ["\\bfoo\\b", "afoo b", false],
    ["\\Boo\\b", "foo", true],
    ["^.$", "😀", true],
    ["^.{2}$", "😀", false],
    ["^\uFFFD$", "\uD800", true],
    ["^(?:a{2,3}b?)+$", "aaabaa", true],
    ["^a{2,}$", "a", false],
    ["^x{0}$", "", true],
    ["^\\Qa.b\\E*$", "a.bbb", true],
    ["^\\x41\\x{42}\\103$", "ABC", true],
    ["^(|a)$", "", true],
    ["(a*)*$", "b", true],
    ["^[]a]+$", "]a", true],
  ])("%j with %j: %s", (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  test.each([
    ["^(a+)+$", "a", false],
    ["^(a|a)*$", "a", false],
    ["^(a|aa)+$", "a", false],
    ["(x+x+)+y", "x", false],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a", false],
    ["^(.*?,){11}P", "1,2,3,", false],
  ])("%j takes linear time", (pattern, unit, expected) => {
    expect(matches(pattern, `${unit.repeat(100_000)}!`)).toBe(expected);
  });

  test("stops matching a large pattern with a long string", () => {
    const alternatives = Array.from({ length: 200 }, (_, index) => `.*${"ab"[index % 2]}.{${index + 1}}c`);
    const pattern = `^(${alternatives.join("|")})$`;
    let bits = 1;
    const text = Array.from({ length: 100_000 }, () => {
      bits = Math.imul(bits, 1_103_515_245) + 12_345;
      return (bits >>> 16) & 1 ? "a" : "b";
    }).join("");
    expect(checkPattern(pattern)).toBeUndefined();
    expect(matches(pattern, text)).toBeUndefined();
    expect(matches(pattern, "abd")).toBe(false);
    expect(matches(pattern, "axc")).toBe(true);
  });

  test("evicts and recompiles patterns", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
    for (let round = 0; round < 3; round++) expect(matches("^\\p{Han}+$", text)).toBe(true);
  });

  /** Patterns that JavaScript reads alike. */
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, depthIdentifier: "pattern" },
      fc.constantFrom("a", "b", "[ab]", "[^a]", ".", "\\d", "\\W", "^", "$", "\\b", "\\B", "\\x62", ""),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => left + right),
      fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(?:${left}|${right})`),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"))
        .map(([inner, repeat]) => `(${inner})${repeat}`),
    ),
  }));

  test("agrees with JavaScript where the syntax is shared", () => {
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab1 \n]{0,6}$/), (source, text) => {
        expect(matches(source, text)).toBe(new RegExp(source).test(text));
      }),
      { numRuns: 500 },
    );
  });

  test("never throws for any pattern", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string({ unit: fc.constantFrom(..."()[]{}*+?|^$\\.-,:<>=!pPQEbBdx019azik".split("")) }),
        ),
        fc.string(),
        (source, text) => {
          const { fault, matches } = compilePattern(source);
          if (fault === undefined) expect(matches(text)).toBeTypeOf("boolean");
          else expect(fault).toMatch(/^error parsing regexp: /);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
