import assert from "node:assert/strict";
import { Compacted, Conflict, StoreClosed } from "../errors.js";
import {
  commit,
  firstOf,
  increment,
  put,
  readThrough,
  remove,
  showEntry,
  showEvent,
  text,
  type TwoStoreCases,
} from "./harness.js";

/** Promises of two stores that are open on one engine: together they behave like one. */
export const twoStoreCases: TwoStoreCases = {
  async "get, range and count see an acknowledged commit of the other store"(first, second) {
    for (const [writer, reader] of [
      [first, second],
      [second, first],
    ] as const) {
      const old = await commit(writer, put("/a", "1"), put("/b", "1"));
      const revision = await commit(writer, put("/a", "2"), remove("/b"));
      assert.equal(showEntry((await reader.get("/a")) ?? assert.fail()), `/a=2@${revision}`);
      assert.equal(await reader.get("/b"), undefined);
      const range = await reader.range({ prefix: "/" });
      assert.deepEqual(range.entries.map(showEntry), [`/a=2@${revision}`]);
      assert.equal(range.revision, revision);
      assert.deepEqual(await reader.count({ prefix: "/" }), { count: 1, revision });
      assert.equal((await reader.status()).revision, revision);
      const before = await reader.range({ prefix: "/", revision: old });
      assert.deepEqual(before.entries.map(showEntry), [`/a=1@${old}`, `/b=1@${old}`]);
    }
  },

  async "watches on both stores see the commits of both, once and in order"(first, second) {
    const stores = [first, second];
    const live = stores.map(async (store) => {
      const seen: number[] = [];
      for await (const { events } of store.watch({ prefix: "/" })) {
        seen.push(...events.map(({ revision }) => revision));
        if (seen.length >= 400) break;
      }
      return seen;
    });
    const revisions = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        commit(index % 2 === 0 ? first : second, put(`/${index % 7}`, String(index))),
      ),
    );
    const expected = revisions.toSorted((a, b) => a - b);
    for (const seen of await Promise.all(live)) assert.deepEqual(seen, expected);
    const newest = expected.at(-1) ?? 0;
    const histories = stores.map((store) =>
      readThrough(store.watch({ prefix: "/", from: 0, previous: true }), newest),
    );
    const [one, other] = (await Promise.all(histories)).map((events) => events.map(showEvent));
    assert.equal(one?.length, 400);
    assert.deepEqual(one, other);
  },

  async "of two stores that race for a key, one succeeds and the other fails with Conflict"(first, second) {
    for (let round = 0; round < 30; round++) {
      const results = await Promise.allSettled(
        [first, second].map((store, index) => commit(store, put(`/${round}`, String(index), { expect: 0 }))),
      );
      const won = results.findIndex(({ status }) => status === "fulfilled");
      const winner = results[won];
      const loser = results[1 - won];
      assert(winner?.status === "fulfilled" && loser?.status === "rejected");
      assert(loser.reason instanceof Conflict, String(loser.reason));
      assert.equal(loser.reason.actual, winner.value);
      for (const store of [first, second]) {
        assert.equal(text((await store.get(`/${round}`))?.value ?? assert.fail()), String(won));
      }
    }
  },

  async "increments by compare-and-swap through both stores are all counted"(first, second) {
    await commit(first, put("/n", "0"));
    await Promise.all(Array.from({ length: 40 }, (_, index) => increment(index % 2 ? first : second, "/n")));
    assert.equal(text((await second.get("/n"))?.value ?? assert.fail()), "40");
  },

  async "a watch resumes on the other store"(first, second) {
    const from = await commit(first, put("/a", "1"));
    const watch = first.watch({ prefix: "/", from, previous: true });
    const next = await commit(second, put("/a", "2"));
    const seen = await readThrough(watch, next);
    assert.deepEqual(seen.map(showEvent), [`/a=2@${next} was /a=1@${from}`]);
    const last = await commit(first, put("/b", "3"));
    const resumed = await readThrough(second.watch({ prefix: "/", from: next }), last);
    assert.deepEqual(resumed.map(showEvent), [`/b=3@${last}`]);
  },

  async "a watch can start from a revision that only the other store has returned so far"(first, second) {
    for (let round = 0; round < 20; round++) {
      const from = await commit(first, put("/a", String(round)));
      const watch = second.watch({ prefix: "/", from });
      const next = await commit(first, put(`/b/${round}`, "x"));
      assert.deepEqual((await readThrough(watch, next)).map(showEvent), [`/b/${round}=x@${next}`]);
    }
  },

  async "compaction through one store is reported by the other"(first, second) {
    const old = await commit(first, put("/a", "1"));
    const floor = await commit(second, put("/a", "2"));
    const last = await commit(second, put("/a", "3"));
    await first.compact(floor);
    assert.deepEqual(await second.status(), { revision: last, floor });
    await assert.rejects(second.get("/a", { revision: old }), Compacted);
    await assert.rejects(second.range({ prefix: "/", revision: old }), Compacted);
    await assert.rejects(second.count({ prefix: "/", revision: old }), Compacted);
    await assert.rejects(firstOf(second.watch({ prefix: "/", from: old })), Compacted);
    const seen = await readThrough(second.watch({ prefix: "/", from: floor, previous: true }), last);
    assert.deepEqual(seen.map(showEvent), [`/a=3@${last} was /a=2@${floor}`]);
  },

  async "closing one store leaves the other open"(first, second) {
    const waiting = firstOf(second.watch({ prefix: "/" }));
    await first.close();
    await assert.rejects(first.get("/a"), StoreClosed);
    const revision = await commit(second, put("/a", "1"));
    assert.equal((await waiting).value?.revision, revision);
    assert.equal((await second.get("/a"))?.revision, revision);
  },

  async "a key with a time to live expires once, whichever store put it"(first, second, harness) {
    for (const store of [first, second]) {
      const start = await commit(store, put("/a", "x", { ttl: 60_000 }));
      const deleted = firstOf(second.watch({ prefix: "/", from: start, previous: true }));
      await harness.advance(61_000);
      assert.deepEqual((await deleted).value?.events.map(showEvent), [
        `/a deleted@${(await second.status()).revision} was /a=x@${start}`,
      ]);
      const last = await commit(second, put("/b", "x"));
      const seen = await readThrough(second.watch({ prefix: "/", from: start }), last);
      assert.equal(seen.length, 2, "one delete and one put");
    }
  },

  async "a key expires when the store that put it is closed"(first, second, harness) {
    const start = await commit(first, put("/a", "x", { ttl: 60_000 }));
    await first.close();
    const deleted = firstOf(second.watch({ prefix: "/", from: start }));
    await harness.advance(61_000);
    assert.equal((await deleted).value?.events[0]?.type, "delete");
    assert.equal(await second.get("/a"), undefined);
  },
};
