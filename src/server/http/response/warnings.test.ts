import { expect, test } from "vitest";
import { Warnings } from "./warnings.js";

function headers(...texts: string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers;
}

test("returns one header per distinct text", () => {
  expect(headers("one", "two", "one", "")).toEqual(['299 - "one"', '299 - "two"']);
});

test("escapes quotes and backslashes, and replaces line breaks", () => {
  expect(headers('unknown field "a\\b"')).toEqual([String.raw`299 - "unknown field \"a\\b\""`]);
  expect(headers("a\r\nSet-Cookie: b")).toEqual(['299 - "a  Set-Cookie: b"']);
});

test("encodes non-ASCII characters as UTF-8", () => {
  const [header = ""] = headers("größe 語");
  expect(Buffer.from(header, "latin1").toString()).toBe('299 - "größe 語"');
});

test("cuts texts beyond the total limit", () => {
  const many = headers(...Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(1000)}`));
  expect(many).toHaveLength(16);
  for (const header of many) expect(header.length).toBe(256 + '299 - ""'.length);
  expect(headers("x".repeat(4096))).toEqual([`299 - "${"x".repeat(4096)}"`]);
});
