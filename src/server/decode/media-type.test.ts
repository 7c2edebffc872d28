import { expect, test } from "vitest";
import { mediaTypeOf } from "./media-type.js";

test.each([
  ["application/json", "application/json"],
  [" Application/JSON ", "application/json"],
  ["application/json;", "application/json"],
  ["application/json; charset=utf-8", "application/json"],
  ['application/json;charset="utf-8" ; a=b;', "application/json"],
  [String.raw`application/yaml; x="a\";b"`, "application/yaml"],
  ["application/json-patch+json", "application/json-patch+json"],
  ["text/yaml;;a=b", "text/yaml"],
  ["", undefined],
  ["json", undefined],
  ["application/", undefined],
  ["application/json,text/plain", undefined],
  ["application/json charset=utf-8", undefined],
  ["application/json; charset", undefined],
  ["application/json; =utf-8", undefined],
  ['application/json; charset="utf-8', undefined],
  ["application/json; charset=utf 8", undefined],
])("%j is %j", (header, expected) => {
  expect(mediaTypeOf(header)).toBe(expected);
});

test("long headers take linear time", () => {
  expect(mediaTypeOf(`application/json${"; a=b".repeat(100_000)}`)).toBe("application/json");
  expect(mediaTypeOf(`application/json${" ".repeat(100_000)}x`)).toBeUndefined();
  expect(mediaTypeOf(`${" ".repeat(100_000)}x`)).toBeUndefined();
  expect(mediaTypeOf(`application/json; a="${"\\".repeat(100_000)}`)).toBeUndefined();
});
