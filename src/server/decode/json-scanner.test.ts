import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DecodeError } from "./decode-error.js";
import { scanJson } from "./json-scanner.js";

const scan = (text: string): string[] => scanJson(text, { maxDepth: 1000, duplicates: true });

describe("duplicate fields", () => {
  test.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":1,"a":2,"a":3}', ["a"]],
    ['{"a":{"x":1,"x":2},"a":1}', ["a.x", "a"]],
    ['{"a":1,"a":{"x":1,"x":2}}', ["a", "a.x"]],
    ['{"spec":{"list":[{"x":1,"x":2},{"x":1,"y":1,"y":2}]}}', ["spec.list[0].x", "spec.list[1].y"]],
    ['[{"op":1,"op":2}]', ["[0].op"]],
    ['[[{"a":1,"a":1}]]', ["[0][0].a"]],
    [String.raw`{"a":1,"\u0061":2}`, ["a"]],
    ['{"a.b":1,"a.b":2}', ["a.b"]],
    ['{"":1,"":2}', [""]],
    ['{"a":[{"b":1}],"b":{"a":1},"c":{"a":{},"b":{}}}', []],
    ['{"__proto__":1,"__proto__":2,"constructor":1}', ["__proto__"]],
  ])("%s", (text, paths) => {
    expect(scan(text)).toEqual(paths.map((path) => `duplicate field "${path}"`));
  });

  test("are quoted as in Go", () => {
    expect(scan(String.raw`{"é\n\"":1,"é\n\"":2}`)).toEqual([String.raw`duplicate field "é\n\""`]);
  });

  test("are limited to a hundred, and long paths lose their beginning", () => {
    const many = Array.from({ length: 150 }, (_, index) => `"k${index}":1,"k${index}":2`);
    expect(scan(`{${many.join(",")}}`)).toHaveLength(100);
    const long = `{"${"x".repeat(5000)}":{"end":1,"end":2}}`;
    expect(scan(long)[0]).toMatch(/^duplicate field "…x{996}\.end"$/);
  });

  test("are found in arbitrary JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.nat(9), (map, key, space) => {
        const fields = Object.entries(map).filter(([name]) => name !== key);
        const text = [[key, 1], ...fields, [key, 2]].map(
          ([name, value]) => `${JSON.stringify(name)}${" ".repeat(space)}:${JSON.stringify(value)}`,
        );
        expect(scan(`{${text.join(",\n")}}`)).toHaveLength(1);
        expect(scan(JSON.stringify(map, undefined, space))).toEqual([]);
      }),
    );
  });
});

describe("syntax errors have Go's messages", () => {
  test.each([
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ['"abc', "unexpected end of JSON input"],
    ["tru", "unexpected end of JSON input"],
    ["hello", "invalid character 'h' looking for beginning of value (line 1, column 1)"],
    ["[1,\n  ,2]", "invalid character ',' looking for beginning of value (line 2, column 3)"],
    ["\ufeff{}", String.raw`invalid character '\ufeff' looking for beginning of value (line 1, column 1)`],
    ["'a'", String.raw`invalid character '\'' looking for beginning of value (line 1, column 1)`],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string (line 1, column 2)"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string (line 1, column 8)"],
    ['{"a" 1}', "invalid character '1' after object key (line 1, column 6)"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair (line 1, column 8)"],
    ["[1 2]", "invalid character '2' after array element (line 1, column 4)"],
    ["[}", "invalid character '}' looking for beginning of value (line 1, column 2)"],
    ["{} x", "invalid character 'x' after top-level value (line 1, column 4)"],
    ["01", "invalid character '1' after top-level value (line 1, column 2)"],
    ['"a\nb"', String.raw`invalid character '\n' in string literal (line 1, column 3)`],
    [String.raw`"a\x"`, "invalid character 'x' in string escape code (line 1, column 4)"],
    [
      String.raw`"\u12g4"`,
      String.raw`invalid character 'g' in \u hexadecimal character escape (line 1, column 6)`,
    ],
    ["-a", "invalid character 'a' in numeric literal (line 1, column 2)"],
    ["1.a", "invalid character 'a' after decimal point in numeric literal (line 1, column 3)"],
    ["1e+x", "invalid character 'x' in exponent of numeric literal (line 1, column 4)"],
    ["trux", "invalid character 'x' in literal true (expecting 'e') (line 1, column 4)"],
    ["nan", "invalid character 'a' in literal null (expecting 'u') (line 1, column 2)"],
  ])("%j", (text, message) => {
    expect(() => scan(text)).toThrow(new DecodeError("syntax", message));
  });

  const piece = fc.constantFrom(
    ...String.raw`{ } [ ] : , " "a" "\u00e9" \ \u 1 - 0 . e 5e+3 true nul null é 😀 {} [] {"a":1}`.split(" "),
    " ",
    "\n",
    "\t",
    "\u0001",
  );
  const nearlyJson = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc
      .tuple(fc.jsonValue(), fc.nat(), piece)
      .map(([value, at, inserted]) => insert(JSON.stringify(value), at, inserted)),
  );

  test("valid JSON is accepted", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const accepted = accepts(() => scan(text));
        fc.pre(accepted !== undefined);
        expect(accepted).toBe(accepts(() => JSON.parse(text) as unknown));
      }),
      { numRuns: 2000 },
    );
  });
});

function insert(text: string, at: number, inserted: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + inserted + text.slice(place);
}

/** Undefined when a number stands in the way of knowing. */
function accepts(read: () => unknown): boolean | undefined {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    if (error instanceof DecodeError) return error.problem === "syntax" ? false : undefined;
    throw error;
  }
}
