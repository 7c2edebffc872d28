import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { globOf } from "./glob.js";

describe("globOf", () => {
  test.each<[string, string, boolean]>([
    ["*", "/demo.dev/sites/default/hello", true],
    ["/demo.dev/sites/*", "/demo.dev/sites/default/hello", true],
    ["/demo.dev/sites/*", "/demo.dev/pages/default/hello", false],
    ["sites/*", "/demo.dev/sites/default/hello", true],
    ["sites/*", "/demo.dev/websites/default/hello", false],
    ["hello", "/demo.dev/sites/default/hello", true],
    ["hell", "/demo.dev/sites/default/hello", false],
    ["/demo.dev", "/demo.dev/sites", false],
    ["hello-?", "/demo.dev/pages/default/hello-1", true],
    ["hello-?", "/demo.dev/pages/default/hello-10", false],
    ["hello-[12]", "/demo.dev/pages/default/hello-2", true],
    ["hello-[!12]", "/demo.dev/pages/default/hello-2", false],
    ["hello-[1-3]", "/demo.dev/pages/default/hello-2", true],
    ["demo.dev/*", "/demoXdev/sites/default/hello", false],
  ])("%s and %s: %s", (pattern, key, matches) => {
    expect(globOf(pattern).matches(key)).toBe(matches);
  });

  test("a key matches itself, and every match starts with the prefix", () => {
    const part = fc.stringMatching(/^[a-z0-9.()+^$|\\-]{1,8}$/);
    const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(key, fc.nat(), (key, cut) => {
        expect(globOf(key).matches(key)).toBe(true);
        const glob = globOf(`${key.slice(0, 1 + (cut % key.length))}*`);
        expect(glob.matches(key)).toBe(true);
        expect(key.startsWith(glob.prefix)).toBe(true);
      }),
    );
  });

  test("matches many stars without exponential backtracking", () => {
    expect(globOf(`/${"*a".repeat(200)}b`).matches(`/${"a".repeat(1000)}`)).toBe(false);
  });

  test("compiles any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (pattern, key) => {
        expect(typeof globOf(pattern).matches(key)).toBe("boolean");
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[[\]!^a-c\\*?-]{0,10}$/), (pattern) => {
        expect(typeof globOf(pattern).matches("/a/b")).toBe("boolean");
      }),
    );
  });
});
