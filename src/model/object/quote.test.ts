import fc from "fast-check";
import { expect, test } from "vitest";
import { quote, wellFormed } from "./quote.js";

test.each([
  ["plain text", '"plain text"'],
  ["", '""'],
  ['say "hi"', String.raw`"say \"hi\""`],
  ["back\\slash", String.raw`"back\\slash"`],
  ["\x07\b\f\n\r\t\v", String.raw`"\a\b\f\n\r\t\v"`],
  ["\0\x1b\x7f", String.raw`"\x00\x1b\x7f"`],
  ["grün 世界 🚀", '"grün 世界 🚀"'],
  ["\u00a0\u200b\ufeff", String.raw`"\u00a0\u200b\ufeff"`],
  ["\u{e0001}", String.raw`"\U000e0001"`],
  ["half \uD800 pair", '"half \uFFFD pair"'],
  ["<a & b>", '"<a & b>"'],
])("%j", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test("quotes printable ASCII like JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
      expect(JSON.parse(quote(text))).toBe(text);
    }),
  );
});

test("wellFormed returns well-formed strings unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(wellFormed(text)).toBe(text);
    }),
  );
});
