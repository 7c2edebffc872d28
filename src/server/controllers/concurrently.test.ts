import { expect, test } from "vitest";
import { concurrently } from "./concurrently.js";
import { Gate } from "./fixtures/paced-store.js";

test("processes every item once, within the concurrency limit", async () => {
  const seen: number[] = [];
  let running = 0;
  await concurrently(Array.from({ length: 20 }).keys(), 3, async (item) => {
    running++;
    expect(running).toBeLessThanOrEqual(3);
    await Promise.resolve();
    seen.push(item);
    running--;
  });
  expect(seen.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 20 }).keys()]);
});

test("resolves for no items", async () => {
  const work = concurrently([], 3, () => Promise.reject(new Error("never")));
  await expect(work).resolves.toBeUndefined();
});

test("rejects after running items have ended, and starts no more", async () => {
  const gate = new Gate();
  const started: number[] = [];
  const ended: number[] = [];
  const all = concurrently([0, 1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    if (item === 0) throw new Error("no");
    await gate.pass();
    ended.push(item);
  });
  await gate.reached;
  gate.open();
  await expect(all).rejects.toThrow("no");
  expect([started, ended]).toEqual([[0, 1], [1]]);
});
