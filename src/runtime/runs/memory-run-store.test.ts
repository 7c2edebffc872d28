import fc from "fast-check";
import { expect, test } from "vitest";
import { kindOf, writeOf } from "./fixtures/sample-run.js";
import type { Run } from "./run.js";
import { MemoryRunStore } from "./memory-run-store.js";
import { followFrom } from "./run-store.js";

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

function storeWith(runs: readonly Run[], options?: ConstructorParameters<typeof MemoryRunStore>[0]) {
  const store = new MemoryRunStore(options);
  for (const each of runs) store.add(each);
  return store;
}

test("keeps the newest runs of each object, oldest first", async () => {
  const runs = ["a", "a", "b", "a"].map((key) => run(key));
  const store = storeWith(runs, { perObject: 2 });
  expect(await store.find({ kind: "Site", key: "a" })).toEqual([runs[1], runs[3]]);
  expect(await store.find({ kind: "Site", key: "b" })).toEqual([runs[2]]);
  expect(await store.find({ kind: "Page", key: "a" })).toEqual([]);
  expect(await store.find()).toEqual([runs[1], runs[2], runs[3]]);
});

test("keeps kinds of the same name in different groups apart", async () => {
  const one = run("a", "Site", "one.dev/v1");
  const [old, second, third] = ["two.dev/v1", "two.dev/v2", "two.dev/v1"].map((version) =>
    run("a", "Site", version),
  ) as [Run, Run, Run];
  const core = run("a", "Site", "v1");
  const store = storeWith([old, one, second, third, core], { perObject: 2 });
  const find = (apiVersion: string) => store.find({ kind: { apiVersion, kind: "Site" }, key: "a" });
  expect(await find("one.dev/v2")).toEqual([one]);
  expect(await find("two.dev/v1")).toEqual([second, third]);
  expect(await find("v1")).toEqual([core]);
  expect(await find("three.dev/v1")).toEqual([]);
  expect(await store.find({ kind: "Site", key: "a" })).toEqual([one, second, third, core]);
  expect(await store.find({ kind: "Sit", key: "a" })).toEqual([]);
});

test("drops the oldest runs beyond the bounds per object and in total", async () => {
  const check = fc.asyncProperty(
    fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 60 }),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 12 }),
    async (keys, perObject, total) => {
      const store = new MemoryRunStore({ perObject, total });
      let kept: Run[] = [];
      for (const key of keys) {
        const added = run(key);
        store.add(added);
        kept.push(added);
        const own = kept.filter((each) => each.key === key);
        if (own.length > perObject) kept = kept.filter((each) => each !== own[0]);
        if (kept.length > total) kept = kept.slice(1);
        expect(await store.find()).toEqual(kept);
        expect(await store.find({ kind: "Site", key })).toEqual(kept.filter((each) => each.key === key));
      }
    },
  );
  await fc.assert(check);
});

test("selects by uid, controller, written object, time and id", async () => {
  const write = writeOf({ kind: kindOf("Page"), name: "front" });
  const first = { ...run("a"), uid: "1", writes: [write] };
  const second = { ...run("a"), uid: "2", controller: "pages" };
  const third = { ...run("a"), uid: "2" };
  const store = storeWith([first, second, third]);
  expect(await store.find({ key: "a", uid: "1" })).toEqual([first]);
  expect(await store.find({ controller: "pages" })).toEqual([second]);
  expect(await store.find({ wrote: { kind: "Page", namespace: "default", name: "front" } })).toEqual([first]);
  expect(await store.find({ wrote: { kind: "Page", namespace: "other", name: "front" } })).toEqual([]);
  expect(await store.find({ since: second.startedAt })).toEqual([second, third]);
  expect(await store.find({ after: second.id })).toEqual([third]);
  expect(await store.find({ after: "unknown", limit: 2 })).toEqual([second, third]);
  expect(await store.find({ limit: 0 })).toEqual([]);
});

test("calls listeners until they unsubscribe", () => {
  const store = new MemoryRunStore();
  const heard: Run[] = [];
  const unsubscribe = store.follow((each) => heard.push(each));
  const first = run("a");
  store.add(first);
  unsubscribe();
  store.add(run("a"));
  expect(heard).toEqual([first]);
});

test("followFrom reports stored runs, then new ones, each once and in order", async () => {
  const [first, second, third] = [run("a"), run("a"), run("a")];
  const store = storeWith([first, run("b")]);
  const heard: Run[] = [];
  const ending = new AbortController();
  const caughtUp = followFrom(store, { key: "a" }, ending.signal, (each) => heard.push(each));
  store.add(second);
  expect(heard).toEqual([]);
  await caughtUp;
  store.add(run("b"));
  store.add(third);
  ending.abort();
  store.add(run("a"));
  expect(heard).toEqual([first, second, third]);
});
