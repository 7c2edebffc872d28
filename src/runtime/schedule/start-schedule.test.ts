import { describe, expect, test } from "vitest";
import { TimeLimitError } from "../../model/core.js";
import { sleep, VirtualClock, type Duration } from "../../model/core.js";
import type { PassReport } from "./pass.js";
import { schedule, type ScheduleContext } from "./schedule.js";
import { startSchedule } from "./start-schedule.js";

function seconds(clock: VirtualClock, since: number): number {
  return (clock.now() - since) / 1000;
}

/** A schedule that notes when each pass begins, and takes a while. */
function noting(every: Duration, takes: number) {
  const clock = new VirtualClock();
  const start = clock.now();
  const begun: number[] = [];
  const overlaps: number[] = [];
  let atWork = 0;
  const definition = schedule({
    name: "noting",
    every,
    async run({ signal }) {
      if (++atWork > 1) overlaps.push(atWork);
      begun.push(seconds(clock, start));
      try {
        await sleep(clock, takes, signal);
      } finally {
        atWork--;
      }
    },
  });
  return { clock, begun, overlaps, definition };
}

describe("when passes run", () => {
  test("the first at once, then one per interval, from start to start", async () => {
    const { clock, begun, definition } = noting("10s", 4000);
    await using running = startSchedule(definition, { clock });
    await clock.advance(35_000);
    expect(begun).toEqual([0, 10, 20, 30]);
    expect(running.stats()).toMatchObject({ iterations: 4, skipped: 0, averageDuration: 4000 });
  });

  test("never two at once: ticks that come too early are skipped, counted and told", async () => {
    const { clock, begun, overlaps, definition } = noting("10s", 25_000);
    const skipped: number[] = [];
    const start = clock.now();
    await using running = startSchedule(definition, {
      clock,
      observer: { skipped: (_name, due) => skipped.push((due - start) / 1000) },
    });
    await clock.advance(65_000);
    expect(begun).toEqual([0, 30, 60]);
    expect(overlaps).toEqual([]);
    expect(skipped).toEqual([10, 20, 40, 50]);
    expect(running.stats().skipped).toBe(4);
    expect(running.busy).toBe(true);
  });

  test("at the times of a cron expression in its time zone, and not at once", async () => {
    const clock = new VirtualClock("2025-03-28T12:00:00Z");
    const begun: string[] = [];
    const definition = schedule({
      name: "nightly",
      cron: "30 2 * * *",
      timeZone: "Europe/Berlin",
      run: ({ due }) => void begun.push(new Date(due).toISOString()),
    });
    await using running = startSchedule(definition, { clock });
    await clock.advance(72 * 3_600_000);
    expect(begun).toEqual([
      "2025-03-29T01:30:00.000Z",
      "2025-03-30T01:00:00.000Z",
      "2025-03-31T00:30:00.000Z",
    ]);
    expect(running.due).toBe(Date.parse("2025-04-01T00:30:00Z"));
  });

  test("a timer that fires early does not make a time of day come twice", async () => {
    const wall = new VirtualClock("2026-01-01T01:00:00Z");
    let fast = 0;
    // As timers of the platform may: a millisecond before their time.
    const clock = {
      now: () => wall.now(),
      after: (milliseconds: number, callback: () => void) =>
        wall.after(fast++ % 2 === 0 ? milliseconds - 1 : milliseconds, callback),
    };
    let passes = 0;
    await using _ = startSchedule(
      schedule({ name: "nightly", cron: "0 2 * * *", run: () => void passes++ }),
      { clock },
    );
    await wall.advance(24 * 3_600_000);
    expect(passes).toBe(1);
  });

  test("a machine that slept makes one pass, not all it missed", async () => {
    const clock = new VirtualClock();
    let asleep = 0;
    const passes: number[] = [];
    const waking = { now: () => clock.now() + asleep, after: clock.after.bind(clock) };
    const running = startSchedule(
      schedule({ name: "a", every: "10s", run: ({ due }) => void passes.push(due) }),
      { clock: waking },
    );
    await clock.advance(15_000);
    asleep = 3_600_000;
    await clock.advance(10_000);
    expect(passes).toHaveLength(3);
    expect(running.stats().skipped).toBe(360);
    await running.stop();
  });
});

describe("going over a set", () => {
  test("only what is wanted, and what became of it is counted", async () => {
    const clock = new VirtualClock();
    const reports: PassReport[] = [];
    const definition = schedule({
      name: "even",
      every: "1m",
      immediately: false,
      async *over() {
        yield* [1, 2, 3, 4, 5, 6];
      },
      where: (item) => item % 2 === 0,
      each(item, { transitioned, cleanedUp }) {
        if (item === 2) return "changed";
        if (item === 4) return "cleaned";
        transitioned(3);
        cleanedUp(2);
      },
    });
    await using running = startSchedule(definition, { clock, observer: { passed: (r) => reports.push(r) } });
    await running.trigger();
    expect(reports).toEqual([
      {
        name: "even",
        due: clock.now(),
        started: clock.now(),
        duration: 0,
        processed: 3,
        failed: 0,
        transitions: 4,
        cleanups: 3,
        stopped: false,
      },
    ]);
    await running.trigger();
    expect(running.stats()).toMatchObject({ iterations: 2, processed: 6, transitions: 8, cleanups: 6 });
  });

  test("an item that fails is told and counted, and the others have their turn", async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const told: unknown[] = [];
    const definition = schedule({
      name: "fragile",
      every: "1m",
      over: () => ["a", "b", "c"],
      async each(item) {
        seen.push(item);
        if (item === "b") throw new Error("no");
      },
      onError(error, item) {
        told.push([(error as Error).message, item]);
        throw new Error("nor this");
      },
    });
    await using running = startSchedule(definition, {
      clock,
      observer: { failed: (name, _error, item) => told.push([name, item]) },
    });
    await clock.advance(0);
    expect(seen).toEqual(["a", "b", "c"]);
    expect(told).toEqual([
      ["no", "b"],
      ["fragile", "b"],
    ]);
    expect(running.stats()).toMatchObject({ iterations: 1, failures: 0, processed: 3, failed: 1 });
  });

  test("a query that fails ends the pass but not the schedule, and what had begun is finished first", async () => {
    const clock = new VirtualClock();
    const events: string[] = [];
    let broken = true;
    const definition = schedule({
      name: "query",
      every: "1m",
      concurrency: 4,
      async *over() {
        yield 1;
        if (broken) throw new Error("gone");
        yield 2;
      },
      async each(item) {
        await sleep(clock, 1000);
        events.push(`done ${item}`);
      },
      onError: (error) => void events.push((error as Error).message),
    });
    await using running = startSchedule(definition, { clock });
    await clock.advance(2000);
    expect(events).toEqual(["done 1", "gone"]);
    expect(running.stats()).toMatchObject({ iterations: 1, failures: 1 });
    broken = false;
    await clock.advance(60_000);
    expect(events.slice(2)).toEqual(["done 1", "done 2"]);
  });

  test("no more at once than allowed, and a stream is not read ahead", async () => {
    const clock = new VirtualClock();
    let atWork = 0;
    let most = 0;
    const whenRead: number[] = [];
    const definition = schedule({
      name: "wide",
      every: "1h",
      concurrency: 3,
      *over() {
        for (let item = 0; item < 10; item++) {
          whenRead.push(atWork);
          yield item;
        }
      },
      async each() {
        most = Math.max(most, ++atWork);
        await sleep(clock, 1000);
        atWork--;
      },
    });
    await using running = startSchedule(definition, { clock });
    await clock.advance(10_000);
    expect(most).toBe(3);
    expect(Math.max(...whenRead)).toBe(2);
    expect(running.stats()).toMatchObject({ processed: 10, lastDuration: 4000 });
  });

  test("an item that hangs is left behind, and its signal aborts", async () => {
    const clock = new VirtualClock();
    const errors: unknown[] = [];
    let signal: AbortSignal | undefined;
    const seen: string[] = [];
    const definition = schedule({
      name: "hanging",
      every: "1h",
      itemTimeout: "5s",
      over: () => ["stuck", "fine"],
      each(item, tools) {
        seen.push(item);
        if (item === "fine") return;
        signal = tools.signal;
        return new Promise<void>(() => {});
      },
      onError: (error) => void errors.push(error),
    });
    await using running = startSchedule(definition, { clock });
    await clock.advance(5000);
    expect(seen).toEqual(["stuck", "fine"]);
    expect(errors).toEqual([expect.any(TimeLimitError)]);
    expect(signal?.aborted).toBe(true);
    expect(running.stats()).toMatchObject({ iterations: 1, failed: 1 });
  });

  test("a pass that takes too long is given up, and the next one comes", async () => {
    const clock = new VirtualClock();
    const errors: unknown[] = [];
    const definition = schedule({
      name: "slow",
      every: "1m",
      timeout: "30s",
      over: ({ signal }) => sleep(clock, 3_600_000, signal).then((): number[] => []),
      each: () => {},
      onError: (error, item) => void errors.push([item, (error as Error).message]),
    });
    await using running = startSchedule(definition, { clock });
    await clock.advance(100_000);
    expect(running.stats()).toMatchObject({ iterations: 2, failures: 2, skipped: 0 });
    expect(errors[0]).toEqual([undefined, expect.stringContaining('schedule "slow" took longer than 30s')]);
  });
});

describe("what goes on although it was cancelled", () => {
  /** A schedule that ignores its signal until told to end. */
  function stubborn(more: { readonly timeout?: Duration; readonly itemTimeout?: Duration }) {
    const clock = new VirtualClock();
    const told: string[] = [];
    const ends: (() => void)[] = [];
    const hang = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    const { timeout, itemTimeout } = more;
    const rest = { name: "stubborn", every: "1m", timeout } as const;
    const definition =
      itemTimeout === undefined
        ? schedule({ ...rest, run: hang })
        : schedule({ ...rest, itemTimeout, over: () => [1], each: hang });
    const underWay = new Set<Promise<unknown>>();
    const observer = {
      skipped: (_name: string, _due: number, lingering?: boolean) => void told.push(`skipped ${lingering}`),
      lingering: () => void told.push("lingering"),
    };
    const start = () => startSchedule(definition, { clock, observer, underWay });
    return { clock, told, ends, start };
  }

  test.each([{ timeout: "10s" }, { itemTimeout: "10s" }] as const)(
    "keeps the next pass from beginning until it ends: %o",
    async (more) => {
      const { clock, told, ends, start } = stubborn(more);
      const running = start();
      await clock.advance(130_000);
      expect(ends).toHaveLength(1);
      expect(told).toEqual(["skipped true", "skipped true"]);
      expect(running.busy).toBe(true);
      expect(running.stats()).toMatchObject({ iterations: 1, skipped: 2 });
      const triggered = running.trigger();
      await clock.advance(0);
      expect(ends).toHaveLength(1);
      ends[0]?.();
      await clock.advance(0);
      expect(ends).toHaveLength(2);
      ends[1]?.();
      await triggered;
      await running.stop();
      expect(told).toHaveLength(2);
    },
  );

  test("is not waited for by a stop for ever, and the next start waits for it", async () => {
    const { clock, told, ends, start } = stubborn({});
    const first = start();
    await clock.advance(0);
    const report = first.trigger().catch((error: unknown) => error);
    const stopped = first.stop();
    await clock.advance(5000);
    await stopped;
    expect(await report).toMatchObject({ message: 'schedule "stubborn" was stopped' });
    expect(told).toEqual(["lingering"]);
    expect(clock.timers).toBe(0);

    const second = start();
    await clock.advance(0);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await clock.advance(60_000);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await second.stop();
    expect(told).toEqual(["lingering", "skipped true"]);
  });
});

describe("triggering and stopping", () => {
  test("a trigger runs now and leaves the rhythm alone", async () => {
    const { clock, begun, definition } = noting("10s", 1000);
    await using running = startSchedule(definition, { clock });
    await clock.advance(5000);
    const triggered = running.trigger();
    await clock.advance(6000);
    expect(await triggered).toMatchObject({ name: "noting", duration: 1000 });
    expect(begun).toEqual([0, 5, 10]);
  });

  test("triggers during a pass share one that begins after it", async () => {
    const { clock, begun, overlaps, definition } = noting("1h", 4000);
    await using running = startSchedule(definition, { clock });
    await clock.advance(1000);
    const both = Promise.all([running.trigger(), running.trigger()]);
    await clock.advance(10_000);
    const [one, two] = await both;
    expect(one).toBe(two);
    expect(begun).toEqual([0, 4]);
    expect(overlaps).toEqual([]);
  });

  test("stop tells the pass, waits for it, and nothing comes after", async () => {
    const clock = new VirtualClock();
    const events: string[] = [];
    const definition = schedule({
      name: "stopping",
      every: "1m",
      over: () => ["a", "b", "c"],
      async each(item, { signal }: ScheduleContext) {
        events.push(`begin ${item}`);
        await sleep(clock, 10_000, signal).catch(() => {});
        await sleep(clock, 1000);
        events.push(`end ${item}`);
      },
      onError: () => void events.push("error"),
    });
    const running = startSchedule(definition, { clock });
    await clock.advance(1000);
    const following = running.trigger();
    const stopped = running.stop().then(() => events.push("stopped"));
    await expect(Promise.all([following, clock.advance(5000)])).rejects.toThrow(
      'schedule "stopping" was stopped',
    );
    await stopped;
    await clock.advance(600_000);
    expect(events).toEqual(["begin a", "end a", "stopped"]);
    expect(running.due).toBeUndefined();
    expect(clock.timers).toBe(0);
    await expect(running.trigger()).rejects.toThrow("was stopped");
  });

  test("an error that the stop causes is not reported", async () => {
    const clock = new VirtualClock();
    const errors: unknown[] = [];
    const running = startSchedule(
      schedule({
        name: "quiet",
        every: "1m",
        run: ({ signal }) => sleep(clock, 10_000, signal),
        onError: (error) => void errors.push(error),
      }),
      { clock },
    );
    await clock.advance(1000);
    await running.stop();
    expect(errors).toEqual([]);
    expect(running.stats()).toMatchObject({ iterations: 1, failures: 0 });
  });

  test("a client that was not handed in is missed with an explanation", async () => {
    const clock = new VirtualClock();
    const errors: string[] = [];
    await using _ = startSchedule(
      schedule({
        name: "clientless",
        every: "1m",
        run: ({ client }) => void client.namespace,
        onError: (error) => void errors.push((error as Error).message),
      }),
      { clock },
    );
    await clock.advance(0);
    expect(errors).toEqual([expect.stringContaining("started without a client")]);
  });
});
