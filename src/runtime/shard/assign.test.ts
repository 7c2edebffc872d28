import fc from "fast-check";
import { expect, test } from "vitest";
import { assign } from "./assign.js";
import { shardOf } from "./shard-of.js";

const names = ["a", "b", "c", "d", "e", "f", "g"];
const members = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: names.length });
const owners = fc.array(fc.option(fc.constantFrom(...names), { nil: undefined }), {
  minLength: 1,
  maxLength: 80,
});

function counts(assigned: readonly string[], all: readonly string[]): number[] {
  return all.map((member) => assigned.filter((each) => each === member).length);
}

test("every shard has an owner, and shares differ by at most one", () => {
  fc.assert(
    fc.property(owners, members, (owners, members) => {
      const assigned = assign(owners, members);
      expect(assigned).toHaveLength(owners.length);
      for (const each of assigned) expect(members).toContain(each);
      const all = counts(assigned, members);
      expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1);
    }),
  );
});

test("an assignment stays the same when it is made again, whatever the order of the members", () => {
  fc.assert(
    fc.property(owners, members, (owners, members) => {
      const assigned = assign(owners, members);
      expect(assign(assigned, members)).toEqual(assigned);
      expect(assign(owners, members.toReversed())).toEqual(assigned);
    }),
  );
});

test("only free shards and those above a share move", () => {
  fc.assert(
    fc.property(owners, members, (owners, members) => {
      const assigned = assign(owners, members);
      const moved = owners.filter((owner, shard) => owner !== assigned[shard]).length;
      const held = counts(owners as string[], members).toSorted((a, b) => b - a);
      const least = Math.floor(owners.length / members.length);
      const more = owners.length % members.length;
      const kept = held.reduce((sum, each, rank) => sum + Math.min(each, least + (rank < more ? 1 : 0)), 0);
      expect(moved).toBe(owners.length - kept);
    }),
  );
});

test("when a member joins or leaves, only its own share moves", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), members, (shards, members) => {
      const before = assign(Array.from({ length: shards }), members);
      const after = assign(before, [...members, "new"]);
      const moved = before.filter((owner, shard) => owner !== after[shard]).length;
      expect(moved).toBe(after.filter((each) => each === "new").length);
      expect(moved).toBeLessThanOrEqual(Math.ceil(shards / (members.length + 1)));
      const again = assign(after, members);
      for (const [shard, owner] of after.entries()) if (owner !== "new") expect(again[shard]).toBe(owner);
    }),
  );
});

test("objects are spread over the shards, and the shard of an object never changes", () => {
  const sizes = Array.from({ length: 64 }, () => 0);
  for (let index = 0; index < 64_000; index++) {
    const shard = shardOf(`default/site-${index}`, 64);
    sizes[shard] = (sizes[shard] ?? 0) + 1;
  }
  expect(Math.min(...sizes)).toBeGreaterThan(800);
  expect(Math.max(...sizes)).toBeLessThan(1200);
  // Processes of different versions work side by side: these numbers must stay.
  expect(["default/hello", "hello", "münchen/straße", ""].map((key) => shardOf(key, 4096))).toEqual([
    1315, 3740, 3117, 3083,
  ]);
});
