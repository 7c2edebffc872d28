import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import type { Entry, Put, Store, StoreEvent } from "../store.js";
import { openDatabase } from "./engine.js";
import { openSqliteStore, type SqliteStoreOptions } from "./sqlite-store.js";
import { verifySqliteStore } from "./verify.js";
import { Writer } from "./writer.js";

let base: string;
let directory: string;
const clock = new VirtualClock();
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "fettle-indexing-"));
  directory = join(base, "data");
});
afterEach(() => rmSync(base, { recursive: true }));

const open = (options: SqliteStoreOptions = {}): Promise<Store> =>
  openSqliteStore(directory, { clock, retention: { count: Infinity, age: "10000h" }, ...options });
const put = (key: string, text = key): Put => ({ type: "put", key, value: new TextEncoder().encode(text) });
const texts = (entries: readonly Entry[]): string[] =>
  entries.map(({ key, value, revision }) => `${key}=${new TextDecoder().decode(value)}@${revision}`);
const query = (sql: string): number => {
  const database = openDatabase(join(directory, "store.db"), { readOnly: true });
  try {
    return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  } finally {
    database.close();
  }
};

/** Copies the files as a process that is killed now would leave them. */
function copyFiles(): string {
  const copy = mkdtempSync(join(base, "copy-"));
  for (const name of ["store.db", "store.db-wal", "store.sums", "store.mark"])
    cpSync(join(directory, name), join(copy, name));
  return copy;
}

/** Reads everything: the state at every revision, and all events with the versions they replaced. */
async function contents(store: Store): Promise<unknown> {
  const { revision: newest, floor } = await store.status();
  const states: string[][] = [];
  for (let revision = floor; revision <= newest; revision++) {
    const { entries } = await store.range({ prefix: "/", revision });
    expect((await store.count({ prefix: "/", revision })).count).toBe(entries.length);
    for (const entry of entries) expect(await store.get(entry.key, { revision })).toEqual(entry);
    states.push(texts(entries));
  }
  const events: StoreEvent[] = [];
  if (newest > floor) {
    for await (const batch of store.watch({ prefix: "/", from: floor, previous: true })) {
      events.push(...batch.events);
      if (batch.revision === newest) break;
    }
  }
  return { newest, floor, states, events };
}

/** Makes commits of all kinds, to few keys. */
async function writeSome(store: Store, commits: number): Promise<void> {
  for (let turn = 0; turn < commits; turn++) {
    const key = `/${(turn * 7) % 13}`;
    if (turn % 5 === 4) await store.commit([{ type: "delete", key }]);
    else if (turn % 5 === 3)
      await store.commit([put(key, `${turn}`), put(`/new/${turn}`), put("/hot", `${turn}`)]);
    else await store.commit([{ ...put(key, `${turn}`), ttl: turn % 2 === 0 ? 3_600_000 : undefined }]);
  }
}

test("mutations that are not indexed are read from the log after a crash", async () => {
  const store = await open();
  await writeSome(store, 60);
  expect(query("SELECT count(*) FROM versions")).toBe(0);
  const expected = await contents(store);
  const copy = copyFiles();
  await store.close();
  expect(verifySqliteStore(copy)).toEqual([]);
  const again = await openSqliteStore(copy, { clock });
  expect(await contents(again)).toEqual(expected);
  await again.commit([put("/hot", "after")]);
  await again.close();
  expect(verifySqliteStore(copy)).toEqual([]);
});

test("closing indexes everything without changing what is read", async () => {
  let store = await open();
  await writeSome(store, 60);
  const expected = await contents(store);
  await store.close();
  expect(query("SELECT max(id) FROM log")).toBeLessThanOrEqual(
    query("SELECT id FROM marks WHERE name = 'indexed'"),
  );
  expect(query("SELECT count(*) FROM versions")).toBe(query("SELECT count(value) FROM log"));
  store = await open();
  expect(await contents(store)).toEqual(expected);
  await store.close();
});

test("a store is intact after a crash between any two indexing steps", async () => {
  await (await open()).close();
  const writer = new Writer({ path: join(directory, "store.db"), indexAfter: 8 });
  const mutation = (key: string, deleted = false) => ({
    key,
    expect: -1,
    value: deleted ? undefined : new Uint8Array(3),
    expires: undefined,
  });
  const copies = new Map<number, string>();
  let steps = 0;
  for (let turn = 0; turn < 60; turn++) {
    writer.commit([[mutation(`/${(turn * 7) % 13}`, turn % 4 === 3), mutation("/hot")]], turn);
    if (turn % 16 === 15) writer.sweep(turn - 10);
    if (writer.indexIfDue() !== undefined) steps++;
    if (turn % 3 === 0) copies.set(turn, copyFiles());
  }
  expect(steps).toBeGreaterThan(10);
  writer.close();
  const complete = await open();
  const expected = (await contents(complete)) as { states: string[][]; floor: number };
  await complete.close();
  for (const [turn, copy] of copies) {
    expect(verifySqliteStore(copy)).toEqual([]);
    const store = await openSqliteStore(copy, { clock, indexAfter: 8 });
    const { revision } = await store.status();
    expect(revision).toBe(turn + 1);
    if (revision >= expected.floor) {
      const { entries } = await store.range({ prefix: "/" });
      expect(texts(entries)).toEqual(expected.states[revision - expected.floor]);
    }
    await store.close();
    expect(verifySqliteStore(copy)).toEqual([]);
  }
});

test("a key with more mutations than a step takes is indexed in several steps", async () => {
  const plain = await open();
  await plain.commit([put("/a"), put("/z")]);
  for (let turn = 0; turn < 30; turn++) await plain.commit([put("/hot", `${turn}`)]);
  const expected = await contents(plain);
  await plain.close();
  rmSync(directory, { recursive: true });

  const store = await open({ indexAfter: 8 });
  await store.commit([put("/a"), put("/z")]);
  for (let turn = 0; turn < 30; turn++) {
    await store.commit([put("/hot", `${turn}`)]);
    const { revision } = await store.status();
    expect(texts((await store.range({ prefix: "/" })).entries)[1]).toBe(`/hot=${turn}@${revision}`);
  }
  expect(query("SELECT count(*) FROM versions WHERE key = '/hot'")).toBeGreaterThan(0);
  expect(await contents(store)).toEqual(expected);
  await store.close();
  expect(verifySqliteStore(directory)).toEqual([]);
});

test("compaction beyond the indexed mutations indexes them first, then deletes history", async () => {
  const store = await open();
  await writeSome(store, 60);
  const before = texts((await store.range({ prefix: "/" })).entries);
  const { revision } = await store.status();
  await store.compact(revision - 5);
  const kept = await contents(store);
  while (query("SELECT count(*) FROM log") > before.length + 15) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await contents(store)).toEqual(kept);
  expect(texts((await store.range({ prefix: "/" })).entries)).toEqual(before);
  await store.close();
  expect(verifySqliteStore(directory)).toEqual([]);
});

test("a key expires on time whether or not its newest mutation is indexed", async () => {
  const store = await open({ indexAfter: 4 });
  await store.commit([{ ...put("/indexed"), ttl: 1000 }]);
  await store.commit([{ ...put("/renewed"), ttl: 1000 }]);
  await store.commit([{ ...put("/kept"), ttl: 1000 }]);
  while (query("SELECT count(*) FROM versions WHERE key = '/renewed'") === 0) await store.commit([put("/x")]);
  await store.commit([{ ...put("/renewed", "again"), ttl: 5000 }, put("/kept", "for good")]);
  await store.commit([{ ...put("/young"), ttl: 1000 }]);
  await clock.advance(1100);
  await expect
    .poll(async () => (await store.range({ prefix: "/" })).entries.map(({ key }) => key))
    .toEqual(["/kept", "/renewed", "/x"]);
  await clock.advance(5000);
  await expect.poll(async () => (await store.count({ prefix: "/" })).count).toBe(2);
  await store.close();
});
