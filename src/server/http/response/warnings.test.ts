import { expect, test } from "vitest";
import { Warnings } from "./warnings.js";

function headers(...texts: string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers;
}

test("each text becomes one header", () => {
  expect(headers("one", "two", "one", "")).toEqual(['299 - "one"', '299 - "two"']);
});

test("quotes and backslashes are escaped, and no line can be added", () => {
  expect(headers('unknown field "a\\b"')).toEqual([String.raw`299 - "unknown field \"a\\b\""`]);
  expect(headers("a\r\nSet-Cookie: b")).toEqual(['299 - "a  Set-Cookie: b"']);
});

test("other letters go as UTF-8", () => {
  const [header = ""] = headers("größe 語");
  expect(Buffer.from(header, "latin1").toString()).toBe('299 - "größe 語"');
});

test("too much is cut", () => {
  const many = headers(...Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(1000)}`));
  expect(many).toHaveLength(16);
  for (const header of many) expect(header.length).toBe(256 + '299 - ""'.length);
  expect(headers("x".repeat(4096))).toEqual([`299 - "${"x".repeat(4096)}"`]);
});
