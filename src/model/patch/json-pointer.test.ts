import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatJsonPointer, JsonPointerError, parseJsonPointer } from "./json-pointer.js";

describe("JSON pointers", () => {
  test.each([
    ["", []],
    ["/", [""]],
    ["//", ["", ""]],
    ["/foo/0", ["foo", "0"]],
    ["/a~1b", ["a/b"]],
    ["/m~0n", ["m~n"]],
    ["/~01", ["~1"]],
    ["/~10", ["/0"]],
    ["/c%d/e^f/g|h/i\\j", ["c%d", "e^f", "g|h", "i\\j"]],
    ["/__proto__/constructor", ["__proto__", "constructor"]],
  ])("parses %j as %j", (pointer, segments) => {
    expect(parseJsonPointer(pointer)).toEqual(segments);
    expect(formatJsonPointer(segments)).toBe(pointer);
  });

  test("formats numbers as list positions", () => {
    expect(formatJsonPointer(["spec", "containers", 0, "image"])).toBe("/spec/containers/0/image");
  });

  test.each([
    ["foo", 'JSON pointer "foo" must be empty or start with "/"'],
    ["#/foo", 'JSON pointer "#/foo" must be empty or start with "/"'],
    [
      "/a~",
      'JSON pointer "/a~" has a "~" at position 2 without 0 or 1 after it: write "~0" for "~" and "~1" for "/"',
    ],
    [
      "/a~0/~2",
      'JSON pointer "/a~0/~2" has a "~" at position 5 without 0 or 1 after it: write "~0" for "~" and "~1" for "/"',
    ],
  ])("rejects %j", (pointer, message) => {
    expect(() => parseJsonPointer(pointer)).toThrow(new JsonPointerError(message));
  });

  test("truncates a huge pointer in messages", () => {
    expect(() => parseJsonPointer("x".repeat(1_000_000))).toThrow(/^JSON pointer "x{200}…" must be/);
  });

  test("round-trips", () => {
    const segment = fc.string({ unit: fc.constantFrom("~", "/", "0", "1", "a", "\u{1f600}") });
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        expect(parseJsonPointer(formatJsonPointer(segments))).toEqual(segments);
      }),
    );
  });
});
