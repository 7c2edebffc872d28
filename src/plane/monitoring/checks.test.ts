import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { MemoryStore, type Store } from "../../store/index.js";
import { diskCheck } from "./disk-check.js";
import { eventLoopCheck, eventLoopLag } from "./event-loop-check.js";
import { storeCheck, timeCommits } from "./store-check.js";

const { signal } = new AbortController();

test.each([
  [50e9, 100e9, true, "50 GB free (50 %) at /data"],
  [2e9, 100e9, true, "2 GB free (2 %) at /data"],
  [0.9e9, 100e9, false, "the disk is nearly full: 900 MB free (0 %) at /data"],
  [6e6, 100e6, true, "6 MB free (6 %) at /data"],
  [4e6, 100e6, false, "the disk is nearly full: 4 MB free (4 %) at /data"],
])("a disk with %d of %d bytes free", async (free, size, ok, message) => {
  const result = await diskCheck("/data", async () => ({ free, size }))(signal);
  expect(result).toEqual(ok ? message : { ok, message });
});

test("the disk of a folder that does not exist yet is that of the folder above", async () => {
  const result = await diskCheck("/none/such/folder")(signal);
  expect(JSON.stringify(result)).toMatch(/B free \(\d+ %\) at \/none\/such\/folder/);
});

test("the event loop is degraded when many turns are late", async () => {
  const read = () => ({ p99: 450.2, longest: 900 });
  expect(await eventLoopCheck({ read })(signal)).toEqual({
    ok: false,
    message: "the event loop is blocked: 99 % of turns begin within 451ms, the latest after 900ms",
  });
  const lag = eventLoopLag();
  expect(lag.read()).toEqual({ p99: expect.any(Number) as number, longest: expect.any(Number) as number });
  lag.stop();
});

/** A memory store whose commits end, or fail, when the test says so. */
function controllableStore(clock: VirtualClock) {
  const memory = new MemoryStore({ clock });
  const commits: { end: () => void; fail: (error: Error) => void }[] = [];
  let writeError: Error | undefined;
  const store: Store = Object.assign(Object.create(memory) as Store, {
    get: (key: string) => memory.get(key),
    status: async () => ({ ...(await memory.status()), ...(writeError !== undefined && { writeError }) }),
    commit: () =>
      new Promise<{ revision: number }>((resolve, reject) => {
        commits.push({ end: () => resolve({ revision: 1 }), fail: reject });
      }),
  });
  return { store, commits, setWriteError: (error: Error | undefined) => (writeError = error) };
}

test("the store is degraded while commits are slow, and unhealthy while one hangs or fails", async () => {
  const clock = new VirtualClock(0);
  const { store, commits, setWriteError } = controllableStore(clock);
  const timed = timeCommits(store, clock);
  const check = storeCheck(timed, clock);
  expect(await check(signal)).toBe("read in <1ms, no write within the last minute");
  const commit = timed.store.commit([]);
  await clock.advance(3000);
  expect(await check(signal)).toMatchObject({ ok: false, critical: false });
  await clock.advance(7000);
  expect(await check(signal)).toEqual({ ok: false, message: "a write has not ended for 10s" });
  commits[0]?.end();
  await commit;
  const slow = {
    ok: false,
    critical: false,
    message: "slow: read in <1ms, longest write 10s within the last minute",
  };
  expect(await check(signal)).toEqual(slow);
  await clock.advance(70_000);
  expect(await check(signal)).toBe("read in <1ms, no write within the last minute");
  setWriteError(new Error("disk full"));
  const result = Promise.resolve(check(signal)).catch((error: unknown) => error);
  await clock.advance(0);
  commits[1]?.fail(new Error("disk full"));
  expect(String(await result)).toContain("disk full");
});
