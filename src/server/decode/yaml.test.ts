import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, type Json } from "../../model/core.js";
import type { FieldValidation } from "./decoded-body.js";
import { floatKey } from "./yaml-scalar.js";
import { decodeYaml, type YamlOptions } from "./yaml.js";

const decode = async (text: string, options?: YamlOptions) => decodeYaml(Buffer.from(text), options);
const read = async (text: string, options?: YamlOptions): Promise<Json> =>
  (await decode(text, options)).object;

async function failure(text: string, options?: YamlOptions): Promise<ApiError> {
  try {
    await decode(text, options);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("scalars are resolved by YAML 1.1 as in Kubernetes", () => {
  test.each<[string, Json]>([
    ["yes", true],
    ["y", true],
    ["On", true],
    ["no", false],
    ["N", false],
    ["OFF", false],
    ["yEs", "yEs"],
    ["", null],
    ["~", null],
    ["Null", null],
    ["010", 8],
    ["08", 8],
    ["0o17", 15],
    ["0x1F", 31],
    ["-0X1f", -31],
    ["0b101", 5],
    ["-0b11", -3],
    ["1_000", 1000],
    ["1_000.5", 1000.5],
    ["_1", "_1"],
    ["+1", 1],
    ["-0", 0],
    [".5", 0.5],
    ["-.5", -0.5],
    ["1.", 1],
    ["12e03", 12_000],
    ["1e400", "1e400"],
    [".5e999", ".5e999"],
    ["0x", "0x"],
    ["0xfffffffffffffffff", "0xfffffffffffffffff"],
    ["12:30:45", "12:30:45"],
    ["2001-12-14", "2001-12-14"],
    ["2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"],
    ["1.2.3", "1.2.3"],
    ["=", "="],
    ["<<", "<<"],
    ["b#c", "b#c"],
    ["'yes'", "yes"],
    ['"1"', "1"],
    ['"\\ud83d\\ude00 \\ud800"', "😀 \ufffd"],
    ["'it''s'", "it's"],
    ["|\n  x\n  y\n", "x\ny\n"],
    ["|\n  x\n  y", "x\ny"],
    [">+\n  x", "x"],
    ["|+\n  x\n\n", "x\n\n"],
    ["|-\n  x\n", "x"],
    [">\n  x\n  y\n", "x y\n"],
    ["!!str 123", "123"],
    ["!!str", ""],
    ["! 12", "12"],
    ['!!int "3"', 3],
    ["!!float 3", 3],
    ["!!bool yes", true],
    ["!!binary aGVsbG8=", "hello"],
    ["!!timestamp 2001-12-14", "2001-12-14"],
    ["!<tag:yaml.org,2002:int> 12", 12],
    ["!custom 12", "12"],
    ["!!set {b}", { b: null }],
    ["100000000000000000", 100_000_000_000_000_000],
  ])("%j", async (text, expected) => {
    expect(await read(`a: ${text}`)).toEqual({ a: expected });
  });

  test.each([
    [".inf", "json: unsupported value: +Inf (line 1)"],
    ["-.inf", "json: unsupported value: -Inf (line 1)"],
    [".nan", "json: unsupported value: NaN (line 1)"],
    ["!!int abc", "yaml: line 1: cannot decode !!str `abc` as a !!int"],
    ["!!null x", "yaml: line 1: cannot decode !!str `x` as a !!null"],
  ])("refuses %s", async (text, message) => {
    expect((await failure(`a: ${text}`)).message).toBe(message);
  });

  test.each(["9007199254740993", "18446744073709551615", "0xfffffffffffffff1", "1".repeat(500)])(
    "%s cannot be kept",
    async (digits) => {
      expect((await failure(`a: ${digits}`)).message).toMatch(
        /^the number .* \(line 1\) cannot be represented exactly/,
      );
      expect((await failure(`${digits}: a`)).message).toMatch(/^the number/);
    },
  );
});

describe("keys", () => {
  test.each<[string, string]>([
    ["1", "1"],
    ["0x10", "16"],
    ["1.5", "1.5"],
    ["1e10", "1e+10"],
    ["yes", "true"],
    ["n", "false"],
    [".inf", ".inf"],
    ["2001-12-14", "2001-12-14"],
    ["!!str 1", "1"],
    ["? a\n", "a"],
    ["'~'", "~"],
    ["__proto__", "__proto__"],
  ])("%j becomes %j", async (key, field) => {
    const object = await read(`${key}: x`);
    expect(Object.entries(object as object)).toEqual([[field, "x"]]);
  });

  test.each(["~: x", "[a]: x", "{a: b}: x", "? [a]\n: x"])("%j is refused", async (text) => {
    expect((await failure(text)).message).toMatch(/^yaml: line 1: .* map key/);
  });

  test.each([
    [0.1, "0.1"],
    [1.5, "1.5"],
    [-2.25, "-2.25"],
    [100_000, "100000"],
    [123_456_789.5, "1.2345679e+08"],
    [1e6, "1e+06"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1e300, ".inf"],
    [NaN, ".nan"],
    [0, "0"],
  ])("the float %d becomes %s", (value, text) => {
    expect(floatKey(value)).toBe(text);
  });
});

describe("duplicate keys", () => {
  test.each([
    ["a: 1\nb: 1\na: 2", { a: 2, b: 1 }, ['line 3: key "a" already set in map']],
    ["a:\n  b: 1\na:\n  c: 2", { a: { c: 2 } }, ['line 4: key "a" already set in map']],
    ["1: a\n1: b", { 1: "b" }, ["line 2: key 1 already set in map"]],
    ["true: a\nyes: b", { true: "b" }, ["line 2: key true already set in map"]],
    ["a: 1\n\na:\n", { a: null }, ['line 3: key "a" already set in map']],
    ["a: {b: 1,\n b: 2}", { a: { b: 2 } }, ['line 2: key "b" already set in map']],
    [
      "x: 1\n\"x\": 2\n'x': 3",
      { x: 3 },
      ['line 2: key "x" already set in map', 'line 3: key "x" already set in map'],
    ],
    ['{"a":1,\n"a":2}', { a: 2 }, ['line 2: key "a" already set in map']],
  ])("%j", async (text, object, duplicates) => {
    expect(await decode(text)).toEqual({ object });
    expect(await decode(text, { fieldValidation: "Warn" })).toEqual({ object, duplicates });
    expect(await decode(text, { fieldValidation: "Strict" })).toEqual({
      object,
      duplicates: [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`],
    });
  });

  test("a number and the equal string are two keys and one field", async () => {
    expect(await decode('1: b\n"1": a', { fieldValidation: "Strict" })).toEqual({ object: { 1: "a" } });
  });
});

describe("anchors", () => {
  test.each<[string, Json]>([
    ["x: &a {b: 1}\nz: *a", { x: { b: 1 }, z: { b: 1 } }],
    ["x: &a 1\nz: &a 2\nw: *a", { x: 1, z: 2, w: 2 }],
    ["x: &a k\n*a : v", { x: "k", k: "v" }],
    ["x: &a {b: 1, c: 1}\nz:\n  <<: *a\n  c: 2", { x: { b: 1, c: 1 }, z: { b: 1, c: 2 } }],
    ["x: &a {b: 1, c: 1}\nz:\n  c: 2\n  <<: *a", { x: { b: 1, c: 1 }, z: { b: 1, c: 1 } }],
    ["z:\n  <<: [{a: 1}, {a: 2, b: 2}]", { z: { a: 1, b: 2 } }],
    ["z:\n  '<<': {a: 1}", { z: { "<<": { a: 1 } } }],
  ])("%j", async (text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  test("merged values are copies", async () => {
    const { x, z } = (await read("x: &a {b: [1]}\nz: *a")) as { x: object; z: object };
    expect(x).toEqual(z);
    expect(x).not.toBe(z);
  });

  test("reports keys that a merge overwrites", async () => {
    const { duplicates } = await decode("x: &a {b: 1}\nz:\n  b: 2\n  <<: *a", { fieldValidation: "Warn" });
    expect(duplicates).toEqual(['line 1: key "b" already set in map']);
  });

  test.each([
    ["a: *nope", "yaml: line 1: unknown anchor 'nope' referenced"],
    ["a:\n  - &a [*a]", "yaml: line 2: anchor 'a' value contains itself"],
    ["a: &a\n  <<: *a", "yaml: line 2: anchor 'a' value contains itself"],
    ["a:\n  <<: 3", "yaml: line 2: map merge requires map or sequence of maps as the value"],
    ["b: &b [1]\na:\n  <<: *b", "yaml: line 3: map merge requires map or sequence of maps as the value"],
    ["a:\n  <<: [1]", "yaml: line 2: map merge requires map or sequence of maps as the value"],
  ])("%j is refused", async (text, message) => {
    expect((await failure(text)).message).toBe(message);
  });

  test("refuses exponential expansion of aliases in values, strings and keys", async () => {
    const laughs = (first: string, next: (name: string) => string): string =>
      Array.from({ length: 12 }, (_, index) =>
        index === 0 ? `a0: &a0 ${first}` : `a${index}: &a${index} ${next(`*a${index - 1}`)}`,
      ).join("\n");
    const ten = (name: string): string => `[${Array.from({ length: 10 }, () => name).join(", ")}]`;
    const text = "x".repeat(100_000);
    const attacks = [
      laughs("lol", ten),
      `a: &a ${text}\nb: ${ten("*a")}\nc: &c ${ten("*a")}\nd: ${ten("*c")}`,
      `a: &a {${text}: 1}\nc: &c ${ten("*a")}\nd: ${ten("*c")}`,
      `a: &a {? ${text} : 1}\n${Array.from({ length: 50 }, (_, index) => `b${index}: {<<: *a}`).join("\n")}`,
    ];
    for (const attack of attacks) {
      expect((await failure(attack)).message).toContain("document contains excessive aliasing");
    }
  });

  test("nested anchors count against the depth limit", async () => {
    const chain = Array.from({ length: 3000 }, (_, index) =>
      index === 0 ? "a0: &a0 x" : `a${index}: &a${index} [*a${index - 1}]`,
    );
    expect((await failure(chain.join("\n"))).message).toMatch(/exceeded max depth|excessive aliasing/);
  });
});

describe("documents", () => {
  test.each<[string, Json]>([
    ["---\na: b\n", { a: "b" }],
    ["a: b\n...\n", { a: "b" }],
    ["---\n---\na: b\n---\n# nothing\n---\n", { a: "b" }],
    ["%YAML 1.1\n---\na: b", { a: "b" }],
    ["\ufeffa: b", { a: "b" }],
    ["", null],
    ["# only this", null],
    ["- a", ["a"]],
    ["hello", "hello"],
  ])("%j", async (text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  test("refuses several documents", async () => {
    expect((await failure("a: b\n---\nc: d\n")).message).toBe(
      "yaml: line 3: the body has more than one document; send each object in a separate request",
    );
  });

  test.each([
    "\ta: b",
    "a: [1, 2",
    "a: {b",
    "a: @x",
    "a: - b",
    "a: b: c",
    "a: 'x",
    "- a\nb: c",
    "a: &a &b c",
    "a: \u0000",
    "? 'a'*b",
    "? a\n- b",
  ])("refuses malformed %j", async (text) => {
    const { code, message } = await failure(text);
    expect(code).toBe(400);
    expect(message).toMatch(/^yaml: /);
    expect(message.split("\n")).toHaveLength(1);
  });

  test("errors contain the line", async () => {
    expect((await failure("a: b\nc: [1,\nd: e\n")).message).toMatch(/^yaml: line [23]: /);
  });
});

describe("JSON as YAML", () => {
  test.each<[string, Json]>([
    ['{"a": [1, "yes", 1e3]}', { a: [1, "yes", 1000] }],
    ['\n {"a": "\\ud83d\\ude00"}', { a: "😀" }],
    ['{"a": yes, b: 1}', { a: true, b: 1 }],
  ])("%s", async (text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  test("is accepted up to the depth limit of JSON", async () => {
    const nested = `${'{"a":'.repeat(900)}1${"}".repeat(900)}`;
    expect(JSON.stringify(await read(nested))).toBe(nested);
  });

  test("decodes any JSON object", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(await read(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe("limits", () => {
  const depths: [string, string][] = [
    ["flow lists", "[".repeat(100_000)],
    ["closed flow lists", "[".repeat(100_000) + "]".repeat(100_000)],
    ["flow maps", "{a: ".repeat(50_000)],
    ["lists on a line", `${"- ".repeat(50_000)}x`],
    ["keys in keys", `${"? ".repeat(50_000)}x`],
    ["lists as keys", `${"[".repeat(150)}a${"]: b".repeat(150)}`],
    ["indentation", Array.from({ length: 1000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
  ];

  test.each(depths)("refuses deep %s", async (_, text) => {
    const { code, message } = await failure(text);
    expect(code).toBe(400);
    expect(message).toMatch(/^yaml: /);
  });

  test("accepts 200 levels", async () => {
    const text = Array.from({ length: 190 }, (_, index) => `${" ".repeat(index)}a:`).join("\n");
    expect(await read(text)).toHaveProperty("a.a.a.a");
  });

  test("returns 413 for too many tokens", async () => {
    const error = await failure("a: b\n".repeat(100), { limits: { yamlTokens: 50 } });
    expect(error.code).toBe(413);
    expect(error.message).toContain("at most 50 tokens");
  });

  test("returns 413 for too many characters, unless they are JSON", async () => {
    const limits = { yamlLength: 20 };
    const error = await failure(`a: ${"x".repeat(20)}`, { limits });
    expect(error.code).toBe(413);
    expect(error.message).toContain("at most 20 characters; send it as JSON");
    expect(await read(`{"a": "${"x".repeat(20)}"}`, { limits })).toEqual({ a: "x".repeat(20) });
  });

  test("pauses between the steps of parsing YAML, and of JSON", async () => {
    for (const text of ["a: b\n", '{"a": "b"}']) {
      let steps = 0;
      await read(text, { nextStep: async () => void steps++ });
      expect(steps).toBeGreaterThanOrEqual(text.startsWith("{") ? 1 : 2);
    }
  });
});

test("arbitrary bytes give a value or a 4xx, and never change a prototype", async () => {
  const piece = fc.constantFrom(
    ...String.raw`a/b: /: /- /? /[/]/{/}/, /  /&x /*x/<<: /!!int /!t /'/"/#/1/.5/~/yes/__proto__: /\/é`.split(
      "/",
    ),
    ..."\n/\t/|\n/---\n/...\n/%YAML 1.1\n/\u0001".split("/"),
  );
  const validation = fc.constantFrom<FieldValidation>("Ignore", "Warn", "Strict");
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), validation, async (pieces, fieldValidation) => {
      try {
        const { object } = await decode(pieces.join(""), { fieldValidation });
        expect(JSON.parse(JSON.stringify(object))).toEqual(object);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).code).toBe(400);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
