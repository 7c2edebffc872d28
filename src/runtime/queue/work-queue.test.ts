import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../model/time/clock.js";
import { VirtualClock } from "../../model/time/virtual-clock.js";
import { fixedDelay } from "./rate-limiter.js";
import { batched, immediate, scheduled, type Strategy, type RunWindow } from "./strategy.js";
import { type QueueOptions, WorkQueue } from "./work-queue.js";
import type { QueueItem } from "./queue-item.js";

function open(options: Partial<QueueOptions<string>> = {}): {
  clock: VirtualClock;
  queue: WorkQueue<string>;
} {
  const clock = new VirtualClock(0);
  return { clock, queue: new WorkQueue<string>({ clock, ...options }) };
}

function take(queue: WorkQueue<string>): QueueItem<string> {
  return queue.tryTake() ?? expect.fail("expected an item");
}

describe("take", () => {
  test("resolves when a key is added, with all reasons of that turn of the event loop", async () => {
    const { queue } = open();
    const taken = queue.take();
    queue.add("a", "created");
    queue.add("a", "changed");
    await expect(taken).resolves.toMatchObject({
      key: "a",
      reasons: ["created", "changed"],
      since: 0,
      due: 0,
    });
  });

  test("takes the highest priority of the keys that are added in one turn", async () => {
    const { queue } = open();
    const taken = queue.take();
    queue.add("low", "added");
    queue.add("high", "added", { priority: 5 });
    await expect(taken).resolves.toMatchObject({ key: "high" });
  });

  test("serves calls in their order", async () => {
    const { queue } = open();
    const order: string[] = [];
    const takers = ["first", "second", "third"].map(async (name) => {
      const item = await queue.take();
      order.push(`${name} ${item?.key}`);
    });
    for (const key of ["a", "b", "c"]) queue.add(key, "added");
    await Promise.all(takers);
    expect(order).toEqual(["first a", "second b", "third c"]);
  });

  test("sets one timer, for the next due time, and only while a call waits", async () => {
    const { clock, queue } = open();
    for (let i = 1; i <= 100; i++) queue.add(`${i}`, "added", { after: i * 1000 });
    expect(clock.timers).toBe(0);
    const taken = queue.take();
    expect(clock.timers).toBe(1);
    queue.add("sooner", "added", { after: 500 });
    await clock.advance(0);
    expect(clock.timers).toBe(1);
    await clock.advance(500);
    await expect(taken).resolves.toMatchObject({ key: "sooner", due: 500, taken: 500 });
    expect(clock.timers).toBe(0);
  });

  test.each([
    ["a delay", {}, { after: 1000 }],
    ["a batch", { strategy: batched({ size: 5, timeout: 1000 }) }, {}],
    ["a window", { strategy: scheduled({ isOpen: (at) => at >= 1000, nextOpening: () => 1000 }) }, {}],
  ])("resolves when %s ends", async (_name, options, add) => {
    const { clock, queue } = open(options);
    queue.add("a", "added", add);
    const taken = queue.take();
    await clock.advance(1000);
    await expect(taken).resolves.toMatchObject({ key: "a", due: 1000 });
  });

  test("resolves at the end of a run, of a pause and of backoff", async () => {
    const { clock, queue } = open({ limiter: fixedDelay(100) });
    queue.add("a", "created");
    const first = await queue.take();
    if (!first) throw new Error("expected an item");
    const second = queue.take();
    queue.add("a", "changed");
    queue.done(first, { type: "done" });
    const dirty = await second;
    if (!dirty) throw new Error("expected an item");
    const third = queue.take();
    queue.pause();
    queue.done(dirty, { type: "retry", reason: "failed" });
    await clock.advance(5000);
    queue.resume();
    await expect(third).resolves.toMatchObject({
      key: "a",
      reasons: ["failed"],
      due: 100,
      taken: 5000,
    });
  });

  test("sets no timer for a window that never opens", async () => {
    const { clock, queue } = open({
      strategy: scheduled({ isOpen: () => false, nextOpening: () => Infinity }),
    });
    queue.add("a", "added");
    const taken = queue.take();
    expect(clock.timers).toBe(0);
    expect(queue.snapshot()).toMatchObject([{ key: "a", state: "delayed", due: Infinity }]);
    queue.close();
    await expect(taken).resolves.toBeUndefined();
  });
});

describe("aborting take", () => {
  test("rejects at once with the reason when already aborted, and takes nothing", async () => {
    const { queue } = open();
    queue.add("a", "added");
    await expect(queue.take(AbortSignal.abort(new Error("no time")))).rejects.toThrow("no time");
    expect(queue.depth).toBe(1);
  });

  test("leaves the item to the next call when aborted in the turn in which the key is added", async () => {
    const { queue } = open();
    const controller = new AbortController();
    const aborted = queue.take(controller.signal);
    const patient = queue.take();
    queue.add("a", "added");
    controller.abort(new Error("no time"));
    await expect(aborted).rejects.toThrow("no time");
    await expect(patient).resolves.toMatchObject({ key: "a" });
  });

  test("shares one abort listener per signal among all calls", async () => {
    const { queue } = open();
    const controller = new AbortController();
    const { signal } = controller;
    const takers = Array.from({ length: 20 }, () => queue.take(signal));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    queue.add("a", "added");
    await expect(takers[0]).resolves.toMatchObject({ key: "a" });
    controller.abort(new Error("no time"));
    const ends = await Promise.allSettled(takers.slice(1));
    expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(19);
  });

  test("loses no reason and never runs a key twice at once when many calls are aborted", async () => {
    const { clock, queue } = open({ limiter: fixedDelay(3) });
    const running = new Set<string>();
    const seen = new Map<string, number>();
    const expected = new Map<string, number>();
    let aborted = 0;
    const worker = async (id: number): Promise<void> => {
      for (let round = 0; ; round++) {
        const controller = new AbortController();
        const timer = clock.after((id * 7 + round * 3) % 11, () => controller.abort(new Error("impatient")));
        try {
          const item = await queue.take(controller.signal);
          if (!item) return;
          expect(running.has(item.key)).toBe(false);
          running.add(item.key);
          for (const reason of item.reasons) seen.set(reason, (seen.get(reason) ?? 0) + 1);
          await new Promise<void>((resolve) => void clock.after((id + round) % 5, resolve));
          running.delete(item.key);
          const retry = item.failures < round % 3;
          const reason = `retry ${id} ${round}`;
          if (retry) expected.set(reason, 1);
          queue.done(item, retry ? { type: "retry", reason } : { type: "done" });
        } catch (error) {
          expect(error).toMatchObject({ message: "impatient" });
          aborted += 1;
        } finally {
          timer.cancel();
        }
      }
    };
    const workers = Array.from({ length: 20 }, (_, id) => worker(id));
    for (let i = 0; i < 500; i++) {
      const reason = `add ${i}`;
      expected.set(reason, 1);
      queue.add(`ns-${i % 3}/object-${i % 17}`, reason, { after: i % 4 });
      if (i % 5 === 0) await clock.advance(2);
    }
    await clock.advance(1000);
    expect([queue.depth, queue.delayed, queue.running]).toEqual([0, 0, 0]);
    await queue.drain();
    await clock.advance(100);
    await Promise.all(workers);
    expect(aborted).toBeGreaterThan(100);
    expect(seen).toEqual(expected);
  });
});

describe("lifecycle", () => {
  test("drain ends waiting calls, waits for running items and ignores later adds", async () => {
    const { clock, queue } = open();
    queue.add("a", "added");
    const item = await queue.take();
    if (!item) throw new Error("expected an item");
    const waiting = queue.take();
    queue.add("b", "added", { after: 10 });
    let drained = false;
    const draining = queue.drain().then(() => (drained = true));
    await expect(waiting).resolves.toBeUndefined();
    await clock.advance(1000);
    expect(drained).toBe(false);
    queue.done(item, { type: "requeue", after: 5, reason: "look" });
    await draining;
    await expect(queue.take()).resolves.toBeUndefined();
    expect(clock.timers).toBe(0);
    expect(queue.revive(undefined, "again")).toBe(0);
  });

  test("a delay with a fraction of a millisecond ends at the next whole one", async () => {
    const clock = new VirtualClock("2026-01-01T00:00:00Z");
    const queue = new WorkQueue<string>({ clock });
    for (let number = 1; number <= 100; number++) {
      const begin = clock.now();
      queue.add("a", "later", { after: number + number / 7 });
      const taking = queue.take();
      await clock.advance(Math.ceil(number + number / 7));
      const item = await taking;
      expect(item?.taken).toBe(Math.ceil(begin + number + number / 7));
      if (item) queue.done(item, { type: "done" });
    }
  });

  test("a delay counts from the call of add, also late in a long turn", () => {
    const queue = new WorkQueue<string>({ clock: systemClock });
    queue.add("a", "added");
    const item = queue.tryTake();
    const begin = systemClock.now();
    while (systemClock.now() < begin + 20);
    const later = systemClock.now();
    queue.add("b", "added", { after: 1000 });
    if (item) queue.done(item, { type: "requeue", after: 1000, reason: "again" });
    expect(Math.min(...queue.snapshot().map(({ due }) => due))).toBeGreaterThanOrEqual(later + 1000);
    queue.close();
  });

  test("tryTake in a busy loop sees delays end", () => {
    const queue = new WorkQueue<string>({ clock: systemClock });
    queue.add("a", "later", { after: 20 });
    const end = Date.now() + 60_000;
    let item = queue.tryTake();
    while (item === undefined && Date.now() < end) item = queue.tryTake();
    expect(item?.reasons).toEqual(["later"]);
  });

  test("an idle key has no failures and no priority, and is not in the snapshot", () => {
    const { queue } = open({ limiter: fixedDelay(0) });
    queue.add("a", "first", { priority: 7 });
    const failing = queue.tryTake();
    if (failing) queue.done(failing, { type: "retry", reason: "failed" });
    const mended = queue.tryTake();
    if (mended) queue.done(mended, { type: "done" });
    expect(queue.snapshot()).toEqual([]);
    queue.add("a", "second");
    expect(queue.tryTake()).toMatchObject({ reasons: ["second"], failures: 0, priority: 0 });
  });

  test("close forgets everything but running items, which may still finish", async () => {
    const { queue } = open();
    for (const key of ["a", "b", "c"]) queue.add(key, "added");
    queue.pause("b");
    queue.pause("x");
    const item = queue.tryTake();
    if (!item) throw new Error("expected an item");
    queue.close();
    expect(queue.snapshot()).toMatchObject([{ key: "a", state: "running" }]);
    queue.done(item, { type: "retry", reason: "failed" });
    expect(queue.snapshot()).toEqual([]);
    await expect(queue.drain()).resolves.toBeUndefined();
  });
});

test("handles thousands of fairness keys and hundreds of priorities that come and go", () => {
  const { queue } = open({ fairnessKey: (key) => key });
  for (let round = 0; round < 3; round++) {
    const keys = Array.from({ length: 2000 }, (_, i) => `${round}-${i}`);
    for (const [i, key] of keys.entries()) queue.add(key, "added", { priority: -(i % 500) });
    const taken: string[] = [];
    for (let item = queue.tryTake(); item; item = queue.tryTake()) {
      taken.push(item.key);
      queue.done(item, { type: "done" });
    }
    expect(taken).toEqual(keys.toSorted((a, b) => rank(a) - rank(b)));
  }
  function rank(key: string): number {
    const i = Number(key.split("-")[1]);
    return (i % 500) * 1e6 + i;
  }
});

describe("a key with several strategies", () => {
  const hour = 3_600_000;
  const kinds: Readonly<Record<string, Strategy>> = {
    two: scheduled(daily(2)),
    four: scheduled(daily(4)),
    batch: batched({ size: 2, timeout: 3.5 * hour }),
    now: immediate,
  };
  const openDaily = (options?: Partial<QueueOptions<string>>): ReturnType<typeof open> =>
    open({ ...options, strategy: ({ type }) => kinds[type ?? "now"] ?? immediate });
  /** Hours at which keys can be taken, tried every half hour. */
  const hoursOf = async (
    { queue, clock }: ReturnType<typeof open>,
    { from = 0, until = 60 } = {},
  ): Promise<number[]> => {
    const hours: number[] = [];
    await clock.advance(from * hour - clock.now());
    for (; clock.now() <= until * hour; await clock.advance(hour / 2)) {
      const item = queue.tryTake();
      if (item === undefined) continue;
      hours.push(clock.now() / hour);
      queue.done(item, { type: "done" });
    }
    return hours;
  };

  /** Open for an hour of every day. */
  function daily(opens: number): RunWindow {
    const hourOf = (at: number): number => Math.floor(at / hour) % 24;
    const nextOpening = (at: number): number =>
      (Math.floor(at / hour / 24) + (hourOf(at) < opens ? 0 : 1)) * 24 * hour + opens * hour;
    return { isOpen: (at) => hourOf(at) === opens, nextOpening };
  }

  test.each([
    ["two", "four"],
    ["four", "two"],
    ["two", "four", "two"],
  ])("is due when the first of its windows opens: %s, %s", async (...types) => {
    const opened = openDaily();
    for (const type of types) opened.queue.add("a", type, { type });
    expect(opened.queue.snapshot()).toMatchObject([{ due: 2 * hour }]);
    expect(await hoursOf(opened)).toEqual([2]);
  });

  test.each([
    ["two", "four"],
    ["four", "two"],
  ])("is due in the next of any window after it missed one: %s, %s", async (...types) => {
    const opened = openDaily();
    for (const type of types) opened.queue.add("a", type, { type });
    expect(await hoursOf(opened, { from: 3 })).toEqual([4]);
  });

  test("does not use a window before the change of that window is due", async () => {
    const opened = openDaily();
    opened.queue.add("a", "two", { type: "two" });
    opened.queue.add("a", "four", { type: "four", after: 10 * hour });
    expect(await hoursOf(opened, { from: 3 })).toEqual([26]);
  });

  test.each([
    ["two", "now"],
    ["now", "two"],
  ])("runs at once when one change has no window: %s, %s", async (...types) => {
    const opened = openDaily();
    for (const type of types) opened.queue.add("a", type, { type });
    expect(await hoursOf(opened)).toEqual([0]);
  });

  test.each([
    ["two", "now"],
    ["now", "two"],
    ["two", "batch"],
    ["batch", "two"],
  ])("runs in the window, or when a change without a window is due: %s, %s", async (...types) => {
    const add = ({ queue }: ReturnType<typeof open>): void => {
      for (const type of types) queue.add("a", type, { type, after: type === "now" ? 3.5 * hour : 0 });
    };
    const inTime = openDaily();
    add(inTime);
    expect(await hoursOf(inTime)).toEqual([2]);
    const missed = openDaily();
    add(missed);
    expect(await hoursOf(missed, { from: 3 })).toEqual([3.5]);
  });

  test("runs when its batch is full, also outside its window", () => {
    const { queue } = openDaily();
    queue.add("a", "batch", { type: "batch" });
    queue.add("a", "two", { type: "two" });
    queue.add("b", "batch", { type: "batch" });
    expect([take(queue).key, take(queue).key]).toEqual(["a", "b"]);
  });

  test("is retried in any window of the failed run and of what was added meanwhile", async () => {
    for (const [first, meanwhile] of [["two", "four"], ["four", "two"], []] as const) {
      const opened = openDaily();
      const { queue, clock } = opened;
      queue.add("a", "two", { type: first ?? "two" });
      if (first === undefined) queue.add("a", "four", { type: "four" });
      await clock.advance((first === "four" ? 4 : 2) * hour);
      const item = take(queue);
      if (meanwhile !== undefined) queue.add("a", "more", { type: meanwhile, after: hour });
      queue.done(item, { type: "retry", reason: "failed", after: hour });
      expect(await hoursOf(opened)).toEqual([first === "four" ? 26 : 4]);
    }
  });

  test("keeps the windows that open first when there are too many", async () => {
    let next = 0;
    const opened = open({ strategy: () => scheduled(daily(next)) });
    for (next = 23; next >= 2; next--) opened.queue.add("a", "changed");
    for (let left = 100; left > 0; left--) {
      next = 20;
      opened.queue.add("a", "changed");
    }
    expect(await hoursOf(opened, { from: 3.5 })).toEqual([3.5]);
  });

  test("waits while its window throws, without delaying other keys", async () => {
    let fails = false;
    const window: RunWindow = {
      isOpen(at) {
        if (fails) throw new Error("no calendar");
        return at >= hour;
      },
      nextOpening: () => hour,
    };
    const { queue, clock } = open({ strategy: ({ type }) => (type ? scheduled(window) : immediate) });
    queue.add("a", "two", { type: "two" });
    fails = true;
    await clock.advance(hour);
    expect(() => queue.add("c", "two", { type: "two" })).toThrow("no calendar");
    queue.add("b", "now");
    expect(take(queue).key).toBe("b");
    expect(queue.tryTake()).toBeUndefined();
    fails = false;
    await clock.advance(hour);
    expect(take(queue)).toMatchObject({ key: "a", reasons: ["two"] });
    expect(queue.tryTake()).toBeUndefined();
  });
});

describe("100,000 keys", () => {
  const keys = Array.from({ length: 100_000 }, (_, index) => `all/key-${index}`);
  const drain = (queue: WorkQueue<string>): string[] => {
    const drained: string[] = [];
    for (let item = queue.tryTake(); item; item = queue.tryTake()) {
      drained.push(item.key);
      queue.done(item, { type: "done" });
    }
    return drained;
  };

  test("are taken once each, in order, round after round", () => {
    const { queue } = open();
    for (const reason of ["first", "second"]) {
      for (const key of keys) queue.add(key, reason);
      for (const key of keys) queue.add(key, "once more");
      expect(queue.depth).toBe(keys.length);
      const first = queue.tryTake() ?? expect.fail();
      expect(first).toMatchObject({ key: keys[0], reasons: [reason, "once more"] });
      queue.remove(keys[0] ?? "");
      expect(drain(queue)).toEqual(keys.slice(1));
      queue.done(first, { type: "done" });
    }
    expect(queue.snapshot()).toEqual([]);
  });

  test("can be removed without affecting the others", () => {
    const { queue } = open();
    for (const key of keys) queue.add(key, "added");
    for (const key of keys.slice(10)) queue.remove(key);
    queue.add(keys[5] ?? "", "more");
    queue.add("all/new", "added");
    expect(drain(queue)).toEqual([...keys.slice(0, 10), "all/new"]);
  });

  test("wait for the next opening when their window closes", async () => {
    const opening = 10_000;
    const isOpen = (at: number): boolean => at < 1000 || at >= opening;
    const window = { isOpen, nextOpening: () => opening };
    const { queue, clock } = open({ strategy: scheduled(window) });
    for (const key of keys) queue.add(key, "added");
    await clock.advance(1000);
    expect(queue.tryTake()).toBeUndefined();
    expect(queue.delayed).toBe(keys.length);
    await clock.advance(opening - 1000);
    expect(drain(queue)).toEqual(keys);
  });

  test("that run once do not affect the delayed ones", async () => {
    const { queue, clock } = open();
    for (const key of keys.slice(0, 20)) queue.add(key, "later", { after: 1000 });
    for (const key of keys.slice(20)) {
      queue.add(key, "added");
      const item = queue.tryTake();
      expect(item?.key).toBe(key);
      if (item) queue.done(item, { type: "done" });
    }
    for (const key of keys.slice(0, 20)) queue.add(key, "more", { after: 2000 });
    expect(queue.snapshot()).toHaveLength(20);
    await clock.advance(1000);
    expect(drain(queue)).toEqual(keys.slice(0, 20));
  });
});

test("calls onDead and the metrics callbacks", async () => {
  const calls: string[] = [];
  const { clock, queue } = open({
    limiter: fixedDelay(50),
    maxRetries: 1,
    onDead: ({ key, failures }) => calls.push(`dead ${key} ${failures}`),
    metrics: {
      added: (key) => calls.push(`added ${key}`),
      taken: ({ key }, waited) => calls.push(`taken ${key} ${waited}`),
      retried: (key, failures, delay) => calls.push(`retried ${key} ${failures} ${delay}`),
      done: ({ key }, took, outcome) => calls.push(`done ${key} ${took} ${outcome}`),
    },
  });
  queue.add("a", "created");
  await clock.advance(10);
  const first = queue.tryTake();
  if (!first) throw new Error("expected an item");
  expect(queue.runningKeys()).toEqual([{ key: "a", taken: first.taken }]);
  await clock.advance(7);
  queue.done(first, { type: "retry", reason: "failed" });
  await clock.advance(60);
  const second = queue.tryTake();
  if (!second) throw new Error("expected an item");
  queue.done(second, { type: "retry", reason: "failed" });
  expect(calls).toEqual([
    "added a",
    "taken a 10",
    "retried a 1 50",
    "done a 7 retry",
    "taken a 10",
    "dead a 2",
    "done a 0 retry",
  ]);
});

describe("rejects without any effect", () => {
  test("priorities and delays that are not finite", () => {
    const { queue } = open();
    expect(() => queue.add("a", "added", { priority: NaN })).toThrow(
      "a cannot be queued with priority NaN: give a finite number",
    );
    expect(() => queue.add("a", "added", { after: Infinity })).toThrow(
      "a cannot be queued with after Infinity",
    );
    expect(queue.snapshot()).toEqual([]);
    queue.add("a", "added", { after: -5 });
    const item = queue.tryTake();
    if (!item) throw new Error("expected an item");
    expect(() => queue.done(item, { type: "requeue", after: NaN, reason: "look" })).toThrow(/after NaN/);
    expect(queue.running).toBe(1);
    queue.done(item, { type: "done" });
  });

  test.each([
    [
      "a limiter that throws",
      () => {
        throw new Error("no calendar");
      },
      /no calendar/,
    ],
    ["a delay of NaN", () => NaN, /the limiter cannot let a wait for NaN: it has to give/],
    ["an infinite delay", () => Infinity, RangeError],
    ["a negative delay", () => -1, RangeError],
  ])("%s", async (_name, delay, message) => {
    const { queue, clock } = open({ limiter: { delay } });
    queue.add("a", "added");
    const item = take(queue);
    expect(() => queue.done(item, { type: "retry", reason: "failed" })).toThrow(message);
    expect(queue.snapshot()).toMatchObject([{ key: "a", state: "running", failures: 0 }]);
    queue.add("a", "more");
    expect(() => queue.done(item, { type: "retry", reason: "failed" })).toThrow(message);
    expect(queue.snapshot()).toMatchObject([{ key: "a", state: "dirty", failures: 0, reasons: ["more"] }]);
    expect(queue.running).toBe(1);

    queue.done(item, { type: "retry", reason: "failed", after: 1000 });
    expect(() => queue.done(item, { type: "done" })).toThrow(/is not running as this item/);
    expect(queue.running).toBe(0);
    await clock.advance(1000);
    const next = take(queue);
    expect(next).toMatchObject({ reasons: ["more", "failed"], failures: 1 });
    queue.done(next, { type: "done" });
    await expect(queue.drain()).resolves.toBeUndefined();
  });

  test.each([
    [
      "a strategy that throws",
      () => {
        throw new Error("no calendar");
      },
      /no calendar/,
    ],
    ["a strategy that returns undefined", () => undefined as unknown as Strategy, TypeError],
    [
      "a window that opens at NaN",
      () => scheduled({ isOpen: () => false, nextOpening: () => NaN }),
      /a window cannot open at NaN: nextOpening gives a time, or Infinity for never/,
    ],
  ])("%s", (_name, strategy: () => Strategy, message) => {
    let broken = false;
    const { queue } = open({ maxRetries: 0, strategy: () => (broken ? strategy() : immediate) });
    queue.add("a", "added");
    queue.add("dead", "added");
    const item = take(queue);
    queue.done(take(queue), { type: "dead", reason: "gone" });

    broken = true;
    expect(() => queue.add("dead", "more")).toThrow(message);
    expect(() => queue.add("new", "added")).toThrow(message);
    expect(() => queue.add("a", "more")).toThrow(message);
    expect(() => queue.done(item, { type: "requeue", after: 0, reason: "look" })).toThrow(message);
    expect(queue.snapshot()).toMatchObject([
      { key: "a", state: "running", reasons: ["added"] },
      { key: "dead", state: "dead" },
    ]);
    expect(queue.running).toBe(1);

    broken = false;
    queue.done(item, { type: "requeue", after: 0, reason: "look" });
    expect(take(queue)).toMatchObject({ key: "a", reasons: ["look"] });
    queue.add("new", "added");
    expect(take(queue)).toMatchObject({ key: "new", reasons: ["added"] });
  });

  test("items that are done already, or belong to another queue", () => {
    const { queue } = open();
    const other = open().queue;
    queue.add("a", "added");
    other.add("a", "added");
    const item = queue.tryTake();
    const others = other.tryTake();
    if (!item || !others) throw new Error("expected an item");
    expect(() => queue.done(others, { type: "done" })).toThrow(/a is not running as this item/);
    queue.done(item, { type: "done" });
    queue.add("a", "added");
    queue.tryTake();
    expect(() => queue.done(item, { type: "done" })).toThrow(/call done once per item/);
  });

  test.each([
    [{ ageing: 0 }, /ageing cannot be 0/],
    [{ maxRetries: -1 }, /maxRetries cannot be -1/],
    [{ maxReasons: 0 }, /maxReasons cannot be 0/],
  ])("options %j", (options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});

test("the failures of a key can be reset, so that its backoff starts again", () => {
  const { clock, queue } = open({ limiter: { delay: (_key, failures) => failures * 1000 }, maxRetries: 5 });
  queue.add("a", "created");
  for (let failures = 1; failures <= 3; failures++) {
    queue.done(take(queue), { type: "retry", reason: "failed" });
    expect(queue.snapshot()).toMatchObject([{ failures, due: clock.now() + failures * 1000 }]);
    queue.add("a", "again");
  }
  expect(queue.resetFailures("a")).toBe(true);
  expect(queue.resetFailures("a")).toBe(false);
  expect(queue.resetFailures("unknown")).toBe(false);
  queue.done(take(queue), { type: "retry", reason: "failed" });
  expect(queue.snapshot()).toMatchObject([{ failures: 1, due: clock.now() + 1000 }]);
});

test("the longest wait is that of the oldest key that waits for a worker", async () => {
  const { clock, queue } = open();
  expect(queue.longestWait).toBe(0);
  queue.add("running", "added");
  take(queue);
  queue.add("later", "added", { after: 60_000 });
  await clock.advance(10_000);
  expect(queue.longestWait, "neither a running key nor a delayed one waits").toBe(0);
  queue.add("old", "added");
  await clock.advance(5000);
  queue.add("new", "added");
  expect(queue.longestWait).toBe(5000);
});
