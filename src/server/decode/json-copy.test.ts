import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../model/core.js";
import { jsonCopy } from "./json-copy.js";

describe("jsonCopy", () => {
  test("equals a round trip through JSON and shares nothing with the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = jsonCopy(deepFreeze(value));
        expect(copy).toEqual(JSON.parse(JSON.stringify(value)));
        expect(Object.isFrozen(copy)).toBe(typeof copy !== "object" || copy === null);
      }),
    );
  });

  test("omits undefined fields, calls toJSON, and fills holes with null", () => {
    const at = new Date(0);
    // oxlint-disable-next-line no-sparse-arrays -- that is the case
    const value = { a: undefined, at, list: [, undefined, { b: undefined }], "\ud800": "a\udfff" };
    expect(jsonCopy(value)).toEqual({
      at: "1970-01-01T00:00:00.000Z",
      list: [null, null, {}],
      "\ufffd": "a\ufffd",
    });
  });

  test("copies __proto__ as an own field", () => {
    const copy = jsonCopy(JSON.parse('{"__proto__":{"a":1}}'));
    expect(Object.keys(copy as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  test.each<[unknown, string]>([
    [{ spec: { list: [1, Number.NaN] } }, "NaN is not a number in JSON at spec.list[1]"],
    [{ spec: { size: Infinity } }, "Infinity is not a number in JSON at spec.size"],
    [{ spec: { size: 3n } }, "3n is a BigInt; convert it to a string or a number at spec.size"],
    [{ spec: { run: () => {} } }, "unsupported function at spec.run"],
    [undefined, "value is undefined"],
  ])("refuses %o", (value, message) => {
    expect(() => jsonCopy(value)).toThrow(
      expect.objectContaining({ code: 400, message: `the object cannot be sent as JSON: ${message}` }),
    );
  });

  test("refuses cycles", () => {
    const ring: Record<string, unknown> = {};
    ring["a"] = { b: ring };
    expect(() => jsonCopy(ring)).toThrow("more than 1000 levels deep at a.b.a.b.a.b.a.b…");
  });
});
