import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "./clock.js";
import { VirtualClock } from "./virtual-clock.js";

test("time stands still until it is advanced", async () => {
  const clock = new VirtualClock("2026-01-01T00:00:00Z");
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  await clock.advance(1500);
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 1500);
  expect(new VirtualClock(5).now()).toBe(5);
});

describe("timers", () => {
  test("fire in the order they are due, ties in the order they were set, each at its time", () => {
    return fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20)), fc.nat(25), async (delays, time) => {
        const clock = new VirtualClock(0);
        const fired: [number, number, number][] = [];
        for (const [index, delay] of delays.entries()) {
          clock.after(delay, () => fired.push([clock.now(), delay, index]));
        }
        await clock.advance(time);
        const due = [...delays.entries()].filter(([, delay]) => delay <= time);
        const expected = due.toSorted(([a, x], [b, y]) => x - y || a - b);
        expect(fired).toEqual(expected.map(([index, delay]) => [delay, delay, index]));
        expect(clock.timers).toBe(delays.length - due.length);
        expect(clock.now()).toBe(time);
      }),
    );
  });

  test("can be cancelled, also by each other", async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const late = clock.after(2, () => fired.push("late"));
    clock.after(1, () => late.cancel());
    clock.after(3, () => fired.push("last")).cancel();
    await clock.advance(10);
    expect(fired).toEqual([]);
    expect(clock.timers).toBe(0);
    expect(() => late.cancel()).not.toThrow();
  });

  test("set by a timer fire within the same advance if they are due", async () => {
    const clock = new VirtualClock(0);
    const fired: number[] = [];
    const tick = (): void => {
      fired.push(clock.now());
      clock.after(10, tick);
    };
    clock.after(10, tick);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  test("wait for the settle option between firings", async () => {
    const answers: (() => void)[] = [];
    const underWay = new Set<Promise<void>>();
    const clock = new VirtualClock(0, {
      async settle() {
        for (const answer of answers.splice(0)) setImmediate(answer);
        await Promise.all(underWay);
      },
    });
    const happened: string[] = [];
    clock.after(10, () => {
      const answered = new Promise<void>((resolve) => answers.push(resolve));
      underWay.add(answered.then(() => void happened.push(`answered at ${clock.now()}`)));
    });
    clock.after(20, () => happened.push("timed out"));
    await clock.advance(30);
    expect(happened).toEqual(["answered at 10", "timed out"]);
  });

  test("in the past are due at once", async () => {
    const clock = new VirtualClock(100);
    const fired: number[] = [];
    clock.after(-50, () => fired.push(clock.now()));
    await clock.advance(0);
    expect(fired).toEqual([100]);
  });

  test("let promises settle before the next one fires", async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    clock.after(1, () => {
      void (async () => {
        for (let turn = 0; turn < 8; turn++) await Promise.resolve();
        order.push("what the first one started");
      })();
    });
    clock.after(2, () => order.push("the second one"));
    await clock.advance(2);
    expect(order).toEqual(["what the first one started", "the second one"]);
  });
});

test("step advances to the next timer", async () => {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  clock.after(1_000_000, () => fired.push(clock.now()));
  clock.after(5, () => fired.push(clock.now()));
  expect(await clock.step()).toBe(true);
  expect(fired).toEqual([5]);
  expect(await clock.step()).toBe(true);
  expect(fired).toEqual([5, 1_000_000]);
  expect(await clock.step()).toBe(false);
});

describe("sleep", () => {
  test("resolves after the delay", async () => {
    const clock = new VirtualClock(0);
    const woken = sleep(clock, 100).then(() => clock.now());
    await clock.advance(99);
    expect(clock.timers).toBe(1);
    await clock.advance(1);
    expect(await woken).toBe(100);
  });

  test("rejects with the signal's reason and cancels its timer", async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const sleeping = sleep(clock, 100, abort.signal);
    const reason = new Error("enough");
    abort.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  test("rejects at once if the signal is aborted already", async () => {
    const clock = new VirtualClock();
    const reason = new Error("too late");
    await expect(sleep(clock, 100, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
  });

  test("removes its listener from the signal", async () => {
    const clock = new VirtualClock();
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (...parameters: Parameters<typeof add>) => {
        listeners++;
        add(...parameters);
      },
      removeEventListener: (...parameters: Parameters<typeof remove>) => {
        listeners--;
        remove(...parameters);
      },
    });
    const sleeping = sleep(clock, 1, signal);
    expect(listeners).toBe(1);
    await clock.advance(1);
    await sleeping;
    expect(listeners).toBe(0);
  });
});
