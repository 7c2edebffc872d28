import { expect, test } from "vitest";
import { readDotenv } from "./dotenv.js";

test("reads assignments, comments, exports and quotes", () => {
  const text = [
    "\uFEFF# a comment",
    "",
    "PLAIN=a b  # a comment",
    "HASH=a#b",
    "EMPTY=",
    "NOTHING= # a comment",
    "export EXPORTED=yes",
    "  INDENTED = 1",
    String.raw`DOUBLE="a \"b\" \n \x $HOME # c" # a comment`,
    String.raw`SINGLE='a \n "b"'`,
    'LINES="one',
    'two"',
    "URL=postgres://a:b@c/d?e=f",
    "PLAIN=again",
  ].join("\r\n");
  expect(readDotenv(text).problems).toEqual([]);
  expect(Object.fromEntries(readDotenv(text).variables)).toEqual({
    PLAIN: "again",
    HASH: "a#b",
    EMPTY: "",
    NOTHING: "",
    EXPORTED: "yes",
    INDENTED: "1",
    DOUBLE: 'a "b" \n \\x $HOME # c',
    SINGLE: String.raw`a \n "b"`,
    LINES: "one\ntwo",
    URL: "postgres://a:b@c/d?e=f",
  });
});

test("reports all invalid lines with their numbers", () => {
  const { problems } = readDotenv("A=1\nnonsense\n1B=2\nC=\"open\nD='x' y\nE=\0");
  expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
    '2: expected NAME=value, not "nonsense"',
    '3: expected NAME=value, not "1B=2"',
    '4: C: the quote " is not closed',
    `5: D: "y" follows the closing quote: put quotes around the whole value`,
    "6: E contains a NUL character, which no process can receive",
  ]);
});
