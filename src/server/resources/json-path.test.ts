import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../model/core.js";
import { checkJsonPath, compileJsonPath, jsonPathText } from "./json-path.js";

const object = {
  metadata: { name: "a", labels: { "app.io/name": "x", plain: "y" } },
  spec: {
    replicas: 3,
    on: true,
    none: null,
    ratio: 0.5,
    list: [1, 2, 3, 4],
    empty: [],
    nested: [[1], [2, 3]],
  },
  status: {
    conditions: [
      { type: "Ready", status: "True", since: 5 },
      { type: "Synced", status: "False", since: 7, message: "no (really)" },
      { type: "Odd" },
    ],
  },
};

describe("finds", () => {
  test.each<[string, Json[]]>([
    [".spec.replicas", [3]],
    [".spec.none", [null]],
    [".spec.none.below", []],
    [".spec.missing.below", []],
    [".metadata.labels.app\\.io/name", ["x"]],
    [".metadata.labels['app\\.io/name']", ["x"]],
    [".metadata.labels['app.io/name']", []],
    [".metadata['labels.plain']", ["y"]],
    [".metadata.labels.*", ["x", "y"]],
    [".spec.list", [[1, 2, 3, 4]]],
    [".spec.list[0]", [1]],
    [".spec.list[-1]", [4]],
    [".spec.list[]", [1]],
    [".spec.list[*]", [1, 2, 3, 4]],
    [".spec.list[1:3]", [2, 3]],
    [".spec.list[:2]", [1, 2]],
    [".spec.list[-2:]", [3, 4]],
    [".spec.list[::2]", [1, 3]],
    [".spec.list[0,2]", [1, 3]],
    [".spec.list[4]", []],
    [".spec.list[1:9]", []],
    [".spec.empty[0]", []],
    [".spec.empty[*]", []],
    [".spec.nested[*][0]", [1, 2]],
    [".spec['replicas','on']", [3, true]],
    [".spec.replicas[0]", []],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type=='Ready')].status", ["True"]],
    ['.status.conditions[?(@.type == "Ready")].status', ["True"]],
    ['.status.conditions[?(@.message=="no (really)")].type', ["Synced"]],
    ['.status.conditions[?(@.type!="Ready")].type', ["Synced", "Odd"]],
    [".status.conditions[?(@.since>5)].type", ["Synced"]],
    [".status.conditions[?(@.since>=5)].type", ["Ready", "Synced"]],
    [".status.conditions[?(@.since<7)].type", ["Ready"]],
    [".status.conditions[?(@.since<=4)].type", []],
    [".status.conditions[?(@.since)].type", ["Ready", "Synced"]],
    ['.status.conditions[?(@.since=="5")].type', []],
    [".status.conditions[?(@.type==@.type)].type", ["Ready", "Synced", "Odd"]],
    ['.status.conditions[?(@.type=="\\x52eady")].type', ["Ready"]],
    [".spec.replicas[?(@.a==1)]", []],
    ["..type", ["Ready", "Synced", "Odd"]],
    [".status..status", ["True", "False"]],
    ["$.spec.on", [true]],
    [".__proto__", []],
    [".constructor.name", []],
  ])("%s", (path, found) => {
    expect(compileJsonPath(path).find(object)).toEqual(found);
    expect(compileJsonPath(path).first(object)).toEqual(found[0]);
    expect(checkJsonPath(path)).toBeUndefined();
  });

  test("an own field called __proto__", () => {
    expect(compileJsonPath(".__proto__.a").find(JSON.parse('{"__proto__":{"a":1}}'))).toEqual([1]);
  });
});

test.each([
  [".spec.list[", "unterminated array"],
  [".spec.list[a]", "invalid array index a"],
  [".spec.list[-]", "array index - is not a number"],
  [".spec.list[99999999999999999999]", "array index 99999999999999999999 is not a number"],
  [".spec.list[::0]", "step must be > 0"],
  [".spec[?(@.a", "unterminated filter"],
  [".spec[?(@.a)", "unclosed array expect ]"],
  [".spec[?(@.a===1)]", "unrecognized filter operator ==="],
  ['.spec[?(@.a=="x)]', "unterminated filter"],
  ['.spec[?(@.a=="\\q")]', "unquote string \\q error invalid syntax"],
  [".spec....a", "invalid multiple recursive descent"],
  [".spec}", 'unrecognized character in action: "}"'],
  [".spec !", 'unrecognized character in action: "!"'],
  [".spec\n.a", 'unrecognized character in action: "\\n"'],
  ["range .items", "unrecognized identifier range"],
  [".a 1.2.3", "cannot parse number 1.2.3"],
])("refuses %s", (path, message) => {
  expect(checkJsonPath(path)).toBe(message);
  expect(() => compileJsonPath(path)).toThrow(message);
});

test("limits the number of values that a path finds", () => {
  let deep: Json = [];
  for (let depth = 0; depth < 60; depth++) deep = [deep, deep];
  expect(compileJsonPath(".deep[:,:]".concat("[:,:]".repeat(50))).find({ deep })).toEqual([]);
  let chain: Json = { a: 1 };
  for (let depth = 0; depth < 60; depth++) chain = { a: chain };
  expect(compileJsonPath("..a".repeat(30)).find({ chain })).toEqual([]);
});

test("arbitrary strings compile or give an error message", () => {
  const piece = fc.constantFrom(
    ...".a .b [ ] ? ( ) @ $ * : , ' \" \\ = ! < > 0 1 -2 { } .. true \n é 😀 [?(@.a==1)]".split(" "),
    " ",
  );
  const path = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(path, fc.jsonValue(), (text, value) => {
      if (checkJsonPath(text) !== undefined) return;
      const compiled = compileJsonPath(text);
      expect(compiled.first({ a: value })).toEqual(compiled.find({ a: value })[0]);
    }),
    { numRuns: 2000 },
  );
});

test("compiles a long path", () => {
  expect(compileJsonPath(`['${"a.".repeat(300_000)}a']`).first({})).toBeUndefined();
});

describe("set", () => {
  test.each<[string, object, object | false]>([
    [".spec.replicas", { spec: { replicas: 1, a: 2 } }, { spec: { replicas: 5, a: 2 } }],
    [".spec.replicas", {}, { spec: { replicas: 5 } }],
    [".spec.a.b.c", { spec: {} }, { spec: { a: { b: { c: 5 } } } }],
    [".replicas", {}, { replicas: 5 }],
    [".spec.a.b", { spec: { a: 1 } }, false],
    [".spec.a.b", { spec: { a: [] } }, false],
    [".spec.list[0]", { spec: { list: [1] } }, false],
  ])("%s in %j", (path, before, after) => {
    const target = structuredClone(before);
    expect(compileJsonPath(path).set(target, 5)).toBe(after !== false);
    expect(target).toEqual(after === false ? before : after);
  });

  test("does not write to prototypes", () => {
    const target = {};
    expect(compileJsonPath(".__proto__.polluted").set(target, 5)).toBe(true);
    expect(JSON.stringify(target)).toBe('{"__proto__":{"polluted":5}}');
    expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted");
  });
});

test.each<[Json, string]>([
  ["x", "x"],
  [3, "3"],
  [1_000_000, "1000000"],
  [2 ** 60, "1152921504606846976"],
  [0.5, "0.5"],
  [1_234_567.5, "1.2345675e+06"],
  [0.00001, "1e-05"],
  [1e21, "1e+21"],
  [true, "true"],
  [null, "<no value>"],
  [{ b: 1, a: "<" }, '{"a":"\\u003c","b":1}'],
  [["a", 1], '["a",1]'],
])("formats %j as %s", (value, text) => {
  expect(jsonPathText(value)).toBe(text);
});
