import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "./heap.js";

test("stays in order when anything is added, removed or changed, and everybody knows its place", () => {
  const step = fc.record({
    type: fc.constantFrom("add", "add", "remove", "change"),
    index: fc.nat(),
    value: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: "max" }), (steps) => {
      const heap = new Heap<{ value: number; slot: number }>(
        (a, b) => a.value < b.value,
        (item, slot) => (item.slot = slot),
      );
      const items: { value: number; slot: number }[] = [];
      for (const { type, index, value } of steps) {
        const at = index % (items.length || 1);
        const item = items[at];
        if (type === "add") {
          const added = { value, slot: -1 };
          items.push(added);
          heap.add(added);
        } else if (item && type === "remove") {
          items.splice(at, 1);
          heap.remove(item.slot);
          expect(item.slot).toBe(-1);
        } else if (item) {
          item.value = value;
          heap.moved(item.slot);
        }
        expect(heap.size).toBe(items.length);
        expect(items.map(({ slot }) => slot).sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
      }
      const left = items.map(({ value }) => value).sort((a, b) => a - b);
      const drained: number[] = [];
      for (let first = heap.first; first; first = heap.first) {
        drained.push(first.value);
        heap.remove(0);
      }
      expect(drained).toEqual(left);
    }),
  );
});

test("says so when a slot is empty", () => {
  const heap = new Heap<number>(
    (a, b) => a < b,
    () => {},
  );
  expect(() => heap.remove(0)).toThrow("nothing is in slot 0");
  expect(() => heap.moved(3)).toThrow("nothing is in slot 3");
});
