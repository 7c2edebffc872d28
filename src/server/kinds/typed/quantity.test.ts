import { expect, test } from "vitest";
import { canonicalQuantity, compareQuantities } from "./quantity.js";

test.each([
  ["0", "0"],
  ["0.0", "0"],
  ["1", "1"],
  ["+1", "1"],
  ["-1.5", "-1500m"],
  ["0.5", "500m"],
  ["100m", "100m"],
  ["1000m", "1"],
  ["1500", "1500"],
  ["1000", "1k"],
  ["1.5Gi", "1536Mi"],
  ["1024Mi", "1Gi"],
  ["1023Ki", "1023Ki"],
  ["0.5Ki", "512"],
  ["1.1Ki", "1126400m"],
  ["0.001Gi", "1073741824m"],
  ["3e10", "30e9"],
  ["1.5e3", "1500"],
  ["1e3", "1e3"],
  ["1500e-3", "1500e-3"],
  ["12E", "12E"],
  ["2Ei", "2Ei"],
  [".5", "500m"],
  ["5.", "5"],
  ["1n", "1n"],
  ["0.1n", "1n"],
  ["100k", "100k"],
  ["  1Gi ", "1Gi"],
])("%s is written as %s", (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
  expect(canonicalQuantity(canonical)).toBe(canonical);
});

test("quantities are compared by value", () => {
  expect(compareQuantities("1", "1000m")).toBe(0);
  expect(compareQuantities("1Gi", "1G")).toBe(1);
  expect(compareQuantities("-1", "1m")).toBe(-1);
});

test("quantities with huge exponents are not expanded", () => {
  expect(canonicalQuantity("1e999999999")).toBe("1e999999999");
  const digits = `${"9".repeat(100_000)}.5`;
  expect(canonicalQuantity(digits)).toBe(digits);
});
