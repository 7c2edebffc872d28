import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import { type Json, jsonEqual } from "../object/json.js";
import { applyJsonPatch } from "../patch/json-patch.js";
import { type FieldChange, diff } from "./changes.js";
import { jsonPatchOf, toJsonPatch } from "./to-json-patch.js";

/** One line per change: `+ a.0 = 1`, `- a.0 = 1`, `~ a.0 = 1 -> 2`. */
function brief(changes: readonly FieldChange[]): string[] {
  return changes.map((change) => {
    const path = change.path.join(".");
    if (change.kind === "add") return `+ ${path} = ${JSON.stringify(change.to)}`;
    const from = JSON.stringify(change.from);
    return change.kind === "remove"
      ? `- ${path} = ${from}`
      : `~ ${path} = ${from} -> ${JSON.stringify(change.to)}`;
  });
}

describe("diff", () => {
  test.each<[string, Json, Json, string[]]>([
    ["none", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    [
      "none, though fields are in another order",
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      [],
    ],
    ["the document", 1, "1", ['~  = 1 -> "1"']],
    ["fields", { a: 1, b: 2, c: 3 }, { a: 1, c: 4, d: 5 }, ["- b = 2", "~ c = 3 -> 4", "+ d = 5"]],
    ["null is not missing", { a: null }, {}, ["- a = null"]],
    ["missing is not null", {}, { a: null }, ["+ a = null"]],
    ["text to object", { a: "x" }, { a: { b: 1 } }, ['~ a = "x" -> {"b":1}']],
    ["empty object to empty list", { a: {} }, { a: [] }, ["~ a = {} -> []"]],
    ["into an empty object", { a: {} }, { a: { b: 1 } }, ["+ a.b = 1"]],
    ["out of the last item", { a: [1] }, { a: [] }, ["- a.0 = 1"]],
    [
      "special names",
      { "a.b": { "": 1 } },
      { "a.b": { "": 2, "/~": 3 } },
      ["~ a.b. = 1 -> 2", "+ a.b./~ = 3"],
    ],

    ["an insertion", ["a", "b", "c"], ["a", "x", "b", "c"], ['+ 1 = "x"']],
    ["a removal", ["a", "b", "c"], ["a", "c"], ['- 1 = "b"']],
    ["a replacement", ["a", "b", "c"], ["a", "x", "c"], ['~ 1 = "b" -> "x"']],
    ["removals from the end", [1, 2, 3, 4], [3], ["- 3 = 4", "- 1 = 2", "- 0 = 1"]],
    ["text and number are different items", [1, "1"], ["1", 1], ["- 0 = 1", "+ 1 = 1"]],
    ["equal items", [1, 1, 1], [1, 1], ["- 2 = 1"]],

    [
      "items known by name",
      [
        { name: "a", v: 1 },
        { name: "b", v: 1 },
      ],
      [
        { name: "new", v: 0 },
        { name: "a", v: 1 },
        { name: "b", v: 2 },
      ],
      ['+ 0 = {"name":"new","v":0}', "~ 2.v = 1 -> 2"],
    ],
    [
      "items known by type",
      [
        { type: "Ready", status: "False" },
        { type: "Done", status: "False" },
      ],
      [{ type: "Done", status: "True" }],
      ['- 0 = {"type":"Ready","status":"False"}', '~ 0.status = "False" -> "True"'],
    ],
    [
      "a name that is not unique tells nothing; the mount path does",
      [
        { name: "v", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
      [{ name: "v", mountPath: "/b", readOnly: true }],
      ['- 0 = {"name":"v","mountPath":"/a"}', "+ 0.readOnly = true"],
    ],
    [
      "another name is another item",
      [{ name: "a", v: 1 }],
      [{ name: "b", v: 1 }],
      ['- 0 = {"name":"a","v":1}', '+ 0 = {"name":"b","v":1}'],
    ],
    [
      "an item that moves",
      [{ name: "a" }, { name: "b" }, { name: "c" }],
      [{ name: "c" }, { name: "a" }, { name: "b" }],
      ['- 2 = {"name":"c"}', '+ 0 = {"name":"c"}'],
    ],
    [
      "items without a key pair up with what is most like them",
      [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
      [
        { x: 0, z: 0 },
        { x: 1, y: 1 },
        { x: 2, y: 3 },
      ],
      ['+ 0 = {"x":0,"z":0}', "~ 2.y = 2 -> 3"],
    ],
    [
      "an item changed and another inserted before it",
      [{ x: 1, y: 1, z: 1 }],
      [
        { x: 7, y: 8, z: 9 },
        { x: 1, y: 1, z: 2 },
      ],
      ['+ 0 = {"x":7,"y":8,"z":9}', "~ 1.z = 1 -> 2"],
    ],
    ["items with nothing in common", [{ a: 1 }], [{ b: 1 }], ['- 0 = {"a":1}', '+ 0 = {"b":1}']],
    [
      "lists in lists",
      [[1, 2], [3]],
      [
        [1, 2],
        [3, 4],
      ],
      ["+ 1.1 = 4"],
    ],
  ])("%s", (_title, from, to, changes) => {
    expect(brief(diff(deepFreeze(from), deepFreeze(to)))).toEqual(changes);
  });

  test("reports an added or removed document", () => {
    expect(diff(undefined, { a: 1 })).toEqual([{ kind: "add", path: [], to: { a: 1 } }]);
    expect(diff({ a: 1 }, undefined)).toEqual([{ kind: "remove", path: [], from: { a: 1 } }]);
    expect(diff(undefined, undefined)).toEqual([]);
  });

  test("omits ignored fields", () => {
    const from = { metadata: { resourceVersion: "1" }, list: [{ a: 1, seen: 1 }], status: 1 };
    const to = {
      metadata: { resourceVersion: "2" },
      list: [
        { a: 2, seen: 2 },
        { a: 1, seen: 3 },
      ],
    };
    expect(brief(diff(from, to, { ignore: ["metadata.resourceVersion", "status", "list[*].seen"] }))).toEqual(
      ['+ list.0 = {"a":2}'],
    );
  });

  test("treats __proto__ as an ordinary field", () => {
    const from: Json = JSON.parse('{"__proto__":{"a":1},"constructor":1}');
    const to: Json = JSON.parse('{"__proto__":{"a":2}}');
    expect(brief(diff(from, to))).toEqual(["~ __proto__.a = 1 -> 2", "- constructor = 1"]);
    expect(brief(diff({}, from))).toEqual(['+ __proto__ = {"a":1}', "+ constructor = 1"]);
  });

  test("finds few changes in huge lists, and compares by position if there are many", () => {
    const list = Array.from({ length: 100_000 }, (_, index) => ({ value: index, text: "x" }));
    expect(brief(diff(list, list.toSpliced(50_000, 1)))).toEqual(['- 50000 = {"value":50000,"text":"x"}']);
    const other = list.map(({ value }) => ({ value: value + 0.5, text: "x" }));
    expect(diff(list, other)).toHaveLength(100_000);
    const named = list.map(({ value }) => ({ name: `n${value}` }));
    expect(diff(named, named.toReversed())).toHaveLength(2 * 99_999);
  });

  test("handles huge objects", () => {
    const entries = Array.from({ length: 300_000 }, (_, index): [string, Json] => [`k${index}`, index]);
    expect(diff(Object.fromEntries(entries), { k0: 0 })).toHaveLength(299_999);
  });

  test("handles nesting far deeper than the call stack", () => {
    const changes = diff(nested(20_000, 1), nested(20_000, 2));
    expect(changes).toHaveLength(1);
    expect(changes[0]?.path.length).toBe(200);
    expect(diff(nested(20_000, 1), nested(20_000, 1))).toEqual([]);
  });
});

describe("jsonPatchOf", () => {
  test("follows RFC 6902", () => {
    const from = { "a/b": 1, list: [1, 2, 3], gone: null };
    expect(jsonPatchOf(from, { "a/b": 2, list: [1, 3, 4] })).toEqual([
      { op: "replace", path: "/a~1b", value: 2 },
      { op: "remove", path: "/list/1" },
      { op: "add", path: "/list/2", value: 4 },
      { op: "remove", path: "/gone" },
    ]);
    expect(jsonPatchOf(from, structuredClone(from))).toEqual([]);
    expect(toJsonPatch(diff(1, 2))).toEqual([{ op: "replace", path: "", value: 2 }]);
  });

  test("turns one document into the other", () => {
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.constantFrom<Json>(null, true, 0, 1, 2, 3, "", "1", "x", "y"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          fc.constantFrom("a", "name", "type", "__proto__", "constructor", "~/", "", "0"),
          tie("value"),
          { maxKeys: 4 },
        ),
        // Lists of named items, for alignment by key.
        fc
          .uniqueArray(fc.tuple(fc.constantFrom("n1", "n2", "n3", "n4"), tie("value")), {
            selector: ([name]) => name,
          })
          .map((items) => items.map(([name, v]) => ({ name, v }))),
      ),
    }));
    fc.assert(
      fc.property(value.map(deepFreeze), value.map(deepFreeze), (from, to) => {
        const patch = jsonPatchOf(from, to);
        expect(jsonEqual(applyJsonPatch(from, patch), to)).toBe(true);
        expect(patch.length === 0).toBe(jsonEqual(from, to));
        expect(jsonPatchOf(from, to)).toEqual(patch);
      }),
      { numRuns: 3000 },
    );
  });

  test("handles lists with colliding hashes", () => {
    // The same down to where the hash looks, different below.
    const from = Array.from({ length: 300 }, (_, index) => nested(10, index));
    const to = from.toReversed();
    expect(jsonEqual(applyJsonPatch(from, jsonPatchOf(from, to)), to)).toBe(true);
  });
});

function nested(depth: number, leaf: number): Json {
  let value: Json = leaf;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}
