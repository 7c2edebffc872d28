import { expect, test } from "vitest";
import { redistribute, type Situation } from "./redistribute.js";
import type { ShardMap } from "./shard-map.js";

const map = (owners: ShardMap["owners"], ...leaving: readonly string[]): ShardMap => ({
  owners,
  leaving: new Set(leaving),
});
const situation = (changes: Partial<Situation> = {}): Situation => ({
  me: "a",
  stopping: false,
  members: ["a", "b"],
  isFree: () => false,
  leaving: new Set(),
  drained: new Set(),
  ...changes,
});

test("what is nobody's is taken, up to one's share", () => {
  const free = map([undefined, undefined, undefined, undefined]);
  expect(redistribute(free, situation()).map?.owners).toEqual(["a", "a", undefined, undefined]);
  expect(redistribute(free, situation({ me: "b" })).map?.owners).toEqual([undefined, undefined, "b", "b"]);
});

test("what another has is not taken, unless that one is gone", () => {
  const held = map(["b", "b", "b", "b"]);
  expect(redistribute(held, situation())).toEqual({ leave: new Set(), map: undefined });
  const gone = situation({ members: ["a"], isFree: (owner) => owner === "b" });
  expect(redistribute(held, gone).map?.owners).toEqual(["a", "a", "a", "a"]);
});

test("what should be another's is given up when nothing of it is under way", () => {
  const held = map(["a", "a", "a", "a"]);
  expect(redistribute(held, situation())).toEqual({ leave: new Set([2, 3]), map: undefined });
  const leaving = { leaving: new Set([2, 3]), drained: new Set([3]) };
  const { leave, map: next } = redistribute(held, situation(leaving));
  expect(leave.size).toBe(0);
  expect(next?.owners).toEqual(["a", "a", "a", undefined]);
});

test("what is given up is written as nobody's also when it should be ours again", () => {
  const alone = situation({ members: ["a"], leaving: new Set([0]), drained: new Set([0]) });
  const { map: next } = redistribute(map(["a", "a"]), alone);
  expect(next?.owners).toEqual([undefined, "a"]);
  expect(redistribute(next ?? map([]), situation({ members: ["a"] })).map?.owners).toEqual(["a", "a"]);
});

test("one that stops gives up all, and others no longer leave it its share", () => {
  const held = map(["a", "a", "b", "b"]);
  const stopping = situation({ stopping: true });
  expect(redistribute(held, stopping).leave).toEqual(new Set([0, 1]));
  const drained = { ...stopping, leaving: new Set([0, 1]), drained: new Set([0]) };
  const { map: next } = redistribute(held, drained);
  expect(next).toEqual(map([undefined, "a", "b", "b"], "a"));
  const others = redistribute(next ?? held, situation({ me: "b" }));
  expect(others.map?.owners).toEqual(["b", "a", "b", "b"]);
  // The last one leaves what it has for whoever comes.
  const last = situation({ members: ["a"], stopping: true, leaving: new Set([0]), drained: new Set([0]) });
  expect(redistribute(map(["a"]), last).map?.owners).toEqual([undefined]);
});
