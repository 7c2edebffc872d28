import { expect, test } from "vitest";
import { cpuProfile, heapProfile, heapSnapshot } from "./profile.js";

const mebibyte = 2 ** 20;

test("a snapshot is refused where it would take too long, or needs more memory than there is", () => {
  expect(() => heapSnapshot({ heapUsed: 2000 * mebibyte, available: Infinity })).toThrow(
    "the heap has 2000 MiB, and a snapshot of more than 1536 MiB would stop the process for too long; take a profile",
  );
  expect(() => heapSnapshot({ heapUsed: 500 * mebibyte, available: 400 * mebibyte })).toThrow(
    "needs as much again, but 400 MiB are free",
  );
});

test("there is one profile at a time, and an aborted one makes room for the next", async () => {
  const stopping = new AbortController();
  const first = heapProfile(600_000, stopping.signal);
  expect(() => cpuProfile(1000, stopping.signal)).toThrow("another profile is being taken");
  expect(() => heapSnapshot()).toThrow("another profile is being taken");
  stopping.abort();
  await expect(first).rejects.toThrow("aborted");
  const profile = JSON.parse(await cpuProfile(1, new AbortController().signal)) as object;
  expect(profile).toHaveProperty("nodes");
});

test("a snapshot that nobody reads holds nothing back", async () => {
  heapSnapshot({ heapUsed: 0 });
  await expect(heapProfile(1, new AbortController().signal)).resolves.toContain("head");
});
