import { expect, test } from "vitest";
import { VirtualClock } from "../../../../model/core.js";
import { RateLimit } from "./rate-limit.js";

/** Names of requests with the times at which they got a token, in milliseconds from the start. */
function limited(perSecond: number, burst: number) {
  const clock = new VirtualClock(0);
  const limit = new RateLimit({ perSecond, burst }, clock);
  const served: [name: string, at: number, waited: number][] = [];
  const take = async (name: string, signal = new AbortController().signal): Promise<void> => {
    const waited = await limit.take(signal);
    served.push([name, clock.now(), waited]);
  };
  return { clock, limit, served, take };
}

test("a burst passes at once, the others at the rate and in order", async () => {
  const { clock, served, take } = limited(10, 2);
  const all = Promise.all(["a", "b", "c", "d", "e"].map((name) => take(name)));
  await clock.advance(1000);
  await all;
  expect(served).toEqual([
    ["a", 0, 0],
    ["b", 0, 0],
    ["c", 100, 100],
    ["d", 200, 200],
    ["e", 300, 300],
  ]);
  expect(clock.timers).toBe(0);
});

test("later requests do not overtake, and an idle bucket fills up to the burst only", async () => {
  const { clock, served, take } = limited(10, 2);
  await Promise.all([take("a"), take("b")]);
  const waiting = take("c");
  await clock.advance(99);
  const fourth = take("d");
  await clock.advance(500);
  await Promise.all([waiting, fourth]);
  await clock.advance(60_000);
  served.length = 0;
  const rush = Promise.all(["e", "f", "g"].map((name) => take(name)));
  await clock.advance(100);
  await rush;
  expect(served.map(([name, , waited]) => [name, waited])).toEqual([
    ["e", 0],
    ["f", 0],
    ["g", 100],
  ]);
});

test("an aborted request leaves the line without taking a token", async () => {
  const { clock, served, take } = limited(10, 1);
  const controller = new AbortController();
  await take("a");
  const given = take("b", controller.signal);
  const next = take("c");
  await clock.advance(50);
  controller.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  await clock.advance(50);
  await next;
  expect(served).toEqual([
    ["a", 0, 0],
    ["c", 100, 100],
  ]);
  await expect(take("d", controller.signal)).rejects.toThrow("enough");
  expect(clock.timers).toBe(0);
});

test("rates that do not divide evenly cause no extra delay", async () => {
  const { clock, served, take } = limited(3, 1);
  const all = Promise.all(Array.from({ length: 300 }, (_, index) => take(String(index))));
  await clock.advance(100_000);
  await all;
  expect(served.map(([name]) => name)).toEqual(Array.from({ length: 300 }, (_, index) => String(index)));
  expect(clock.now()).toBe(100_000);
});

test.each([
  [0, 1],
  [1, 0],
  [NaN, 1],
])("rejects a rate of %d with a burst of %d", (perSecond, burst) => {
  expect(() => limited(perSecond, burst)).toThrow(/use false for no limit/);
});
