import assert from "node:assert/strict";
import { Conflict, InvalidCommit, StoreClosed } from "../errors.js";
import { maxMutations, maxKeyBytes } from "../keys.js";
import type { Mutation } from "../store.js";
import { increment, firstOf, bytes, commit, put, remove, showEntry, text, type Cases } from "./harness.js";

/** Promises about commits. */
export const commitCases: Cases = {
  async "an empty store is at revision 0"(store) {
    assert.deepEqual(await store.status(), { revision: 0, floor: 0 });
    assert.equal(await store.get("/a"), undefined);
    assert.deepEqual(await store.range({ prefix: "" }), { entries: [], revision: 0, more: false });
  },

  async "get returns the bytes that were put"(store) {
    const value = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { revision } = await store.commit([{ type: "put", key: "/a", value }]);
    const entry = await store.get("/a");
    assert.deepEqual(entry && [...entry.value], [...value]);
    assert.equal(entry?.revision, revision);
    assert.equal(entry?.created, revision);
  },

  async "range returns the bytes that were put"(store) {
    const values = Array.from({ length: 300 }, (_, seed) =>
      Uint8Array.from({ length: seed % 7 === 0 ? 0 : seed }, (_, index) => (seed * 31 + index * 89) % 256),
    );
    const keys = values.map((_, index) => `/"\\\u0001ä😀${index}`).sort();
    for (const [index, value] of values.entries()) {
      await store.commit([{ type: "put", key: keys[index] ?? "", value }]);
    }
    const { entries } = await store.range({ prefix: "/" });
    assert.deepEqual(
      entries.map(({ key }) => key),
      keys,
    );
    for (const [index, { value }] of entries.entries())
      assert.deepEqual([...value], [...(values[index] ?? [])]);
  },

  async "an empty value is not a missing key"(store) {
    await commit(store, put("/a", ""));
    assert.equal((await store.get("/a"))?.value.byteLength, 0);
    assert.equal((await store.range({ prefix: "/" })).entries.length, 1);
  },

  async "a value can have three megabytes"(store) {
    const value = new Uint8Array(3 * 2 ** 20).fill(7);
    await store.commit([{ type: "put", key: "/big", value }]);
    assert.equal(Buffer.compare((await store.get("/big"))?.value ?? new Uint8Array(), value), 0);
  },

  async "revisions grow, and an entry has the revision at which its key was created"(store) {
    const first = await commit(store, put("/a", "1"));
    const second = await commit(store, put("/b", "1"));
    const third = await commit(store, put("/a", "2"));
    assert(first > 0 && second > first && third > second);
    assert.equal((await store.get("/a"))?.created, first);
    await commit(store, remove("/a"));
    const again = await commit(store, put("/a", "3"));
    assert.equal((await store.get("/a"))?.created, again);
  },

  async "expect 0 fails with Conflict when the key exists"(store) {
    const revision = await commit(store, put("/a", "1", { expect: 0 }));
    await assert.rejects(store.commit([put("/a", "2", { expect: 0 })]), (error) => {
      assert(error instanceof Conflict);
      assert.deepEqual([error.key, error.expected, error.actual], ["/a", 0, revision]);
      assert.match(error.message, /exists already/);
      return true;
    });
    await commit(store, remove("/a", revision));
    await commit(store, put("/a", "3", { expect: 0 }));
  },

  async "a put or delete with a stale expectation fails with Conflict and changes nothing"(store) {
    const old = await commit(store, put("/a", "1"));
    const now = await commit(store, put("/a", "2", { expect: old }));
    await assert.rejects(store.commit([put("/a", "3", { expect: old })]), Conflict);
    await assert.rejects(store.commit([remove("/a", old)]), Conflict);
    await assert.rejects(store.commit([remove("/none", old)]), Conflict);
    assert.equal((await store.status()).revision, now);
    assert.equal(showEntry((await store.get("/a")) ?? assert.fail()), `/a=2@${now}`);
  },

  async "a commit is all or nothing"(store) {
    const revision = await commit(store, put("/a", "1"), put("/b", "1"));
    assert.deepEqual((await store.range({ prefix: "/" })).entries.map(showEntry), [
      `/a=1@${revision}`,
      `/b=1@${revision}`,
    ]);
    await assert.rejects(
      store.commit([put("/a", "2"), remove("/b"), put("/c", "2", { expect: 5 })]),
      Conflict,
    );
    assert.equal((await store.count({ prefix: "/" })).count, 2);
    assert.equal(text((await store.get("/a"))?.value ?? bytes("")), "1");
    const next = await commit(store, put("/a", "2"), remove("/b"), put("/c", "2", { expect: 0 }));
    assert.deepEqual((await store.range({ prefix: "/" })).entries.map(showEntry), [
      `/a=2@${next}`,
      `/c=2@${next}`,
    ]);
  },

  async "deleting a missing key gets no revision"(store) {
    const revision = await commit(store, put("/a", "1"));
    assert.equal(await commit(store, remove("/b")), revision);
    assert.equal(await commit(store, remove("/b", 0)), revision);
    assert.equal((await store.status()).revision, revision);
  },

  async "of concurrent writers with the same expectation, one succeeds"(store) {
    let revision = 0;
    for (let round = 0; round < 5; round++) {
      const attempts = Array.from({ length: 20 }, (_, writer) =>
        store.commit([put("/a", `${round}:${writer}`, { expect: revision })]),
      );
      const won = (await Promise.allSettled(attempts)).filter((result) => result.status === "fulfilled");
      assert.equal(won.length, 1);
      revision = won[0]?.value.revision ?? 0;
    }
  },

  async "concurrent increments by compare-and-swap are all counted"(store) {
    await commit(store, put("/n", "0"));
    await Promise.all(Array.from({ length: 50 }, () => increment(store, "/n")));
    assert.equal(text((await store.get("/n"))?.value ?? bytes("")), "50");
  },

  async "keys are ordered by their UTF-8 bytes"(store) {
    const keys = ["/a", "/a!", "/a/b", "/aa", "/é", "/豈", "/\uffff", "/😀", "/😁"];
    for (const key of keys.toReversed()) await commit(store, put(key, "x"));
    assert.deepEqual(
      (await store.range({ prefix: "/" })).entries.map((entry) => entry.key),
      keys,
    );
  },

  async "a malformed commit fails with InvalidCommit and a reason"(store) {
    const refused: [Mutation[], RegExp][] = [
      [[], /at least one mutation/],
      [[put("", "x")], /must not be empty/],
      [[put("/a\0b", "x")], /without NUL/],
      [[put("/\ud800", "x")], /well-formed/],
      [[put(`/${"é".repeat(maxKeyBytes / 2)}`, "x")], /longer than/],
      [[put("/a", "x"), remove("/a")], /twice/],
      [[put("/a", "x", { expect: -1 })], /expect/],
      [[put("/a", "x", { expect: 1.5 })], /expect/],
      [[put("/a", "x", { ttl: 0 })], /ttl/],
      [Array.from({ length: maxMutations + 1 }, (_, index) => put(`/${index}`, "x")), /at most/],
    ];
    for (const [mutations, reason] of refused) {
      await assert.rejects(store.commit(mutations), (error) => {
        assert(error instanceof InvalidCommit, String(error));
        assert.match(error.message, reason);
        return true;
      });
    }
    assert.equal((await store.status()).revision, 0);
    const most = Array.from({ length: maxMutations }, (_, index) => put(`/${index}`, "x"));
    await store.commit(most);
    assert.equal((await store.count({ prefix: "/" })).count, maxMutations);
  },

  async "a closed store rejects every call with StoreClosed"(store) {
    await commit(store, put("/a", "1"));
    await store.close();
    await store.close();
    await assert.rejects(store.get("/a"), StoreClosed);
    await assert.rejects(store.range({ prefix: "/" }), StoreClosed);
    await assert.rejects(store.commit([put("/a", "2")]), StoreClosed);
    await assert.rejects(store.compact(1), StoreClosed);
    await assert.rejects(firstOf(store.watch({ prefix: "/" })), StoreClosed);
  },

  async "close() waits for pending commits"(store) {
    const commits = Array.from({ length: 20 }, (_, index) => commit(store, put(`/${index}`, "x")));
    await store.close();
    const revisions = await Promise.all(commits);
    assert.equal(new Set(revisions).size, 20);
  },
};
