import { expect, test } from "vitest";
import { redistribute, type Situation } from "./redistribute.js";
import type { ShardMap } from "./shard-map.js";

const map = (owners: ShardMap["owners"], ...stopping: readonly string[]): ShardMap => ({
  owners,
  stopping: new Set(stopping),
});
const situation = (changes: Partial<Situation> = {}): Situation => ({
  me: "a",
  stopping: false,
  members: ["a", "b"],
  isFree: () => false,
  draining: new Set(),
  drained: new Set(),
  ...changes,
});

test("takes free shards, up to its share", () => {
  const free = map([undefined, undefined, undefined, undefined]);
  expect(redistribute(free, situation()).map?.owners).toEqual(["a", "a", undefined, undefined]);
  expect(redistribute(free, situation({ me: "b" })).map?.owners).toEqual([undefined, undefined, "b", "b"]);
});

test("takes no shard of another member, unless that member is gone", () => {
  const held = map(["b", "b", "b", "b"]);
  expect(redistribute(held, situation())).toEqual({ release: new Set(), map: undefined });
  const gone = situation({ members: ["a"], isFree: (owner) => owner === "b" });
  expect(redistribute(held, gone).map?.owners).toEqual(["a", "a", "a", "a"]);
});

test("releases shards above its share once they have no active runs", () => {
  const held = map(["a", "a", "a", "a"]);
  expect(redistribute(held, situation())).toEqual({ release: new Set([2, 3]), map: undefined });
  const draining = { draining: new Set([2, 3]), drained: new Set([3]) };
  const { release, map: next } = redistribute(held, situation(draining));
  expect(release.size).toBe(0);
  expect(next?.owners).toEqual(["a", "a", "a", undefined]);
});

test("writes a released shard as free, even if it should be its own again", () => {
  const alone = situation({ members: ["a"], draining: new Set([0]), drained: new Set([0]) });
  const { map: next } = redistribute(map(["a", "a"]), alone);
  expect(next?.owners).toEqual([undefined, "a"]);
  expect(redistribute(next ?? map([]), situation({ members: ["a"] })).map?.owners).toEqual(["a", "a"]);
});

test("a member that stops releases all shards, and others no longer assign shards to it", () => {
  const held = map(["a", "a", "b", "b"]);
  const stopping = situation({ stopping: true });
  expect(redistribute(held, stopping).release).toEqual(new Set([0, 1]));
  const drained = { ...stopping, draining: new Set([0, 1]), drained: new Set([0]) };
  const { map: next } = redistribute(held, drained);
  expect(next).toEqual(map([undefined, "a", "b", "b"], "a"));
  const others = redistribute(next ?? held, situation({ me: "b" }));
  expect(others.map?.owners).toEqual(["b", "a", "b", "b"]);
  // The last one leaves what it has for whoever comes.
  const last = situation({ members: ["a"], stopping: true, draining: new Set([0]), drained: new Set([0]) });
  expect(redistribute(map(["a"]), last).map?.owners).toEqual([undefined]);
});
