import assert from "node:assert/strict";
import { SlowWatcher, StoreClosed } from "../errors.js";
import type { StoreEvent } from "../store.js";
import { firstOf, commit, nextBatch, put, readThrough, remove, showEvent, type Cases } from "./harness.js";

/** Promises about watches. */
export const watchCases: Cases = {
  async "a watch without from delivers the events after the call"(store) {
    const before = await commit(store, put("/a", "0"));
    const watch = store.watch({ prefix: "/a", previous: true });
    assert.equal(watch.revision, before);
    const first = await commit(store, put("/a", "1"));
    await commit(store, put("/b", "1"));
    const last = await commit(store, remove("/a"));
    const seen = await readThrough(watch, last);
    assert.deepEqual(seen.map(showEvent), [
      `/a=1@${first} was /a=0@${before}`,
      `/a deleted@${last} was /a=1@${first}`,
    ]);
  },

  async "a watch from an old revision delivers history, then live events"(store) {
    const from = await commit(store, put("/a/0", "x"));
    for (let index = 1; index <= 5; index++) await commit(store, put(`/a/${index}`, "x"));
    const iterator = store.watch({ prefix: "/a/", from })[Symbol.asyncIterator]();
    const keys = (await nextBatch(iterator)).events.map((event) => event.key);
    while (keys.length < 5) keys.push(...(await nextBatch(iterator)).events.map((event) => event.key));
    await commit(store, put("/a/6", "x"));
    keys.push(...(await nextBatch(iterator)).events.map((event) => event.key));
    await iterator.return?.();
    assert.deepEqual(keys, ["/a/1", "/a/2", "/a/3", "/a/4", "/a/5", "/a/6"]);
  },

  async "a watch that catches up with concurrent writers delivers every event once"(store) {
    const total = 3000;
    let written = 0;
    const writer = (async () => {
      while (written < total) {
        await Promise.all(Array.from({ length: 100 }, () => commit(store, put(`/k/${written++ % 7}`, "x"))));
      }
    })();
    const watchers = Array.from({ length: 8 }, async (_, start) => {
      // Each starts at another moment, always from revision 0.
      while ((await store.status()).revision < start * 300)
        await new Promise((resolve) => setImmediate(resolve));
      const revisions: number[] = [];
      for await (const { events } of store.watch({ prefix: "/k/", from: 0 })) {
        revisions.push(...events.map((event) => event.revision));
        if (revisions.length >= total) break;
      }
      return revisions;
    });
    await writer;
    for (const revisions of await Promise.all(watchers)) {
      assert.equal(revisions.length, total);
      assert(revisions.every((revision, index) => index === 0 || revision > (revisions[index - 1] ?? 0)));
    }
  },

  async "all events of a commit arrive in one batch"(store) {
    const watch = store.watch({ prefix: "/" });
    const iterator = watch[Symbol.asyncIterator]();
    const next = iterator.next();
    await store.commit(Array.from({ length: 500 }, (_, index) => put(`/${index}`, "x")));
    assert.equal((await next).value?.events.length, 500);
    await iterator.return?.();
    const fromHistory = store.watch({ prefix: "/", from: 0 })[Symbol.asyncIterator]();
    assert.equal((await nextBatch(fromHistory)).events.length, 500);
    await fromHistory.return?.();
  },

  async "the revision of a watch advances while nothing below its prefix changes"(store) {
    const watch = store.watch({ prefix: "/quiet/", from: 0 });
    const iterator = watch[Symbol.asyncIterator]();
    const next = iterator.next();
    let revision = 0;
    for (let index = 0; index < 10; index++) revision = await commit(store, put("/loud", "x"));
    while (watch.revision < revision) await new Promise((resolve) => setImmediate(resolve));
    const event = await commit(store, put("/quiet/1", "x"));
    assert.equal((await next).value?.events[0]?.revision, event);
    await iterator.return?.();
  },

  async "live watchers get the same event objects"(store) {
    const iterators = ["/", "/a", "/a/1"].flatMap((prefix) =>
      Array.from({ length: 3 }, () => store.watch({ prefix })[Symbol.asyncIterator]()),
    );
    const next = iterators.map((iterator) => iterator.next());
    await commit(store, put("/a/1", "x"));
    const events = new Set<StoreEvent>();
    for (const result of await Promise.all(next))
      for (const event of result.value?.events ?? []) events.add(event);
    assert.equal(events.size, 1);
    for (const iterator of iterators) await iterator.return?.();
  },

  async "a prefix is matched by its characters, not by path"(store) {
    const watch = store.watch({ prefix: "/a" });
    for (const key of ["/a", "/ab", "/a/b", "/b/a", "/"]) await commit(store, put(key, "x"));
    const seen = await readThrough(watch, (await store.status()).revision);
    assert.deepEqual(
      seen.map((event) => event.key),
      ["/a", "/ab", "/a/b"],
    );
  },

  async "a slow watcher fails with SlowWatcher and can resume"(store) {
    const slow = store.watch({ prefix: "/", buffer: { events: 10 } });
    const other = store.watch({ prefix: "/" });
    const iterator = slow[Symbol.asyncIterator]();
    const first = iterator.next();
    const start = await commit(store, put("/0", "x"));
    assert.equal((await first).value?.events.length, 1);
    for (let index = 1; index <= 30; index++) await commit(store, put(`/${index}`, "x"));
    const failed = await iterator.next().then(
      () => assert.fail("the slow watcher did not fail"),
      (error: unknown) => error,
    );
    assert(failed instanceof SlowWatcher, String(failed));
    assert.equal(failed.revision, start);
    assert.equal((await iterator.next()).done, true);
    const { revision } = await store.status();
    const resumed = await readThrough(store.watch({ prefix: "/", from: failed.revision }), revision);
    assert.equal(resumed.length, 30);
    assert.equal((await readThrough(other, revision)).length, 31);
  },

  async "a watcher that exceeds its buffer in bytes fails with SlowWatcher"(store) {
    const iterator = store.watch({ prefix: "/", buffer: { bytes: 1000 } })[Symbol.asyncIterator]();
    const first = iterator.next();
    await commit(store, put("/0", "x".repeat(5000)));
    assert.equal((await first).value?.events.length, 1, "a single commit is never too large");
    for (let index = 0; index < 5; index++) await commit(store, put("/1", "x".repeat(400)));
    await assert.rejects(iterator.next(), SlowWatcher);
  },

  async "aborting ends a watch without an error, before it starts and while it waits"(store) {
    const aborted = store.watch({ prefix: "/", signal: AbortSignal.abort() });
    assert.equal((await firstOf(aborted)).done, true);
    const controller = new AbortController();
    const waiting = firstOf(store.watch({ prefix: "/", signal: controller.signal }));
    controller.abort();
    assert.equal((await waiting).done, true);
    await commit(store, put("/a", "1"));
  },

  async "closing the store ends watches with StoreClosed"(store) {
    const waiting = firstOf(store.watch({ prefix: "/" }));
    const rejected = assert.rejects(waiting, StoreClosed);
    await store.close();
    await rejected;
  },
};
