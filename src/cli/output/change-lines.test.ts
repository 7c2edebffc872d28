import { expect, test } from "vitest";
import { diff, type Json } from "../../model/core.js";
import { changeLines } from "./change-lines.js";

const lines = (from: Json | undefined, to: Json | undefined): readonly string[] =>
  changeLines(diff(from, to), false);

test("short values change on one line", () => {
  expect(lines({ spec: { pages: 1, list: ["a"] } }, { spec: { pages: 2, list: ["a", "b"] } })).toEqual([
    "~ spec.pages: 1 → 2",
    "+ spec.list[1]: b",
  ]);
});

test("shows multi-line values below their path", () => {
  expect(lines({ spec: { theme: { color: "red", size: 2 } } }, { spec: {} })).toEqual([
    "- spec.theme:",
    "-   color: red",
    "-   size: 2",
  ]);
  expect(lines(undefined, { spec: { title: "Hello" } })).toEqual(["+ spec:", "+   title: Hello"]);
});

test("quotes ambiguous names and escapes control characters", () => {
  expect(lines({ labels: {} }, { labels: { "example.com/a": "x", b: "\u001B[2J" } })).toEqual([
    '+ labels["example.com/a"]: x',
    String.raw`+ labels.b: "\u001b[2J"`,
  ]);
});

test("truncates long values", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, at]));
  const shown = lines({}, { many });
  expect(shown).toHaveLength(32);
  expect(shown.at(-1)).toBe("+   … 20 more lines");
});
