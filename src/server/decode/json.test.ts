import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, type Json } from "../../model/core.js";
import { decodeJson } from "./json.js";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const read = (text: string): Json => decodeJson(bytes(text)).object;

function failure(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("decodes JSON", () => {
  expect(decodeJson(bytes(' {"a":[1,-2.5e3,true,null,"é"]}\n'))).toEqual({
    object: { a: [1, -2500, true, null, "é"] },
  });
  expect(decodeJson(bytes('{"a":1,"a":2}'))).toEqual({ object: { a: 2 } });
  expect(decodeJson(bytes('{"a":1,"a":2}'), { duplicates: true })).toEqual({
    object: { a: 2 },
    duplicates: ['duplicate field "a"'],
  });
});

test("refuses more fields than an object can have, whatever the field validation", () => {
  const fields = (count: number): string =>
    `{"a":{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}}`;
  for (const duplicates of [true, false]) {
    const decode = (count: number) => decodeJson(bytes(fields(count)), { duplicates });
    expect(Object.keys((decode(32_767).object as { a: object }).a)).toHaveLength(32_767);
    const error = failure(() => decode(32_768));
    expect(error.code).toBe(413);
    expect(error.message).toBe(
      "Request entity too large: the body has more than 32768 fields and list items",
    );
  }
});

test("counts list items as fields", () => {
  const list = (count: number): Uint8Array => bytes(`[${Array.from({ length: count }, () => 0).join()}]`);
  expect(decodeJson(list(32_768)).object).toHaveLength(32_768);
  expect(failure(() => decodeJson(list(32_769))).code).toBe(413);
  expect(decodeJson(bytes("[[],[]]"), { limits: { fields: 2 } }).object).toEqual([[], []]);
});

test("decodes a view of a larger buffer", () => {
  expect(decodeJson(bytes('xx{"a":1}yy').subarray(2, 9)).object).toEqual({ a: 1 });
});

test("decodes the output of JSON.stringify", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.boolean(), (value, duplicates) => {
      const text = JSON.stringify(value);
      expect(decodeJson(bytes(text), { duplicates })).toEqual({ object: JSON.parse(text) as Json });
    }),
    { numRuns: 500 },
  );
});

test("arbitrary bytes give a value or a 400", () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 50 }),
    fc.string({ unit: "binary" }).map((text) => bytes(`{"a":"${text}`)),
    fc.json().map((text) => bytes(text.slice(0, -1))),
  );
  fc.assert(
    fc.property(anything, fc.boolean(), (sent, duplicates) => {
      try {
        decodeJson(sent, { duplicates });
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ code: 400, reason: "BadRequest" });
      }
    }),
    { numRuns: 2000 },
  );
});

describe("numbers", () => {
  test.each([
    "9007199254740991",
    "-9007199254740991",
    "9007199254740992",
    "10000000000000000",
    "1e21",
    "1.7976931348623157e308",
    "0.12345678901234567890123",
    "9007199254740993.5",
    "1e-400",
    "0.0000000000000000000001",
  ])("accepts %s", (digits) => {
    expect(read(`{"a":${digits}}`)).toEqual({ a: Number(digits) });
  });

  test.each(["9007199254740993", "-9007199254740993", "18446744073709551615", "1000000000000000000001"])(
    "%s is refused, for it would be another one",
    (digits) => {
      for (const text of [`{"a":${digits}}`, `[1,${digits}]`, digits, `{"a":\n ${digits}}`]) {
        expect(failure(() => read(text)).message).toContain(`the number ${digits} (line `);
        expect(failure(() => read(text)).message).toContain("send it as a string");
      }
    },
  );

  test.each(["1e400", "-1e400", "1e0400", "123456789e301", `1${"0".repeat(400)}`, `${"9".repeat(300)}e10`])(
    "%s is out of range",
    (digits) => {
      expect(failure(() => read(`{"a": ${digits}}`)).message).toMatch(/^the number .* is out of range$/);
    },
  );

  test("ignores digits in strings", () => {
    const texts = { a: "x: 9007199254740993", b: " 1e400", c: [", 12345678901234567", "[1e999"] };
    expect(read(JSON.stringify(texts))).toEqual(texts);
  });

  test("long runs of digits take linear time", () => {
    const digits = "1".repeat(1_000_000);
    expect(failure(() => read(`[${digits}]`)).message).toContain("out of range");
    expect(read(`[0.${digits}]`)).toEqual([Number(`0.${digits}`)]);
    expect(read(`["${digits}"]`)).toEqual([digits]);
  });
});

describe("strings", () => {
  test.each([
    [String.raw`"\ud800"`, "\ufffd"],
    [String.raw`"\uDFFFx"`, "\ufffdx"],
    [String.raw`"\ud800\ud800\udc00"`, "\ufffd\u{10000}"],
    [String.raw`"\udc00\ud83d"`, "\ufffd\ufffd"],
    [String.raw`"\ud83d\ude00"`, "😀"],
    [String.raw`"\\ud800"`, String.raw`\ud800`],
    [String.raw`"\\\ud800"`, "\\\ufffd"],
    [String.raw`"\ud83d\u0041"`, "\ufffdA"],
  ])("%s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test("replaces a lone surrogate in a key, which may make it a duplicate", () => {
    const body = decodeJson(bytes(String.raw`{"\ud800":1,"\udc00":2}`), { duplicates: true });
    expect(body).toEqual({ object: { "\ufffd": 2 }, duplicates: ['duplicate field "\ufffd"'] });
  });

  test.each([
    [[0x22, 0xff, 0x22], 1],
    [[0x22, 0xef, 0xbf, 0xbd, 0xc3, 0x28, 0x22], 4],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    [[0x22, 0xe2, 0x82], 1],
  ])("refuses %j as invalid UTF-8", (sent, position) => {
    expect(failure(() => decodeJson(Uint8Array.from(sent))).message).toBe(
      `json parse error: invalid UTF-8 at byte ${position}`,
    );
  });

  test("refuses a byte order mark", () => {
    expect(failure(() => read("\ufeff{}")).message).toContain("looking for beginning of value");
  });
});

describe("__proto__", () => {
  const text = '{"data":{"__proto__":{"polluted":true},"a":1},"__proto__":null}';

  test("is an own field, and stays one in spreads and JSON.stringify", () => {
    const object = read(text) as { data: Record<string, unknown> };
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(Object.keys(object.data)).toEqual(["__proto__", "a"]);
    expect(object.data["polluted"]).toBeUndefined();
    const copy = { ...object, data: { ...object.data } };
    expect(copy.data["polluted"]).toBeUndefined();
    expect(JSON.stringify(copy)).toBe(text);
    expect(JSON.stringify(structuredClone(object))).toBe(text);
  });
});

describe("depth", () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const mixed = (depth: number): string => `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;

  test("accepts 1,000 levels and refuses more", () => {
    expect(JSON.stringify(read(nested(1000)))).toBe(nested(1000));
    expect(JSON.stringify(read(mixed(1000)))).toBe(mixed(1000));
    expect(failure(() => read(nested(1001))).message).toContain("exceeded max depth");
    expect(failure(() => read(mixed(1002))).message).toContain("exceeded max depth");
    expect(failure(() => read("[".repeat(1_000_000))).message).toContain("exceeded max depth");
    expect(failure(() => read(nested(1_000_000))).code).toBe(400);
  });

  test("does not count siblings as depth", () => {
    const wide = JSON.stringify(Array.from({ length: 5000 }, (_, index) => ({ index, list: [] })));
    expect(JSON.stringify(read(wide))).toBe(wide);
    expect(read(JSON.stringify("[{".repeat(5000)))).toBe("[{".repeat(5000));
  });

  test("is configurable", () => {
    expect(failure(() => decodeJson(bytes("[[[]]]"), { limits: { depth: 2 } })).message).toContain(
      "2 levels",
    );
    expect(decodeJson(bytes("[[[]]]"), { limits: { depth: 3 } }).object).toEqual([[[]]]);
  });
});
