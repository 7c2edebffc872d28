import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeStateBackend } from "../../events/state/fixtures/state-contract.js";
import { openState } from "../../events/state/open-state.js";
import { VirtualClock } from "../../model/core.js";
import { Compacted, MemoryStore, openSqliteStore, SlowWatcher, type Store } from "../../store/index.js";
import { storeState } from "./store-state.js";

describeStateBackend("a store in memory", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock });
  return {
    backend: storeState(store, { clock }),
    peer: storeState(store, { clock }),
    pass: (milliseconds) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: () => store.close(),
  };
});

describeStateBackend("a store on disk", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fettle-state-"));
  const store = await openSqliteStore(join(folder, "store"));
  return {
    backend: storeState(store),
    peer: storeState(store),
    pass: async () => {},
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

test("survives the process, with times to live", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fettle-state-"));
  const open = async (): Promise<Store> => openSqliteStore(join(folder, "store"));
  const first = await open();
  await using state = openState({ backend: storeState(first) });
  await state.set("kept", { n: 1 });
  await state.set("short", 1, { ttl: "1ms" });
  await first.close();
  const second = await open();
  await using reopened = openState({ backend: storeState(second) });
  expect(await reopened.get("kept")).toEqual({ n: 1 });
  expect(await reopened.get("short")).toBeUndefined();
  expect(await reopened.keys()).toEqual(["kept"]);
  await second.close();
  await expect(reopened.get("other")).rejects.toThrow("closed");
  await rm(folder, { recursive: true });
});

test("its keys are apart from those of objects", async () => {
  await using store = new MemoryStore();
  await using state = openState({ backend: storeState(store) });
  await store.commit([{ type: "put", key: "/demo.dev/sites/a", value: Buffer.from("{}") }]);
  await state.set("/demo.dev/sites/a", 1);
  await state.set("../x", 2);
  expect(await state.keys()).toEqual(["../x", "/demo.dev/sites/a"]);
  const { entries } = await store.range({ prefix: "/" });
  expect(entries.map(({ key }) => key)).toEqual([
    "/demo.dev/sites/a",
    "/fettle/state/../x",
    "/fettle/state//demo.dev/sites/a",
  ]);
});

/** A store whose first watch fails with an error when the test says so. */
function droppingStore(store: Store): { readonly store: Store; drop(error: Error): void } {
  let drop: ((error: Error) => void) | undefined;
  const watch: Store["watch"] = (options) => {
    const inner = store.watch(options);
    if (drop !== undefined) return inner;
    const dropped = new Promise<never>((_, reject) => (drop = reject));
    dropped.catch(() => {});
    return {
      revision: inner.revision,
      async *[Symbol.asyncIterator]() {
        const iterator = inner[Symbol.asyncIterator]();
        for (;;) {
          const result = await Promise.race([dropped, iterator.next()]);
          if (result.done === true) return;
          yield result.value;
        }
      },
    };
  };
  const dropping: Store = {
    get: (key, options) => store.get(key, options),
    range: (options) => store.range(options),
    count: (options) => store.count(options),
    commit: (mutations) => store.commit(mutations),
    compact: (revision) => store.compact(revision),
    status: () => store.status(),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    watch,
  };
  return { store: dropping, drop: (error) => drop?.(error) };
}

test("continues without a gap when the store drops its watch", async () => {
  await using store = new MemoryStore();
  const dropping = droppingStore(store);
  await using state = openState({ backend: storeState(dropping.store) });
  let gaps = 0;
  const watch = state.watch("*", { onGap: () => gaps++ });
  await state.set("a", 1);
  expect((await watch.next()).value).toEqual({ key: "a", value: 1 });
  dropping.drop(new SlowWatcher(0, "0 events"));
  await state.set("a", 2);
  expect((await watch.next()).value).toEqual({ key: "a", value: 2 });
  expect(gaps).toBe(0);
});

test("reports a gap when the store no longer has the changes", async () => {
  await using store = new MemoryStore();
  const dropping = droppingStore(store);
  await using state = openState({ backend: storeState(dropping.store) });
  const gap = new Promise<void>((resolve) => {
    state.watch("*", { onGap: resolve });
  });
  const watch = state.watch();
  dropping.drop(new Compacted(0, 1));
  await gap;
  await state.set("a", 2);
  expect((await watch.next()).value).toEqual({ key: "a", value: 2 });
});
