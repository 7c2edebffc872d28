import { expect, test } from "vitest";
import { batched, chooseStrategy, immediate, scheduled } from "./strategy.js";

const never = { isOpen: () => false, nextOpening: () => Infinity };
const batches = batched({ size: 10, timeout: "30s" });
const nights = scheduled(never);

test("chooses a rule by type before one by priority", () => {
  const choose = chooseStrategy([
    { priority: 100, types: ["security"], strategy: immediate },
    { priority: 0, types: ["configuration"], strategy: batches },
    { priority: -Infinity, types: ["optimization"], strategy: nights },
  ]);
  const strategyOf = (priority: number, type?: string): string => choose({ key: "a", priority, type }).type;
  expect(strategyOf(100)).toBe("immediate");
  expect(strategyOf(0)).toBe("batched");
  expect(strategyOf(-1)).toBe("scheduled");
  expect(strategyOf(-1, "security")).toBe("immediate");
  expect(strategyOf(0, "optimization")).toBe("scheduled");
  expect(strategyOf(0, "something else")).toBe("batched");
});

test("falls back to immediate, or to the given strategy", () => {
  const rules = [{ types: ["optimization"], strategy: nights }];
  expect(chooseStrategy(rules)({ key: "a", priority: 5, type: undefined })).toBe(immediate);
  expect(chooseStrategy(rules, batches)({ key: "a", priority: 5, type: "other" })).toBe(batches);
});

test("batches of the same size and timeout are shared, unless they have different names", () => {
  expect(batched({ size: 10, timeout: 30_000 })).toEqual(batches);
  expect(batched({ size: 10, timeout: "30s", name: "other" })).not.toEqual(batches);
  expect(() => batched({ size: 0, timeout: "30s" })).toThrow(
    /cannot have the size 0: give a whole number of 1 or more/,
  );
});
