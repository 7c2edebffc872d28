import { expect, test } from "vitest";
import { comparable, type Comparable } from "./comparable.js";

test("keys and sets are sorted, and times are replaced", () => {
  const value = {
    map: new Map<unknown, unknown>([
      ["b", 1],
      ["a", new Set(["y", "x"])],
      [7, null],
    ]),
    list: ["y", undefined, "x"],
    nothing: undefined,
    when: new Date(0),
    told: "2026-01-01T00:00:00Z",
    endless: Infinity,
    at: new URL("http://localhost/a"),
  };
  expect(JSON.stringify(comparable(value))).toBe(
    JSON.stringify({
      at: "http://localhost/a",
      endless: "(Infinity)",
      list: ["y", null, "x"],
      map: { "7": null, a: ["x", "y"], b: 1 },
      told: "(a time)",
      when: "(a time)",
    }),
  );
});

test("uids and generated names are replaced by what they refer to", () => {
  expect(comparable({ owner: "u-1" }, new Map([["u-1", "(uid of Site default/a)"]]))).toEqual({
    owner: "(uid of Site default/a)",
  });
});

class Hidden {
  readonly #state = 1;
  state(): number {
    return this.#state;
  }
}
const endless: { self?: unknown } = {};
endless.self = endless;

test.each([
  ["a promise", Promise.resolve(1)],
  ["a promise", [Promise.resolve(1)]],
  ["a bigint", { n: 1n }],
  ["a function", { pages: () => 1 }],
  ["a symbol", Symbol("a")],
  ["a Map whose keys are not strings", new Map([[{}, 1]])],
  ["a cyclic value", endless],
  ["a Hidden without public fields", { world: new Hidden() }],
  ["a WeakMap without public fields", new WeakMap()],
])("%s cannot be compared", (what, value) => {
  expect(() => comparable(value)).toThrow(what);
  expect(() => comparable(value)).toThrow(/cannot be compared: return plain data/);
});

test("an object that occurs twice without a cycle can be compared", () => {
  const shared = { a: 1 };
  expect(comparable([shared, shared, new Map(), {}, []])).toEqual([shared, shared, {}, {}, []]);
});

test("types let plain data through, and no promise", () => {
  interface Row {
    readonly name: string;
  }
  const row: Row = { name: "a" };
  const through: readonly Comparable[] = [row, [row], new Map([["a", row]]), new Set([1]), "a", 1, null];
  // @ts-expect-error a promise is not comparable
  const promise: Comparable = Promise.resolve(row);
  expect([through.length, promise]).toHaveLength(2);
});
