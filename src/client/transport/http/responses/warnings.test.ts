import { expect, test } from "vitest";
import { warningsIn } from "./warnings.js";

test.each([
  [undefined, []],
  ['299 - "old"', ["old"]],
  ['299 - "unknown field \\"a\\", b", 299 - "two"', ['unknown field "a", b', "two"]],
  [
    ['299 kube "one"', '299 - "two" "Thu, 01 Jan 2026 00:00:00 GMT", 199 - "three"'],
    ["one", "two", "three"],
  ],
  ["nonsense", []],
  ['299 - "never closed', []],
])("%j", (headers, texts) => {
  expect(warningsIn(headers)).toEqual(texts);
});
