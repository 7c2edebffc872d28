import { expect, test } from "vitest";
import type { Entry } from "../store.js";
import { RecentEntries } from "./recent-entries.js";

const entry = (key: string, bytes = 100, revision = 1): Entry => ({
  key,
  value: new Uint8Array(bytes),
  revision,
  created: 1,
});

test("returns the newest entry of a key until it is deleted", () => {
  const recent = new RecentEntries(100_000);
  recent.set(entry("/a", 100, 1));
  recent.set(entry("/a", 100, 2));
  expect(recent.get("/a")?.revision).toBe(2);
  recent.delete("/a");
  expect(recent.get("/a")).toBeUndefined();
});

test("evicts an entry that was not used while half of the limit was filled twice", () => {
  const recent = new RecentEntries(20_000);
  recent.set(entry("/kept", 800));
  recent.set(entry("/lost", 800));
  for (let index = 0; index < 30; index++) {
    recent.set(entry(`/${index}`, 800));
    recent.get("/kept");
  }
  expect(recent.get("/kept")).toBeDefined();
  expect(recent.get("/lost")).toBeUndefined();
  expect(recent.get("/29")).toBeDefined();
});

test("drops the entry of a key whose new value is too large", () => {
  const recent = new RecentEntries(10_000);
  recent.set(entry("/a", 100, 1));
  recent.set(entry("/a", 5_000, 2));
  expect(recent.get("/a")).toBeUndefined();
});
