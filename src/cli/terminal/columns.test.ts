import picocolors from "picocolors";
import { expect, test } from "vitest";
import { columns, headerRow } from "./columns.js";

test("aligns cells by their text, whatever their color", () => {
  const paint = picocolors.createColors(true);
  const red = (text: string) => ({ text, paint: paint.red });
  const table = columns([
    headerRow(["NAME", "READY", "AGE"], paint),
    ["hello", red("False"), "5m"],
    ["b", red(""), ""],
  ]);
  const [dim, plain, off] = ["\u001B[2m", "\u001B[22m", "\u001B[39m"];
  expect(table).toBe(
    `${dim}NAME${plain}    ${dim}READY${plain}   ${dim}AGE${plain}\nhello   \u001B[31mFalse${off}   5m\nb\n`,
  );
});
