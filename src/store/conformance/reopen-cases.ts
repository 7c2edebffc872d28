import assert from "node:assert/strict";
import { commit, put, readThrough, remove, showEvent, type Cases } from "./harness.js";
import { checkCompaction, compactedHistory } from "./history-cases.js";

/** Promises about data that outlives its store. */
export const reopenCases: Cases = {
  async "commits that were under way while the store closed are there after reopening"(store, harness) {
    const commits = Array.from({ length: 20 }, (_, index) => commit(store, put(`/${index}`, "x")));
    await store.close();
    await Promise.all(commits);
    const again = await harness.reopen(store);
    assert.equal((await again.count({ prefix: "/" })).count, 20);
  },

  async "a watch resumes after reopening"(store, harness) {
    const from = await commit(store, put("/a", "1"));
    const next = await commit(store, put("/a", "2"));
    await store.close();
    const again = await harness.reopen(store);
    const last = await commit(again, put("/a", "3"));
    const seen = await readThrough(again.watch({ prefix: "/", from, previous: true }), last);
    assert.deepEqual(seen.map(showEvent), [`/a=2@${next} was /a=1@${from}`, `/a=3@${last} was /a=2@${next}`]);
  },

  async "the floor and the history after it survive reopening"(store, harness) {
    const history = await compactedHistory(store);
    await store.close();
    await checkCompaction(await harness.reopen(store), history);
  },

  async "revisions continue when everything was deleted, compacted and reopened"(store, harness) {
    const revision = await commit(store, put("/a", "1"));
    const gone = await commit(store, remove("/a"));
    assert(gone > revision);
    await store.compact(gone);
    await store.close();
    const again = await harness.reopen(store);
    assert.deepEqual(await again.status(), { revision: gone, floor: gone });
    assert((await commit(again, put("/a", "2", { expect: 0 }))) > gone);
  },

  async "times to live survive reopening"(store, harness) {
    for (let index = 0; index < 300; index++)
      await commit(store, put(`/${index}`, "x", { ttl: 1000 + index }));
    await commit(store, put("/stays", "x"));
    await store.close();
    await harness.advance(2000);
    const again = await harness.reopen(store);
    const iterator = again.watch({ prefix: "/" })[Symbol.asyncIterator]();
    let deleted = 0;
    const counting = (async () => {
      while (deleted < 300) deleted += (await iterator.next()).value?.events.length ?? 0;
    })();
    await harness.advance(1000);
    await counting;
    await iterator.return?.();
    assert.deepEqual(
      (await again.range({ prefix: "/" })).entries.map((entry) => entry.key),
      ["/stays"],
    );
  },
};
