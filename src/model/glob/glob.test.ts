import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "./glob.js";

test.each<[string, string, boolean]>([
  ["backend/1", "backend/1", true],
  ["backend/1", "backend/10", false],
  ["backend/*", "backend/eu/1", true],
  ["backend/*", "backend/", true],
  ["backend/*", "old/backend/1", false],
  ["*/1", "backend/1", true],
  ["backend/?", "backend/1", true],
  ["backend/?", "backend/😀", true],
  ["backend/[ab]*", "backend/b1", true],
  ["backend/[!ab]*", "backend/b1", false],
  ["a[b", "a[b", true],
  ["*", "", true],
  ["", "a", false],
])("%s and %s: %s", (pattern, key, matches) => {
  expect(compileGlob(pattern).matches(key)).toBe(matches);
});

test("every match starts with the prefix", () => {
  const text = fc.stringMatching(/^[ab/*?[\]]{0,8}$/);
  fc.assert(
    fc.property(text, text, (pattern, key) => {
      const glob = compileGlob(pattern);
      if (glob.matches(key)) expect(key.startsWith(glob.prefix)).toBe(true);
    }),
  );
});
