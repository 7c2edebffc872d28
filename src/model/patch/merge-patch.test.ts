import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import type { Json } from "../object/json.js";
import { applyMergePatch, createMergePatch } from "./merge-patch.js";
import { PatchError } from "./patch-error.js";

const parse = (text: string): Json => deepFreeze(JSON.parse(text));

describe("applyMergePatch", () => {
  // RFC 7396, appendix A.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // Beyond the appendix.
    ['{"a":1}', '{"a":{"b":null,"c":[null,{"d":null}]}}', '{"a":{"c":[null,{}]}}'],
    ['{"a":[1]}', '{"a":[{"b":null,"c":[[{"d":null}]]}]}', '{"a":[{"c":[[{}]]}]}'],
    ['{"a":[{}]}', '{"a":[{"b":null}]}', '{"a":[{}]}'],
    ['{"a":{"b":1}}', '{"a":{}}', '{"a":{"b":1}}'],
    ["{}", '{"constructor":{"prototype":{"polluted":1}}}', '{"constructor":{"prototype":{"polluted":1}}}'],
    ["{}", '{"__proto__":{"polluted":1,"gone":null}}', '{"__proto__":{"polluted":1}}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"b":2}}', '{"__proto__":{"a":1,"b":2}}'],
    ['{"__proto__":{"a":1},"b":2}', '{"__proto__":null}', '{"b":2}'],
    ["{}", '{"toString":null}', "{}"],
  ])("%s with %s is %s", (target, patch, result) => {
    // Compared as text: toEqual would not see a field named __proto__.
    expect(JSON.stringify(applyMergePatch(parse(target), parse(patch)))).toBe(result);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("a missing target becomes the patch without its nulls", () => {
    expect(applyMergePatch(undefined, { a: { b: null } })).toEqual({ a: {} });
  });

  test.each([
    ['{"a":{"b":[1,{"c":2}]},"d":null}', '{"a":{"b":[1,{"c":2}]}}'],
    ['{"a":{"b":1}}', '{"a":{}}'],
    ['{"a":1}', '{"b":null}'],
    ["[1,[2]]", "[1,[2]]"],
  ])("returns %s itself if %s changes nothing", (target, patch) => {
    const document = parse(target);
    expect(applyMergePatch(document, parse(patch))).toBe(document);
  });

  test("shares unchanged parts", () => {
    const target = deepFreeze({ metadata: { labels: { a: "1" } }, spec: { x: { y: 1 }, z: { w: 2 } } });
    const merged = applyMergePatch(target, { spec: { x: { y: 5 } } });
    expect(merged).toEqual({ metadata: { labels: { a: "1" } }, spec: { x: { y: 5 }, z: { w: 2 } } });
    expect(merged).toHaveProperty(
      "metadata",
      expect.toSatisfy((value) => value === target.metadata),
    );
    expect(merged).toHaveProperty(
      "spec.z",
      expect.toSatisfy((value) => value === target.spec.z),
    );
  });

  test.each([
    ["on an object as deep", nested(10_000), nested(10_000)],
    ["on nothing", {}, nested(10_000)],
  ])("rejects a patch that is nested too deeply, %s", (_title, target, patch) => {
    expect(() => applyMergePatch(target, patch)).toThrow(
      new PatchError("limit", "a merge patch may be nested at most 1000 levels deep"),
    );
  });

  test("applies a flat patch to a deep target", () => {
    expect(applyMergePatch({ deep: nested(10_000), a: 1 }, { a: 2 })).toHaveProperty("a", 2);
  });
});

describe("createMergePatch", () => {
  test.each([
    ["{}", "{}", "{}"],
    ['{"a":1,"b":{"c":2,"d":3}}', '{"a":1,"b":{"c":4}}', '{"b":{"d":null,"c":4}}'],
    ['{"a":[1,2]}', '{"a":[1,2,3]}', '{"a":[1,2,3]}'],
    ['{"a":1}', '{"a":{}}', '{"a":{}}'],
    ['{"a":null}', '{"a":null}', "{}"],
    ['"x"', "{}", "{}"],
    ['{"a":1}', "[1]", "[1]"],
    ['{"__proto__":1}', '{"__proto__":{"a":2}}', '{"__proto__":{"a":2}}'],
  ])("from %s to %s is %s", (from, to, patch) => {
    expect(JSON.stringify(createMergePatch(parse(from), parse(to)))).toBe(patch);
  });

  test("round-trips with applyMergePatch", () => {
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom<Json>(1, 2, "", "x", true),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor", "~/"), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(value.map(deepFreeze), value.map(deepFreeze), (from, to) => {
        const result = applyMergePatch(from, createMergePatch(from, to));
        expect(sortedText(result)).toBe(sortedText(to));
      }),
      { numRuns: 500 },
    );
  });

  test("rejects objects that are nested too deeply", () => {
    expect(() => createMergePatch(nested(10_000), nested(10_000))).toThrow(PatchError);
  });
});

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

/** As text with the fields in order; unlike toEqual it sees a field named `__proto__`. */
function sortedText(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
      : inner,
  );
}
