import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { memoryState } from "./memory-state.js";
import { openState } from "./open-state.js";

const setUp = () => {
  const clock = new VirtualClock();
  return { clock, state: openState({ backend: memoryState({ clock }), clock }) };
};

test("returns a result again for 300 seconds", async () => {
  const { clock, state } = setUp();
  let calls = 0;
  const status = state.memoize(async (id: string) => `${id}:${++calls}`);
  expect(await status("a")).toBe("a:1");
  expect(await status("b")).toBe("b:2");
  await clock.advance(299_999);
  expect(await status("a")).toBe("a:1");
  await clock.advance(1);
  expect(await status("a")).toBe("a:3");
  const short = state.memoize(() => ++calls, { ttl: "1s" });
  await short();
  await clock.advance(1000);
  expect(await short()).toBe(5);
});

test("concurrent calls share one, and failures are not kept", async () => {
  const { state } = setUp();
  let calls = 0;
  const flaky = state.memoize(async (id: number) => {
    calls++;
    await Promise.resolve();
    if (calls === 1) throw new Error("away");
    return id;
  });
  const results = await Promise.allSettled([flaky(1), flaky(1), flaky(1)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(calls).toBe(1);
  expect(await Promise.all([flaky(1), flaky(1)])).toEqual([1, 1]);
  expect(calls).toBe(2);
  const throws = state.memoize((): number => {
    throw new Error(`at once, ${++calls}`);
  });
  await expect(throws()).rejects.toThrow("at once, 3");
  await expect(throws()).rejects.toThrow("at once, 4");
});

test("forgets on request, also results that are not there yet", async () => {
  const { state } = setUp();
  let calls = 0;
  const counted = state.memoize(async (id: string, suffix?: string) => `${id}${suffix ?? ""}:${++calls}`);
  await counted("a");
  await counted("b");
  counted.forget("a");
  expect([await counted("a"), await counted("b")]).toEqual(["a:3", "b:2"]);
  // A missing argument and undefined are the same.
  expect(await counted("a", undefined)).toBe("a:3");
  const running = counted("c");
  counted.forget("c");
  expect([await running, await counted("c")]).toEqual(["c:4", "c:5"]);
  counted.clear();
  expect(await counted("b")).toBe("b:6");
});

test("keeps as many results as its size allows", async () => {
  const { state } = setUp();
  let calls = 0;
  const counted = state.memoize((id: number) => `${id}:${++calls}`, { size: 2 });
  for (const id of [1, 2, 1, 3]) await counted(id);
  expect(await counted(1)).toBe("1:1");
  expect(await counted(2)).toBe("2:4");
  expect(() => state.memoize(() => 1, { size: 0 })).toThrow("size must be an integer from 1");
  expect(() => state.memoize(() => 1, { ttl: "long" as never })).toThrow("invalid duration");
});

test("arguments that are not JSON need a key", async () => {
  const { state } = setUp();
  let calls = 0;
  const year = (at: Date): string => `${at.getUTCFullYear()}:${++calls}`;
  await expect(state.memoize(year)(new Date(0))).rejects.toThrow(
    "argument[0] of a memoized function is an instance of Date, which is not JSON: set the option key",
  );
  const keyed = state.memoize(year, { key: (at) => at.toISOString() });
  expect([await keyed(new Date(0)), await keyed(new Date(0)), await keyed(new Date(1))]).toEqual([
    "1970:1",
    "1970:1",
    "1970:2",
  ]);
});
