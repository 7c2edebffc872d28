import fc from "fast-check";
import { expect, test } from "vitest";
import { Epochs } from "./epochs.js";

test("knows the oldest of what is there, in whatever order it comes and goes", () => {
  const change = fc.record({ epoch: fc.integer({ min: -5, max: 15 }), goes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 100, size: "max" }), (changes) => {
      const epochs = new Epochs();
      const there: number[] = [];
      for (const { epoch, goes } of changes) {
        const index = there.indexOf(epoch);
        if (!goes) {
          epochs.add(epoch);
          there.push(epoch);
        } else if (index >= 0) {
          epochs.remove(epoch);
          there.splice(index, 1);
        }
        expect(epochs.oldest).toBe(Math.min(...there));
      }
    }),
  );
});

test("a great many can come newest first, as when all that waits is raised", () => {
  const epochs = new Epochs();
  const wrong: number[] = [];
  for (let epoch = 300_000; epoch > 0; epoch--) {
    epochs.add(epoch);
    if (epochs.oldest !== epoch) wrong.push(epoch);
  }
  for (let epoch = 1; epoch <= 300_000; epoch++) {
    if (epochs.oldest !== epoch) wrong.push(epoch);
    epochs.remove(epoch);
  }
  expect(wrong).toEqual([]);
  expect(epochs.oldest).toBe(Infinity);
});
