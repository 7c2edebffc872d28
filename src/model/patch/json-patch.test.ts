import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/freeze.js";
import type { Json } from "../object/json.js";
import { applyJsonPatch, jsonPatchSteps } from "./json-patch.js";
import { PatchError, type PatchErrorKind } from "./patch-error.js";

describe("errors name the operation, the location and the reason", () => {
  const document = deepFreeze({ a: { b: "text", n: null }, list: [1], "x/y": {} });

  test.each<[Json, PatchErrorKind, string]>([
    [null, "malformed", "a JSON patch must be a list of operations, got null"],
    [{ op: "remove" }, "malformed", "a JSON patch must be a list of operations, got an object"],
    ["[]", "malformed", "a JSON patch must be a list of operations, got a string"],
  ])("patch %j", (patch, kind, message) => {
    expect(refusal(document, patch)).toEqual([kind, undefined, message]);
  });

  test.each<[Json, PatchErrorKind, string]>([
    [[], "malformed", "operation 1 must be an object, got a list"],
    [null, "malformed", "operation 1 must be an object, got null"],
    [{ path: "" }, "malformed", 'operation 1 needs an "op": one of add, remove, replace, move, copy, test'],
    [
      { op: "toString", path: "" },
      "malformed",
      'operation 1 has the unknown op "toString": use add, remove, replace, move, copy or test',
    ],
    [
      { op: 7, path: "" },
      "malformed",
      "operation 1 has the unknown op a number: use add, remove, replace, move, copy or test",
    ],
    [{ op: "remove" }, "malformed", 'operation 1 (remove) needs a "path"'],
    [
      { op: "remove", path: 3 },
      "malformed",
      'operation 1 (remove): "path" must be a JSON pointer, got a number',
    ],
    [{ op: "add", path: "/a" }, "malformed", 'operation 1 (add) needs a "value"'],
    [{ op: "move", path: "/a" }, "malformed", 'operation 1 (move) needs a "from"'],
    [
      { op: "copy", from: "a", path: "/a" },
      "malformed",
      'operation 1 (copy): "from": JSON pointer "a" must be empty or start with "/"',
    ],
    [{ op: "remove", path: "/a/c/d" }, "path", 'operation 1 (remove "/a/c/d"): "/a/c" does not exist'],
    [{ op: "remove", path: "/x~1y/z" }, "path", 'operation 1 (remove "/x~1y/z"): "/x~1y/z" does not exist'],
    [
      { op: "add", path: "/a/b/c", value: 1 },
      "path",
      'operation 1 (add "/a/b/c"): "/a/b" is a string and has nothing inside',
    ],
    [
      { op: "test", path: "/a/n/c", value: 1 },
      "path",
      'operation 1 (test "/a/n/c"): "/a/n" is null and has nothing inside',
    ],
    [
      { op: "replace", path: "/list/1", value: 1 },
      "path",
      'operation 1 (replace "/list/1"): "/list/1" is out of bounds: the list has 1 item',
    ],
    [
      { op: "add", path: "/list/99999999999999999999999", value: 1 },
      "path",
      'operation 1 (add "/list/99999999999999999999999"): "/list/99999999999999999999999" is out of bounds: the list has 1 item',
    ],
    [
      { op: "remove", path: "/list/-" },
      "path",
      'operation 1 (remove "/list/-"): "/list/-" is past the end of the list: only "add" may use "-"',
    ],
    [
      { op: "add", path: "/list/length", value: 0 },
      "path",
      'operation 1 (add "/list/length"): "/list/length" is not a position in a list: use 0, 1, 2, … without leading zeros, or "-" to append',
    ],
    [{ op: "remove", path: "" }, "path", 'operation 1 (remove ""): the whole document cannot be removed'],
    [
      { op: "move", from: "/a", path: "/a/b" },
      "path",
      'operation 1 (move "/a/b"): "/a" cannot move into itself',
    ],
    [{ op: "move", from: "", path: "/q" }, "path", 'operation 1 (move "/q"): "" cannot move into itself'],
    [
      { op: "test", path: "/a/b", value: "txt" },
      "test",
      'operation 1 (test "/a/b"): the value is not the expected one',
    ],
  ])("operation %j", (operation, kind, message) => {
    const patch = [{ op: "add", path: "/first", value: true }, operation];
    expect(refusal(document, patch)).toEqual([kind, 1, message]);
  });

  test("validates the whole patch before applying it", () => {
    expect(refusal(document, [{ op: "test", path: "/a", value: 0 }, { op: "remove" }])[0]).toBe("malformed");
  });

  test("ignores inherited members of an operation", () => {
    const operation: unknown = Object.create({ op: "remove", path: "/a" });
    expect(refusal(document, [operation])[0]).toBe("malformed");
  });

  test("limits the number of operations like Kubernetes", () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/list/0", value: 1 }));
    expect(refusal(document, patch)).toEqual([
      "limit",
      undefined,
      "The allowed maximum operations in a JSON patch is 10000, got 10001",
    ]);
    expect(applyJsonPatch(document, patch.slice(1))).toBe(document);
  });
});

describe("the given document", () => {
  test("is returned if nothing changes", () => {
    const document = deepFreeze({ a: [1] });
    expect(applyJsonPatch(document, [])).toBe(document);
    expect(applyJsonPatch(document, [{ op: "test", path: "/a", value: [1] }])).toBe(document);
  });

  test("shares unchanged parts with the result", () => {
    const document = deepFreeze({ a: { b: { c: 1 } }, d: { e: [1, 2] } });
    const result = applyJsonPatch(document, [{ op: "replace", path: "/a/b/c", value: 2 }]);
    expect(result).toEqual({ a: { b: { c: 2 } }, d: { e: [1, 2] } });
    expect(result).toHaveProperty(
      "d",
      expect.toSatisfy((value) => value === document.d),
    );
  });

  test("is never modified, nor are the values of the patch", () => {
    const pointer = fc.constantFrom("", "/a", "/b", "/a/b", "/a/0", "/a/-", "/b/1/a", "/a/a/a", "/__proto__");
    const leaf = fc.constantFrom<Json>(1, null, "x");
    const value = fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.oneof(leaf, fc.array(leaf)), {
        noNullPrototype: true,
      }),
    );
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom("add", "replace"), path: pointer, value }),
      fc.record({ op: fc.constantFrom("move", "copy"), from: pointer, path: pointer }),
      fc.record({ op: fc.constant("remove"), path: pointer }),
    );
    const document = fc.record({ a: value, b: fc.array(value, { maxLength: 3 }) }, { noNullPrototype: true });
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 8 }), (document, patch) => {
        const before = JSON.stringify([document, patch]);
        const frozen = outcome(deepFreeze(structuredClone(document)), deepFreeze(structuredClone(patch)));
        // One operation at a time, each on a copy of its own: what sharing must be indistinguishable from.
        let expected: Json | undefined = structuredClone(document);
        for (const single of patch) {
          if (expected === undefined) break;
          expected = outcome(structuredClone(expected), structuredClone([single]));
        }
        expect(JSON.stringify(frozen)).toBe(JSON.stringify(expected));
        expect(JSON.stringify([document, patch])).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("hostile patches", () => {
  test.each(["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"])(
    "%s is an ordinary field",
    (key) => {
      const result = applyJsonPatch(deepFreeze({ keep: 1 }), [
        { op: "add", path: `/${key}`, value: {} },
        { op: "add", path: `/${key}/polluted`, value: true },
        { op: "test", path: `/${key}/polluted`, value: true },
        { op: "copy", from: `/${key}`, path: "/copied" },
        { op: "replace", path: `/${key}/polluted`, value: 1 },
      ]);
      expect(JSON.stringify(result)).toBe(`{"keep":1,"${key}":{"polluted":1},"copied":{"polluted":true}}`);
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
      expect(applyJsonPatch(result, [{ op: "remove", path: `/${key}` }])).toEqual({
        keep: 1,
        copied: { polluted: true },
      });
    },
  );

  test.each([
    [{ op: "add", path: "/__proto__/polluted", value: 1 }],
    [{ op: "add", path: "/constructor/prototype/polluted", value: 1 }],
    [{ op: "copy", from: "/constructor", path: "/a" }],
    [{ op: "test", path: "/toString", value: {} }],
    [{ op: "remove", path: "/valueOf" }],
  ])("cannot reach inherited properties: %j", (operation) => {
    expect(refusal({}, [operation])[0]).toBe("path");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("limits the size of nested copies", () => {
    const bomb = Array.from({ length: 100 }, (_, index) => ({ op: "copy", from: "", path: `/c${index}` }));
    const [kind, operation, message] = refusal(deepFreeze({ text: "x".repeat(100) }), bomb);
    expect(kind).toBe("limit");
    expect(operation).toBeLessThan(20);
    expect(message).toMatch(
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });

  test("limits copies of a list into itself", () => {
    const bomb = Array.from({ length: 100 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    expect(refusal({ a: ["x"] }, bomb)[0]).toBe("limit");
  });

  test("maxCopySize sets the limit", () => {
    const patch = [{ op: "copy", from: "/a", path: "/b" }];
    expect(applyJsonPatch({ a: "12345678" }, patch, { maxCopySize: 10 })).toEqual({
      a: "12345678",
      b: "12345678",
    });
    expect(() => applyJsonPatch({ a: "123456789" }, patch, { maxCopySize: 10 })).toThrow(PatchError);
  });

  test("handles nesting far deeper than the call stack", () => {
    const path = "/a".repeat(20_000);
    const result = applyJsonPatch(deepFreeze(nested(20_000)), [
      { op: "test", path: "", value: nested(20_000) },
      { op: "replace", path, value: "new" },
      { op: "copy", from: "/a", path: "/b" },
      { op: "test", path, value: "new" },
      { op: "test", path: `/b${path.slice(2)}`, value: "new" },
    ]);
    expect(Object.keys(result ?? {})).toEqual(["a", "b"]);
  });

  test("does not copy a large list for each operation", () => {
    const list = deepFreeze(Array.from({ length: 100_000 }, (_, index) => index));
    const patch = Array.from({ length: 10_000 }, (_, index) => ({
      op: "replace",
      path: `/${index}`,
      value: -1,
    }));
    expect(applyJsonPatch(list, patch)).toEqual(list.map((item) => (item < 10_000 ? -1 : item)));
  });
});

test("a patch in steps pauses after each operation", () => {
  const patch = ["a", "b", "c"].map((field) => ({ op: "add", path: `/${field}`, value: 1 }));
  const steps = jsonPatchSteps({}, patch);
  const seen = [steps.next(), steps.next(), steps.next(), steps.next()];
  expect(seen.map(({ done }) => done)).toEqual([false, false, false, true]);
  expect(seen.at(-1)?.value).toEqual({ a: 1, b: 1, c: 1 });
});

function nested(depth: number): Json {
  let value: Json = "bottom";
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
}

/** The result, or undefined when refused. */
function outcome(document: Json, patch: unknown): Json | undefined {
  try {
    return applyJsonPatch(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

function refusal(document: Json, patch: unknown): [PatchErrorKind, number | undefined, string] {
  try {
    applyJsonPatch(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return [error.kind, error.operation, error.message];
    throw error;
  }
  throw new Error("the patch was not refused");
}
