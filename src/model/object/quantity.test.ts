import { expect, test } from "vitest";
import { quantity } from "./quantity.js";

test.each([
  ["2", 2],
  ["500m", 0.5],
  ["128Mi", 134_217_728],
  ["1.5Gi", 1_610_612_736],
  ["2k", 2000],
  ["1e3", 1000],
  [7, 7],
  ["-1", -1],
])("converts %j to %d", (text, number) => {
  expect(quantity(text)).toBe(number);
});

test.each(["", "many", "1 Gi", "12MB", "1e999"])("refuses %j", (text) => {
  expect(() => quantity(text)).toThrow("invalid quantity");
});
