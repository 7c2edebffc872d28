import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import { Compacted } from "../errors.js";
import type { Put, Store } from "../store.js";
import { openDatabase } from "./engine.js";
import { openSqliteStore } from "./sqlite-store.js";
import { verifySqliteStore } from "./verify.js";
import { Writer, writerFailure } from "./writer.js";

let directory: string;
let store: Store;
const clock = new VirtualClock();
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "fettle-writing-"));
  store = await openSqliteStore(directory, { clock, retention: { age: "1h", count: 1000, every: "1m" } });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const put = (key: string, bytes = 10): Put => ({ type: "put", key, value: new Uint8Array(bytes) });
const settings = () => ({ path: join(directory, "store.db"), indexAfter: 1000 });
const query = (sql: string): unknown => {
  const database = openDatabase(join(directory, "store.db"), { readOnly: true });
  try {
    return Object.values(database.prepare(sql).get() ?? {})[0];
  } finally {
    database.close();
  }
};

test("reads complete while a commit is being written", async () => {
  await store.commit([put("/a")]);
  let written = false;
  const large = store.commit(Array.from({ length: 1000 }, (_, index) => put(`/${index}`, 20_000)));
  void large.then(() => (written = true));
  for (let time = 0; time < 100; time++) expect(await store.get("/a")).toBeDefined();
  expect((await store.range({ prefix: "/" })).entries).toHaveLength(1);
  expect(written).toBe(false);
  await large;
  expect((await store.count({ prefix: "/" })).count).toBe(1001);
});

test("concurrent commits share a transaction and keep their order", async () => {
  const revisions = await Promise.all(
    Array.from({ length: 100 }, (_, index) => store.commit([put(`/${index}`)])),
  );
  expect(revisions.map(({ revision }) => revision)).toEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  );
  expect(query("SELECT count(DISTINCT time) FROM log")).toBe(1);
});

test("retention by count deletes history in the background, step by step", async () => {
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => store.commit([put(`/${index}`)])));
  }
  expect(query("SELECT count(*) FROM log")).toBe(3000);
  await clock.advance(60_000);
  expect(await store.status()).toEqual({ revision: 3000, floor: 2000 });
  await expect(store.get("/1", { revision: 1999 })).rejects.toThrow(Compacted);
  // Closing waits for the current step; the rest is deleted after the next compaction.
  await store.close();
  store = await openSqliteStore(directory, { clock, retention: { count: 10, every: "1m" } });
  await clock.advance(60_000);
  expect((await store.status()).floor).toBe(2990);
  await swept(110);
  expect((await store.range({ prefix: "/" })).entries).toHaveLength(100);
  await store.close();
  expect(verifySqliteStore(directory)).toEqual([]);
});

test("retention by age compacts history", async () => {
  await store.commit([put("/a")]);
  await clock.advance(30 * 60_000);
  const { revision } = await store.commit([put("/a")]);
  await store.commit([put("/b")]);
  await clock.advance(29 * 60_000);
  expect((await store.status()).floor).toBe(0);
  await clock.advance(3 * 60_000);
  expect((await store.status()).floor).toBe(revision - 1);
  // A check takes real time, and the next one is scheduled only after it.
  while ((await store.status()).floor < 3) {
    await clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await store.range({ prefix: "/" })).entries).toHaveLength(2);
});

test("a commit that does not fit on the disk fails without failing the others of its group", async () => {
  await store.commit([put("/a", 1000)]);
  await store.close();
  const writer = new Writer(settings(), { maxPages: 40 });
  const commit = (key: string, bytes: number) => [
    { key, expect: -1, value: new Uint8Array(bytes), expires: undefined },
  ];
  const commits = [commit("/small", 100), commit("/large", 1_000_000), commit("/small", 100)];
  const outcomes = writer.commit(commits, 0);
  expect(outcomes.map((outcome) => outcome.type)).toEqual(["committed", "failed", "committed"]);
  expect(outcomes[1]).toMatchObject({ reason: "full" });
  expect(outcomes[2]).toMatchObject({ revision: 3 });
  writer.close();
  expect(verifySqliteStore(directory)).toEqual([]);
  store = await openSqliteStore(directory, { clock });
  expect((await store.range({ prefix: "/" })).entries.map((entry) => entry.key)).toEqual(["/a", "/small"]);
});

test("every commit of a group fails when no transaction can be started", async () => {
  await store.close();
  const writer = new Writer(settings());
  writer.close();
  const commit = (key: string) => [{ key, expect: -1, value: new Uint8Array(1), expires: undefined }];
  const outcomes = writer.commit([commit("/a"), commit("/b")], 0);
  expect(outcomes.map((outcome) => outcome.type)).toEqual(["failed", "failed"]);
});

test("a commit is uncertain when the disk fails, because the log may have it already", () => {
  expect(writerFailure(new Error("disk I/O error"))).toMatchObject({ reason: "uncertain" });
  expect(writerFailure(new Error("database or disk is full"))).toMatchObject({ reason: "full" });
});

/** Waits until the log has at most this many rows. */
async function swept(rows: number): Promise<void> {
  while (Number(query("SELECT count(*) FROM log")) > rows)
    await new Promise((resolve) => setImmediate(resolve));
}
