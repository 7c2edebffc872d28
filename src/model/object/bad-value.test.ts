import fc from "fast-check";
import { expect, test } from "vitest";
import { inKeyOrder, renderBadValue } from "./bad-value.js";

test.each([
  ["the value", '"the value"'],
  [-42, "-42"],
  [1.5, "1.5"],
  [0, "0"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [1234567.5, "1.2345675e+06"],
  [1234567, "1234567"],
  [1.5e-12, "1.5e-12"],
  [1e21, "1e+21"],
  [true, "true"],
  [null, "null"],
  [undefined, "null"],
  [12n, "12"],
  [["one", "two"], '["one","two"]'],
  [{ two: 2, one: { d: [], c: null } }, '{"one":{"c":null,"d":[]},"two":2}'],
  [{ absent: undefined, small: 1e-7 }, '{"small":1e-7}'],
  [["<a> & \u2028"], String.raw`["\u003ca\u003e \u0026 \u2028"]`],
  [inKeyOrder({ b: 1, a: 2 }), '{"b":1,"a":2}'],
  [inKeyOrder([{ b: 1, a: 2 }]), '[{"b":1,"a":2}]'],
])("%o", (value, text) => {
  expect(renderBadValue(value)).toBe(text);
});

test("renders lists and maps as JSON", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ depthSize: "small" })), (value) => {
      // -0 is 0 in JSON; __proto__ survives parsing as an own key.
      expect(JSON.parse(renderBadValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("truncates deep values", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = { deep };
  expect(renderBadValue(deep)).toContain('{"deep":"..."}');
});
