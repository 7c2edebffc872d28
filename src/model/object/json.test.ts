import { expect, test } from "vitest";
import { isJsonObject } from "./json.js";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ["{}", false],
  [1, false],
])("%j is a JSON map: %s", (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});
