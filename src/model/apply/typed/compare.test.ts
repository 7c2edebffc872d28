import { describe, expect, test } from "vitest";
import type { Json } from "../../object/json.js";
import type { StructuralSchema } from "../../schema/structural-schema.js";
import { compareTyped } from "./compare.js";
import { fieldSetOf } from "./field-set-of.js";
import { objectType } from "./field-type.js";
import { mergeTyped } from "./merge.js";

const text: StructuralSchema = { type: "string" };
const type = objectType({
  type: "object",
  properties: {
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
      items: {
        type: "object",
        properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" }, name: text },
      },
    },
    tags: { type: "array", "x-kubernetes-list-type": "set", items: text },
    steps: { type: "array", items: text },
    free: { "x-kubernetes-preserve-unknown-fields": true },
  },
});
const http = 'k:{"port":80,"protocol":"TCP"}';

describe("fieldSetOf", () => {
  test.each<[string, Json, Json]>([
    [
      "an item with a default among its keys",
      { ports: [{ port: 80 }] },
      { "f:ports": { [http]: { ".": {}, "f:port": {} } } },
    ],
    ["the items of a set", { tags: ["b", "a"] }, { "f:tags": { 'v:"a"': {}, 'v:"b"': {} } }],
    ["two items with one key", { tags: ["a", "a"] }, { "f:tags": { 'v:"a"': {} } }],
    ["a list without keys", { steps: ["b", "a"] }, { "f:steps": {} }],
    ["no list without items", { tags: [] }, {}],
    ["an empty map, and null", { free: {}, tags: null }, { "f:free": {}, "f:tags": {} }],
    [
      "undeclared fields",
      { free: { a: { b: 1 }, c: [1] } },
      { "f:free": { "f:a": { ".": {}, "f:b": {} }, "f:c": {} } },
    ],
  ])("includes %s", (_, value, fields) => {
    expect(fieldSetOf(value, type)).toEqual(fields);
  });
});

describe("compareTyped", () => {
  test.each<[string, Json, Json, Partial<Record<"added" | "modified" | "removed", Json>>]>([
    ["nothing", { steps: ["a"], free: { a: [1] } }, { free: { a: [1] }, steps: ["a"] }, {}],
    ["nothing where only the order of items changes", { tags: ["a", "b"] }, { tags: ["b", "a"] }, {}],
    [
      "nothing where a key is written down",
      { ports: [{ port: 80 }] },
      { ports: [{ port: 80, protocol: "TCP" }] },
      { added: { "f:ports": { [http]: { "f:protocol": {} } } } },
    ],
    [
      "a list that is new, with all in it",
      {},
      { ports: [{ port: 80 }] },
      { added: { "f:ports": { ".": {}, [http]: { ".": {}, "f:port": {} } } } },
    ],
    [
      "an item that is gone",
      { tags: ["a", "b"] },
      { tags: ["b"] },
      { removed: { "f:tags": { 'v:"a"': {} } } },
    ],
    [
      "a list without keys as a whole",
      { steps: ["a"] },
      { steps: ["a", "b"] },
      { modified: { "f:steps": {} } },
    ],
    [
      "a map that becomes a text",
      { free: { a: { b: 1 } } },
      { free: { a: "t" } },
      { modified: { "f:free": { "f:a": {} } }, removed: { "f:free": { "f:a": { "f:b": {} } } } },
    ],
    [
      "an item that becomes two",
      { tags: ["a"] },
      { tags: ["a", "a"] },
      { added: { "f:tags": { 'v:"a"': {} } }, removed: { "f:tags": { 'v:"a"': {} } } },
    ],
    [
      "null instead of a value",
      { free: { a: 1 } },
      { free: { a: null } },
      { modified: { "f:free": { "f:a": {} } } },
    ],
    ["null instead of nothing in it", { free: {} }, { free: null }, { modified: { "f:free": {} } }],
  ])("finds %s", (_, before, after, found) => {
    expect(compareTyped(before, after, type)).toEqual({ added: {}, modified: {}, removed: {}, ...found });
  });
});

describe("mergeTyped of lists", () => {
  test.each([
    ["abc", "b", "abc"],
    ["abc", "x", "abcx"],
    ["abc", "xb", "axbc"],
    ["abc", "cxa", "bcxa"],
    ["abcd", "db", "acdb"],
    ["abc", "cba", "cba"],
    ["", "ba", "ba"],
    ["ba", "", "ba"],
    ["aba", "xa", "xab"],
  ])("%s merged with %s is %s", (live, config, merged) => {
    const result = mergeTyped({ tags: live.split("") }, { tags: config.split("") }, type) as {
      readonly tags: readonly string[];
    };
    expect(result.tags.join("")).toBe(merged);
  });
});
