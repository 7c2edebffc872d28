import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { silent, type Log } from "../../runtime/log/log.js";
import { memoryState } from "./memory-state.js";
import { openState } from "./open-state.js";
import type { StateBackend, StateListener } from "./state-backend.js";
import { StateWatchTooSlow, type StateChange, type StateWatch } from "./state-watch.js";

/** A backend that counts reads, and lets tests decide when they return. */
function countedBackend(): {
  readonly backend: StateBackend;
  readonly listener: () => StateListener;
  readonly reads: () => number;
  readonly hold: () => () => void;
} {
  const memory = memoryState();
  let reads = 0;
  let held: Promise<void> | undefined;
  let subscribed: StateListener | undefined;
  return {
    backend: {
      name: "counted",
      async get(key) {
        reads++;
        const record = await memory.get(key);
        await held;
        return record;
      },
      set: (key, json, ttl) => memory.set(key, json, ttl),
      delete: (key) => memory.delete(key),
      keys: (glob, limit) => memory.keys(glob, limit),
      subscribe(listener) {
        subscribed = listener;
        return memory.subscribe(listener);
      },
      async [Symbol.asyncDispose]() {},
    },
    listener() {
      if (subscribed === undefined) throw new Error("nobody has subscribed");
      return subscribed;
    },
    reads: () => reads,
    hold() {
      let release = (): void => {};
      held = new Promise((resolve) => (release = resolve));
      return () => {
        held = undefined;
        release();
      };
    },
  };
}

const next = async (watch: StateWatch): Promise<StateChange | undefined> => {
  const result = await watch.next();
  return result.done === true ? undefined : result.value;
};

describe("get", () => {
  test("reads each value once, and again after a change", async () => {
    const { backend, reads, listener } = countedBackend();
    await using state = openState({ backend });
    await state.set("a", { n: 1 });
    expect(await state.get("a")).toEqual({ n: 1 });
    const value = await state.get<{ n: number }>("a");
    expect(reads()).toBe(1);
    expect(() => Object.assign(value ?? {}, { n: 2 })).toThrow(TypeError);
    // By another process.
    listener().changed("a", "2");
    await state.get("a");
    expect(reads()).toBe(2);
    await state.set("a", 3);
    expect(await state.get("a")).toBe(3);
    await state.delete("a");
    expect(await state.get("a")).toBeUndefined();
  });

  test("keeps the values that were read last, as many as the cache may have", async () => {
    const { backend, reads } = countedBackend();
    await using state = openState({ backend, cache: 2 });
    for (const key of ["a", "b", "c"]) await state.set(key, key);
    for (const key of ["a", "b", "a", "c", "a"]) await state.get(key);
    expect(reads()).toBe(3);
    await state.get("b");
    expect(reads()).toBe(4);
  });

  test("holds 1,000 values by default, and none with cache: 0", async () => {
    const { backend, reads } = countedBackend();
    await using state = openState({ backend });
    for (let key = 0; key < 1001; key++) await state.set(`${key}`, key);
    for (let key = 0; key < 1001; key++) await state.get(`${key}`);
    for (let key = 1; key < 1001; key++) await state.get(`${key}`);
    expect(reads()).toBe(1001);
    await state.get("0");
    expect(reads()).toBe(1002);
    const other = countedBackend();
    await using uncached = openState({ backend: other.backend, cache: 0 });
    await uncached.set("a", 1);
    await uncached.get("a");
    await uncached.get("a");
    expect(other.reads()).toBe(2);
  });

  test("concurrent reads of a key share one", async () => {
    const { backend, reads } = countedBackend();
    await using state = openState({ backend });
    await state.set("a", 1);
    expect(await Promise.all([state.get("a"), state.get("a"), state.get("a")])).toEqual([1, 1, 1]);
    expect(reads()).toBe(1);
  });

  test("does not cache a value that changed while it was read", async () => {
    const { backend, hold } = countedBackend();
    await using state = openState({ backend });
    await state.set("a", "old");
    await state.get("other");
    const release = hold();
    const read = state.get("a");
    await Promise.resolve();
    await backend.set("a", '"new"', undefined);
    const later = state.get("a");
    release();
    expect(await read).toBe("old");
    expect(await later).toBe("new");
    expect(await state.get("a")).toBe("new");
  });

  test("caches nothing while changes are not received", async () => {
    const { backend, listener, reads, hold } = countedBackend();
    await using state = openState({ backend });
    await state.set("a", 1);
    await state.get("a");
    const release = hold();
    const read = state.get("b");
    listener().interrupted();
    release();
    await read;
    await state.get("a");
    await state.get("a");
    expect(reads()).toBe(4);
    listener().resumed();
    await state.get("a");
    await state.get("a");
    expect(reads()).toBe(5);
  });

  test("a cached value ends with its time to live", async () => {
    const clock = new VirtualClock();
    await using state = openState({ backend: memoryState({ clock }), clock });
    await state.set("a", 1, { ttl: "30s" });
    expect(await state.get("a")).toBe(1);
    await clock.advance(29_999);
    expect(await state.get("a")).toBe(1);
    await clock.advance(1);
    expect(await state.get("a")).toBeUndefined();
  });

  test("a failed read is not shared with later ones", async () => {
    const { backend } = countedBackend();
    let fails = true;
    const get: StateBackend["get"] = async (key) => {
      if (fails) throw new Error("away");
      return backend.get(key);
    };
    await using state = openState({ backend: { ...backend, get } });
    await state.set("a", 1);
    await expect(state.get("a")).rejects.toThrow("away");
    fails = false;
    expect(await state.get("a")).toBe(1);
  });

  test("a value that is not JSON is an error that names the key", async () => {
    const { backend } = countedBackend();
    await using state = openState({ backend });
    await backend.set("a", "{", undefined);
    await expect(state.get("a")).rejects.toThrow("the value of a in counted is not JSON; delete the key");
  });
});

describe("set", () => {
  const invalid: [unknown, string][] = [
    [undefined, "value of k is undefined, which is not JSON"],
    [Number.NaN, "value of k is NaN, which is not JSON"],
    [{ at: new Date(0) }, "value.at of k is an instance of Date, which is not JSON"],
    [{ list: [1, undefined] }, "value.list[1] of k is undefined, which is not JSON"],
    [new Map(), "value of k is an instance of Map, which is not JSON"],
    [() => 1, "value of k is a function, which is not JSON"],
    [1n, "value of k is a bigint, which is not JSON"],
    [{ toJSON: () => 1 }, "value of k is an object with toJSON, which is not JSON"],
  ];

  test.each(invalid)("refuses %o", async (value, message) => {
    await using state = openState({ backend: memoryState() });
    await expect(state.set("k", value)).rejects.toThrow(message);
    expect(await state.keys()).toEqual([]);
  });

  test("refuses values that contain themselves or are too large", async () => {
    await using state = openState({ backend: memoryState() });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    await expect(state.set("k", cycle)).rejects.toThrow("is nested too deeply, or contains itself");
    await state.set("k", "x".repeat(2 ** 20 - 2));
    await expect(state.set("k", "x".repeat(2 ** 20 - 1))).rejects.toThrow(
      "the value of k is too large for the state: 1048577 bytes as JSON, and 1048576 are allowed",
    );
    await expect(state.set("k", "ä".repeat(2 ** 19))).rejects.toThrow("1048578 bytes");
  });

  test("keeps JSON as it is", async () => {
    await using state = openState({ backend: memoryState() });
    const values = [null, false, 0, "", [], {}, [[{ a: null }]], JSON.parse('{"__proto__":1}') as unknown];
    for (const value of values) {
      await state.set("k", value);
      expect(await state.get("k")).toEqual(value);
    }
    await state.set("k", { a: 1, b: undefined });
    expect(await state.get("k")).toEqual({ a: 1 });
  });

  test.each([
    ["", "must not be empty"],
    ["a\nb", "has a control character"],
    ["\ud800", "half of a surrogate pair"],
    ["x".repeat(1025), "1025 bytes, and 1024 are allowed"],
  ])("refuses the key %j", async (key, message) => {
    await using state = openState({ backend: memoryState() });
    await expect(state.set(key, 1)).rejects.toThrow(message);
    await expect(state.get(key)).rejects.toThrow(message);
    await expect(state.delete(key)).rejects.toThrow(message);
  });

  test("the time to live: that of the call, false for none, or the default of the state", async () => {
    const clock = new VirtualClock();
    await using state = openState({ backend: memoryState({ clock }), clock, ttl: "1m" });
    await state.set("default", 1);
    await state.set("short", 1, { ttl: "1s" });
    await state.set("forever", 1, { ttl: false });
    await clock.advance(1000);
    expect(await state.keys()).toEqual(["default", "forever"]);
    await clock.advance(60_000);
    expect(await state.keys()).toEqual(["forever"]);
    await expect(state.set("a", 1, { ttl: 0 })).rejects.toThrow("the ttl of the state must be longer than 0");
    await expect(state.set("a", 1, { ttl: "soon" as never })).rejects.toThrow('invalid duration "soon"');
  });
});

describe("watch", () => {
  test("delivers changes by pattern, with values, deletions and expiries", async () => {
    const clock = new VirtualClock();
    await using state = openState({ backend: memoryState({ clock }), clock });
    const watch = state.watch("backend/*");
    await watch.ready;
    await state.set("backend/1", { healthy: true });
    await state.set("other", 1);
    await state.set("backend/2", null, { ttl: 10 });
    await state.delete("backend/1");
    await clock.advance(10);
    expect([await next(watch), await next(watch), await next(watch), await next(watch)]).toEqual([
      { key: "backend/1", value: { healthy: true } },
      { key: "backend/2", value: null },
      { key: "backend/1", value: undefined },
      { key: "backend/2", value: undefined },
    ]);
  });

  test("ends with its signal, its loop, and the state", async () => {
    const state = openState({ backend: memoryState() });
    const ends = new AbortController();
    const byState = state.watch();
    const bySignal = state.watch("*", { signal: ends.signal });
    const waiting = next(bySignal);
    ends.abort();
    expect(await waiting).toBeUndefined();
    expect(await next(state.watch("*", { signal: ends.signal }))).toBeUndefined();
    const byLoop = state.watch();
    await state.set("a", 1);
    for await (const { key } of byLoop) {
      expect(key).toBe("a");
      break;
    }
    await state.set("a", 2);
    expect(await next(byLoop)).toBeUndefined();
    expect((await next(byState))?.value).toBe(1);
    await state[Symbol.asyncDispose]();
    expect(await next(byState)).toBeUndefined();
    await expect(state.get("a")).rejects.toThrow("the state is closed");
    expect(() => state.watch()).toThrow("the state is closed");
    await state[Symbol.asyncDispose]();
  });

  test("a reader that falls behind gets an error, and others do not", async () => {
    await using state = openState({ backend: memoryState() });
    const slow = state.watch();
    const large = state.watch("large");
    const fast = state.watch();
    for (let value = 0; value < 10_001; value++) {
      await state.set("a", value);
      expect((await next(fast))?.value).toBe(value);
    }
    await expect(next(slow)).rejects.toThrow(StateWatchTooSlow);
    expect(await next(slow)).toBeUndefined();
    for (let value = 0; value < 18; value++) await state.set("large", "x".repeat(10 ** 6));
    await expect(next(large)).rejects.toThrow("fell behind by 17 changes");
  });

  test("says when changes may have been missed", async () => {
    const { backend, listener } = countedBackend();
    const lines: string[] = [];
    const log: Log = { ...silent, error: (_, text) => lines.push(text) };
    await using state = openState({ backend, log });
    let gaps = 0;
    const watch = state.watch("*", { onGap: () => gaps++ });
    state.watch("*", {
      onGap() {
        throw new Error("broken");
      },
    });
    await watch.ready;
    listener().interrupted();
    expect(gaps).toBe(0);
    listener().resumed();
    expect(gaps).toBe(1);
    listener().changed("a", "{");
    listener().changed("a", "1");
    expect((await next(watch))?.value).toBe(1);
    expect(lines).toEqual(["onGap of a state watch failed", "a change of the state was not delivered"]);
  });
});

test("a part of the state has its own keys", async () => {
  await using state = openState({ backend: memoryState() });
  const proxy = state.below("operators/[proxy]/");
  const inner = proxy.below("cache/");
  const watch = proxy.watch("c*");
  await state.set("cache/a", "outside");
  await inner.set("a", "inside");
  await proxy.set("b", 1);
  expect(await state.keys("operators/*")).toEqual(["operators/[proxy]/b", "operators/[proxy]/cache/a"]);
  expect(await proxy.keys()).toEqual(["b", "cache/a"]);
  expect(await inner.keys("*")).toEqual(["a"]);
  expect(await inner.get("a")).toBe("inside");
  expect(await next(watch)).toEqual({ key: "cache/a", value: "inside" });
  await inner.delete("a");
  expect(await state.get("cache/a")).toBe("outside");
  await expect(proxy.get("")).rejects.toThrow("must not be empty");
  await expect(proxy.set("x".repeat(1010), 1)).rejects.toThrow("is too long");
  expect(() => state.below("")).toThrow("must not be empty");
});

test("creates its backend with the first use", async () => {
  let created = 0;
  const state = openState({
    backend() {
      created++;
      return memoryState();
    },
  });
  state.memoize(() => 1);
  state.below("a/");
  expect(created).toBe(0);
  await state.get("a");
  await state.below("a/").get("b");
  expect(created).toBe(1);
  const unused = openState({ backend: () => memoryState() });
  await unused[Symbol.asyncDispose]();
});

test("invalid options are refused", async () => {
  expect(() => openState({ backend: memoryState(), cache: -1 })).toThrow("cache must be an integer from 0");
  expect(() => openState({ backend: memoryState(), ttl: 0 })).toThrow("longer than 0");
  await using state = openState({ backend: memoryState() });
  await expect(state.keys("*", { limit: 0 })).rejects.toThrow("at least 1");
});
