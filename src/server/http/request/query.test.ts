import { describe, expect, test } from "vitest";
import { booleanOf, integerOf, parseQuery, firstValue } from "./query.js";
import { timeoutOf } from "./timeout.js";

describe("parseQuery", () => {
  test("reads names and values", () => {
    const query = parseQuery("a=1&b=x%20y+z&a=2&c&&d=%3D=&e=");
    expect([...query]).toEqual([
      ["a", ["1", "2"]],
      ["b", ["x y z"]],
      ["c", [""]],
      ["d", ["=="]],
      ["e", [""]],
    ]);
    expect(firstValue(query, "a")).toBe("1");
    expect(firstValue(query, "none")).toBeUndefined();
  });

  test("accepts names such as __proto__", () => {
    const query = parseQuery("__proto__=1&constructor=2");
    expect(firstValue(query, "__proto__")).toBe("1");
    expect(firstValue(query, "toString")).toBeUndefined();
  });

  test.each(["a=%", "a=%f", "%zz=1", "a=%ff"])("rejects %s", (text) => {
    expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code: 400 }));
  });

  test.each([
    ["watch", true],
    ["watch=", true],
    ["watch=1", true],
    ["watch=true", true],
    ["watch=no", true],
    ["watch=0", false],
    ["watch=False", false],
    ["", undefined],
  ])("parses %j as %s", (text, expected) => {
    expect(booleanOf(parseQuery(text), "watch")).toBe(expected);
  });

  test.each([
    ["limit=5", 5],
    ["limit=-5", -5],
    ["limit=%2B5", 5],
    ["limit=0005", 5],
    ["limit=9223372036854775807", 2 ** 63],
    ["", undefined],
  ])("reads the number of %j", (text, expected) => {
    expect(integerOf(parseQuery(text), "limit")).toBe(expected);
  });

  test.each([
    ["limit=", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["limit=abc", 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ["limit=1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["limit=1e5", 'strconv.ParseInt: parsing "1e5": invalid syntax'],
    ["limit=9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ])("refuses the number of %j", (text, message) => {
    expect(() => integerOf(parseQuery(text), "limit")).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });

  test.each([
    ["timeout=10s", 10_000],
    ["timeout=1m30s", 90_000],
    ["timeout=1.5h", 5_400_000],
    ["timeout=.5s", 500],
    ["timeout=250ms", 250],
    ["timeout=0s", undefined],
    ["timeout=0", undefined],
    ["timeout=", undefined],
    ["timeout=-5s", undefined],
    ["", undefined],
  ])("reads the time of %j", (text, expected) => {
    expect(timeoutOf(parseQuery(text))).toBe(expected);
  });

  test.each(["10", "s", "10x", "10s!", "1s 2s", "ten"])("rejects the timeout %j", (text) => {
    const message = `invalid timeout specified in the request URL - time: invalid duration "${text}"`;
    expect(() => timeoutOf(parseQuery(`timeout=${text}`))).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });
});
