import fc from "fast-check";
import { expect, test } from "vitest";
import { deepFreeze } from "./freeze.js";

function everyPart(value: unknown, visit: (part: object) => void): void {
  if (typeof value !== "object" || value === null) return;
  visit(value);
  for (const part of Object.values(value)) everyPart(part, visit);
}

test("freezes every part of a JSON value and returns the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deepFreeze(value)).toBe(value);
      everyPart(value, (part) => expect(Object.isFrozen(part)).toBe(true));
    }),
  );
});

test("terminates on cycles", () => {
  const loop: { self?: unknown; list: unknown[] } = { list: [] };
  loop.self = loop;
  loop.list.push(loop);
  deepFreeze(loop);
  expect(Object.isFrozen(loop.list)).toBe(true);
});

test("handles deep nesting", () => {
  let deep: unknown = {};
  for (let level = 0; level < 200_000; level++) deep = [deep];
  expect(() => deepFreeze(deep)).not.toThrow();
});

test("skips frozen parts", () => {
  const below = { open: true };
  deepFreeze({ shared: Object.freeze({ below }) });
  expect(Object.isFrozen(below)).toBe(false);
});

test("skips typed arrays", () => {
  const holder = { bytes: new Uint8Array(2) };
  expect(Object.isFrozen(deepFreeze(holder))).toBe(true);
});
