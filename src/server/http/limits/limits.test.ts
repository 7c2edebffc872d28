import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultLimits } from "./limits.js";

const units: Readonly<Record<string, number>> = {
  "": 1,
  s: 1000,
  min: 60_000,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
};

/** `64 KiB` or `10,000` as a number. */
function amount(text: string): number {
  const [, digits = "", unit = ""] = /^([\d,]+) ?(\w*)$/.exec(text) ?? [];
  return Number(digits.replaceAll(",", "")) * (units[unit] ?? NaN);
}

test("docs/server.md lists every limit with its default", () => {
  const text = readFileSync(new URL("../../../../docs/server.md", import.meta.url), "utf8");
  const [, table = ""] = /\| setting of `limits` .*\n\|-.*\n((?:\|.*\n)+)/.exec(text) ?? [];
  const documented = table
    .trim()
    .split("\n")
    .flatMap((row) => {
      const [, names = "", defaults = ""] = row.split("|").map((cell) => cell.trim());
      const amounts = defaults.split(/, (?=\d)/);
      return names.split(", ").map((name, index) => [name.replaceAll("`", ""), amount(amounts[index] ?? "")]);
    });
  expect(Object.fromEntries(documented)).toEqual(defaultLimits);
});
