import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Length } from "./utf8.js";

test("agrees with TextEncoder for any string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

test.each(["\uD800", "a\uDC00b", "\uD800\uD800\uDC00", "\uDC00\uD800"])(
  "halves of pairs count as an encoder writes them: %j",
  (text) => {
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
  },
);
