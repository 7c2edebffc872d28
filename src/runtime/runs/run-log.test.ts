import fc from "fast-check";
import { expect, test } from "vitest";
import type { Run } from "./run.js";
import { RunLog } from "./run-log.js";

let ids = 0;
function run(key: string, kind = "Site", apiVersion = "demo.dev/v1"): Run {
  return {
    id: `${++ids}`,
    controller: "sites",
    user: "system:fettle:controller:sites",
    apiVersion,
    kind,
    key,
    triggers: [],
    droppedTriggers: 0,
    wait: 0,
    startedAt: ids,
    duration: 0,
    failures: 0,
    steps: [],
    writes: [],
    droppedWrites: 0,
    outcome: { type: "done" },
  };
}

test("keeps the last runs of each object, oldest first", () => {
  const log = new RunLog({ perObject: 2 });
  const runs = ["a", "a", "b", "a"].map((key) => run(key));
  for (const each of runs) log.add(each);
  expect(log.of("Site", "a")).toEqual([runs[1], runs[3]]);
  expect(log.of("Site", "b")).toEqual([runs[2]]);
  expect(log.of("Page", "a")).toEqual([]);
  expect([...log.all()]).toEqual([runs[1], runs[2], runs[3]]);
});

test("kinds of one name in two groups do not take each other's place", () => {
  const log = new RunLog({ perObject: 2 });
  const one = run("a", "Site", "one.dev/v1");
  const two = [
    run("a", "Site", "two.dev/v1"),
    run("a", "Site", "two.dev/v2"),
    run("a", "Site", "two.dev/v1"),
  ];
  const core = run("a", "Site", "v1");
  for (const each of [two[0], one, two[1], two[2], core]) if (each !== undefined) log.add(each);
  expect(log.of({ apiVersion: "one.dev/v2", kind: "Site" }, "a")).toEqual([one]);
  expect(log.of({ apiVersion: "two.dev/v1", kind: "Site" }, "a")).toEqual([two[1], two[2]]);
  expect(log.of({ apiVersion: "v1", kind: "Site" }, "a")).toEqual([core]);
  expect(log.of({ apiVersion: "three.dev/v1", kind: "Site" }, "a")).toEqual([]);
  // Who names no group means them all.
  expect(log.of("Site", "a")).toEqual([one, two[1], two[2], core]);
  expect(log.of("Sit", "a")).toEqual([]);
});

test("is bounded per object and over all, and of what is over the oldest goes", () => {
  const check = fc.property(
    fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 60 }),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 12 }),
    (keys, perObject, total) => {
      const log = new RunLog({ perObject, total });
      let kept: Run[] = [];
      for (const key of keys) {
        const added = run(key);
        log.add(added);
        kept.push(added);
        const own = kept.filter((each) => each.key === key);
        if (own.length > perObject) kept = kept.filter((each) => each !== own[0]);
        if (kept.length > total) kept = kept.slice(1);
        expect([...log.all()]).toEqual(kept);
        expect(log.size).toBe(kept.length);
        expect(log.of("Site", key)).toEqual(kept.filter((each) => each.key === key));
      }
    },
  );
  fc.assert(check);
});

test("tells those who follow, until they leave", () => {
  const log = new RunLog();
  const told: Run[] = [];
  const leave = log.follow((each) => told.push(each));
  const first = run("a");
  log.add(first);
  leave();
  log.add(run("a"));
  expect(told).toEqual([first]);
});
