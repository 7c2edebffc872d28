import fc from "fast-check";
import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { Gate } from "./fixtures/paced-store.js";
import { KeyedWork } from "./keyed-work.js";

test("runs a queued key once, and a running key again afterwards", async () => {
  const looks: string[] = [];
  const gate = new Gate();
  const work = new KeyedWork({
    clock: new VirtualClock(),
    concurrency: 1,
    handle: async (key) => {
      looks.push(key);
      if (looks.length === 1) await gate.pass();
    },
  });
  work.add("a");
  work.add("b");
  work.add("b");
  work.add("a");
  work.add("a");
  expect(work.isIdle).toBe(false);
  gate.open();
  await work.idle();
  expect(looks).toEqual(["a", "b", "a"]);
  expect(work.isIdle).toBe(true);
});

test("never runs a key concurrently, nor more keys than its limit", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 4 }), async (keys, concurrency) => {
      const running = new Set<string>();
      const seen = new Set<string>();
      const work = new KeyedWork({
        clock: new VirtualClock(),
        concurrency,
        handle: async (key) => {
          expect(running.has(key)).toBe(false);
          running.add(key);
          expect(running.size).toBeLessThanOrEqual(concurrency);
          await Promise.resolve();
          running.delete(key);
          seen.add(key);
        },
      });
      for (const key of keys) {
        work.add(`${key}`);
        await Promise.resolve();
      }
      await work.idle();
      expect(seen).toEqual(new Set(keys.map(String)));
    }),
  ));

test("reports a failure and retries it with backoff of at most 30 seconds", async () => {
  const clock = new VirtualClock(0);
  const times: number[] = [];
  const errors: [unknown, string][] = [];
  const work = new KeyedWork({
    clock,
    handle: async () => {
      times.push(clock.now());
      if (times.length < 13) throw new Error("no");
    },
    onError: (error, key) => errors.push([error, key]),
  });
  work.add("a");
  await work.idle();
  expect(times).toEqual([0]);
  await clock.advance(600_000);
  expect(times.slice(0, 5)).toEqual([0, 50, 150, 350, 750]);
  expect(times.slice(-3).map((time, index, all) => time - (all[index - 1] ?? time))).toEqual([
    0, 30_000, 30_000,
  ]);
  expect(times.length).toBe(13);
  expect(errors.length).toBe(12);
  expect(errors[0]).toEqual([new Error("no"), "a"]);
  expect(clock.timers).toBe(0);
});

test("runs a key in backoff when it is added, and resets its backoff", async () => {
  const clock = new VirtualClock(0);
  let looks = 0;
  const work = new KeyedWork({
    clock,
    handle: async () => {
      looks++;
      if (looks === 1) throw new Error("no");
    },
  });
  work.add("a");
  await work.idle();
  work.add("a");
  await work.idle();
  expect(looks).toBe(2);
  expect(clock.timers).toBe(0);
});

test("runs a delayed key at its time, unless it is added before", async () => {
  const clock = new VirtualClock(0);
  const looks: number[] = [];
  const work = new KeyedWork({ clock, handle: async () => void looks.push(clock.now()) });
  work.addLater("a", 1000);
  work.addLater("a", 500);
  expect(work.isIdle).toBe(true);
  await clock.advance(200);
  work.add("a");
  await clock.advance(5000);
  work.addLater("a", 100);
  await clock.advance(5000);
  expect(looks).toEqual([200, 5300]);
});

test("catching up waits for keys added before, not for later ones", async () => {
  const gates = { a: new Gate(), b: new Gate(), late: new Gate() };
  const work = new KeyedWork({
    clock: new VirtualClock(),
    concurrency: 3,
    handle: (key) => gates[key as keyof typeof gates].pass(),
  });
  await work.caughtUp();
  work.add("a");
  work.add("b");
  let caughtUp = false;
  const waiting = work.caughtUp().then(() => (caughtUp = true));
  work.add("late");
  gates.a.open();
  await gates.a.passed;
  await new Promise((resolve) => setImmediate(resolve));
  expect(caughtUp).toBe(false);
  gates.b.open();
  await waiting;
  expect(work.isIdle).toBe(false);
  gates.late.open();
  await work.idle();
});

test("catching up waits for the second run of a key added while it ran", async () => {
  const looks: Gate[] = [];
  const work = new KeyedWork({
    clock: new VirtualClock(),
    handle: () => {
      const gate = new Gate();
      looks.push(gate);
      return gate.pass();
    },
  });
  work.add("a");
  work.add("a");
  let caughtUp = false;
  const waiting = work.caughtUp().then(() => (caughtUp = true));
  looks[0]?.open();
  await new Promise((resolve) => setImmediate(resolve));
  expect([looks.length, caughtUp]).toEqual([2, false]);
  looks[1]?.open();
  await waiting;
});

test("yields to the event loop in a long queue", async () => {
  let looks = 0;
  const work = new KeyedWork({
    clock: new VirtualClock(),
    handle: async () => {
      looks++;
      await Promise.resolve();
    },
  });
  for (let index = 0; index < 10_000; index++) work.add(`${index}`);
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThan(10_000);
  await work.idle();
  expect(looks).toBe(10_000);
});

test("stop aborts running keys, drops queued ones and resolves waiters", async () => {
  const clock = new VirtualClock();
  const gate = new Gate();
  const looks: string[] = [];
  const work = new KeyedWork({
    clock,
    concurrency: 1,
    handle: async (key) => {
      looks.push(key);
      await gate.pass();
      throw new Error("too late to matter");
    },
    onError: () => expect.unreachable(),
  });
  work.add("a");
  work.add("b");
  work.addLater("c", 100);
  const waiting = Promise.all([work.idle(), work.caughtUp()]);
  const stopping = work.stop();
  work.add("d");
  gate.open();
  await Promise.all([stopping, waiting]);
  expect(looks).toEqual(["a"]);
  expect(clock.timers).toBe(0);
});
