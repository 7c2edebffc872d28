import { expect, test } from "vitest";
import type { Entry } from "../store.js";
import { RecentEntries } from "./recent-entries.js";

const entry = (key: string, bytes = 100, revision = 1): Entry => ({
  key,
  value: new Uint8Array(bytes),
  revision,
  created: 1,
});

test("keeps the newest entry of a key until it is deleted", () => {
  const recent = new RecentEntries(100_000);
  recent.set(entry("/a", 100, 1));
  recent.set(entry("/a", 100, 2));
  expect(recent.get("/a")?.revision).toBe(2);
  recent.delete("/a");
  expect(recent.get("/a")).toBeUndefined();
});

test("forgets what was used longest ago when there is no room", () => {
  const recent = new RecentEntries(10_000);
  for (let index = 0; index < 9; index++) recent.set(entry(`/${index}`, 800));
  recent.get("/0");
  recent.set(entry("/9", 800));
  recent.set(entry("/10", 800));
  expect(recent.get("/0")).toBeDefined();
  expect(recent.get("/1")).toBeUndefined();
  expect(recent.get("/10")).toBeDefined();
});

test("does not take what is too large, and forgets what it replaced", () => {
  const recent = new RecentEntries(10_000);
  recent.set(entry("/a", 100, 1));
  recent.set(entry("/a", 5_000, 2));
  expect(recent.get("/a")).toBeUndefined();
});
