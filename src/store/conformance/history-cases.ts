import assert from "node:assert/strict";
import { Compacted, FutureRevision } from "../errors.js";
import type { Store } from "../store.js";
import {
  firstOf,
  commit,
  put,
  readThrough,
  remove,
  showEntry,
  showEvent,
  text,
  type Cases,
} from "./harness.js";

/** Promises about reading old revisions, compaction and times to live. */
export const historyCases: Cases = {
  async "every revision since the floor can be read"(store) {
    const first = await commit(store, put("/a", "1"));
    const second = await commit(store, put("/a", "2"), put("/b", "2"));
    const third = await commit(store, remove("/a"));
    const at = async (revision: number): Promise<string[]> =>
      (await store.range({ prefix: "/", revision })).entries.map(showEntry);
    assert.deepEqual(await at(0), []);
    assert.deepEqual(await at(first), [`/a=1@${first}`]);
    assert.deepEqual(await at(second), [`/a=2@${second}`, `/b=2@${second}`]);
    assert.deepEqual(await at(third), [`/b=2@${second}`]);
    assert.equal(await store.get("/a", { revision: third }), undefined);
    assert.equal(text((await store.get("/a", { revision: first }))?.value ?? assert.fail()), "1");
  },

  async "pages of one revision are consistent while others write"(store) {
    for (let index = 0; index < 25; index++)
      await commit(store, put(`/k/${String(index).padStart(2, "0")}`, "old"));
    const { revision } = await store.status();
    const keys: string[] = [];
    let after: string | undefined;
    for (let more = true, page = 0; more; page++) {
      const result = await store.range({ prefix: "/k/", limit: 10, revision, after });
      assert(result.entries.every((entry) => text(entry.value) === "old"));
      keys.push(...result.entries.map((entry) => entry.key));
      after = result.entries.at(-1)?.key;
      more = result.more;
      await commit(store, put(`/k/1${page}x`, "new"), put(`/k/2${page}`, "new"), remove(`/k/1${page}`));
    }
    assert.equal(keys.length, 25);
    assert.deepEqual(keys, keys.toSorted());
    assert.equal((await store.count({ prefix: "/k/", revision })).count, 25);
    assert.equal((await store.count({ prefix: "/k/", revision, after: "/k/19" })).count, 5);
  },

  async "a page ends with the entry that reaches its bytes, and the next one goes on after it"(store) {
    const sizes = [10, 20_000, 30, 40_000, 50_000, 1];
    for (const [index, size] of sizes.entries()) await commit(store, put(`/k${index}`, "x".repeat(size)));
    const pagesOf = async (bytes: number, limit?: number): Promise<number[][]> => {
      const pages: number[][] = [];
      let after: string | undefined;
      for (let more = true; more;) {
        const page = await store.range({ prefix: "/k", bytes, limit, after });
        pages.push(page.entries.map(({ value }) => value.length));
        after = page.entries.at(-1)?.key;
        more = page.more;
      }
      return pages;
    };
    assert.deepEqual(await pagesOf(20_010), [[10, 20_000], [30, 40_000], [50_000], [1]]);
    assert.deepEqual(await pagesOf(20_011), [[10, 20_000, 30], [40_000], [50_000], [1]]);
    assert.deepEqual(await pagesOf(1_000_000), [sizes]);
    assert.deepEqual(await pagesOf(140_000, 4), [
      [10, 20_000, 30, 40_000],
      [50_000, 1],
    ]);
    assert.deepEqual(
      await pagesOf(1),
      sizes.map((size) => [size]),
    );
  },

  async "more is false when the limit is exactly reached"(store) {
    for (const key of ["/a", "/b", "/c"]) await commit(store, put(key, "x"));
    assert.equal((await store.range({ prefix: "/", limit: 3 })).more, false);
    assert.equal((await store.range({ prefix: "/", limit: 2 })).more, true);
    assert.equal((await store.range({ prefix: "/", limit: 2, after: "/b" })).more, false);
    assert.deepEqual(
      (await store.range({ prefix: "/b", after: "/a" })).entries.map((entry) => entry.key),
      ["/b"],
    );
    assert.deepEqual((await store.range({ prefix: "/", after: "/c" })).entries, []);
  },

  async "a long range returns entries of one revision"(store) {
    for (let index = 0; index < 30; index++) {
      await store.commit(Array.from({ length: 100 }, (_, place) => put(`/${index}-${place}`, "old")));
    }
    const range = store.range({ prefix: "/" });
    const writes = Array.from({ length: 30 }, (_, index) => commit(store, put(`/${index}-50`, "new")));
    const { entries } = await range;
    await Promise.all(writes);
    assert.equal(entries.length, 3000);
    assert(entries.every((entry) => text(entry.value) === "old"));
  },

  async "reading a revision that does not exist yet fails with FutureRevision"(store) {
    const revision = await commit(store, put("/a", "1"));
    await assert.rejects(store.get("/a", { revision: revision + 1 }), FutureRevision);
    await assert.rejects(store.range({ prefix: "/", revision: revision + 1 }), FutureRevision);
    await assert.rejects(store.count({ prefix: "/", revision: revision + 1 }), FutureRevision);
    await assert.rejects(store.compact(revision + 1), FutureRevision);
    await assert.rejects(firstOf(store.watch({ prefix: "/", from: revision + 1 })), FutureRevision);
  },

  async "compaction keeps the state at the floor and every event after it"(store) {
    await checkCompaction(store, await compactedHistory(store));
  },

  async "compaction of a long history does not change the newest state"(store) {
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => commit(store, put(`/${index}`, `${round}`))),
      );
    }
    for (let index = 0; index < 10; index++) await commit(store, remove(`/${index}`));
    const { revision } = await store.status();
    const before = (await store.range({ prefix: "/" })).entries.map(showEntry);
    await store.compact(revision);
    assert.deepEqual((await store.range({ prefix: "/" })).entries.map(showEntry), before);
    assert.equal(before.length, 40);
    await commit(store, put("/0", "again"));
    assert.equal((await store.count({ prefix: "/" })).count, 41);
  },

  async "a key with a time to live is deleted when it expires, and watchers see the delete"(store, harness) {
    const stays = await commit(store, put("/stays", "x"));
    const first = await commit(store, put("/brief", "1", { ttl: 60_000 }));
    const kept = await commit(store, put("/kept", "1", { ttl: 60_000 }));
    assert((await store.get("/brief"))?.expires !== undefined);
    const iterator = store.watch({ prefix: "/", from: stays, previous: true })[Symbol.asyncIterator]();
    await commit(store, put("/kept", "2"));
    await harness.advance(59_000);
    assert.equal((await store.range({ prefix: "/" })).entries.length, 3);
    await harness.advance(2000);
    const seen: string[] = [];
    while (!seen.some((event) => event.startsWith("/brief deleted"))) {
      const { value } = await iterator.next();
      seen.push(...(value?.events ?? []).map(showEvent));
    }
    await iterator.return?.();
    const { revision } = await store.status();
    assert.equal(seen.at(-1), `/brief deleted@${revision} was /brief=1@${first}`);
    assert.equal(await store.get("/brief"), undefined);
    assert.equal((await store.get("/kept"))?.expires, undefined);
    assert.equal((await store.get("/kept", { revision: kept }))?.expires === undefined, false);
    await harness.advance(600_000);
    assert.equal((await store.count({ prefix: "/" })).count, 2);
  },

  async "putting a key again replaces its time to live"(store, harness) {
    await commit(store, put("/a", "1", { ttl: 60_000 }));
    await harness.advance(50_000);
    await commit(store, put("/a", "2", { ttl: 60_000 }));
    await harness.advance(50_000);
    assert.equal((await store.count({ prefix: "/" })).count, 1);
    const iterator = store.watch({ prefix: "/" })[Symbol.asyncIterator]();
    const gone = iterator.next();
    await harness.advance(11_000);
    assert.equal((await gone).value?.events[0]?.type, "delete");
    await iterator.return?.();
  },
};

/** Writes three revisions and compacts to the second. */
export async function compactedHistory(store: Store): Promise<{ old: number; floor: number; last: number }> {
  const old = await commit(store, put("/a", "1"), put("/gone", "1"));
  const floor = await commit(store, put("/a", "2"), remove("/gone"));
  const last = await commit(store, put("/a", "3"));
  await store.compact(floor);
  await store.compact(old);
  return { old, floor, last };
}

export async function checkCompaction(
  store: Store,
  { old, floor, last }: { old: number; floor: number; last: number },
): Promise<void> {
  assert.deepEqual(await store.status(), { revision: last, floor });
  await assert.rejects(store.get("/a", { revision: old }), (error) => {
    assert(error instanceof Compacted);
    assert.deepEqual([error.revision, error.floor], [old, floor]);
    return true;
  });
  await assert.rejects(firstOf(store.watch({ prefix: "/", from: old })), Compacted);
  const { entries } = await store.range({ prefix: "/", revision: floor });
  assert.deepEqual(entries.map(showEntry), [`/a=2@${floor}`]);
  const seen = await readThrough(store.watch({ prefix: "/", from: floor, previous: true }), last);
  assert.deepEqual(seen.map(showEvent), [`/a=3@${last} was /a=2@${floor}`]);
}
