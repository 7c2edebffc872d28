import { expect, test } from "vitest";
import { systemClock, VirtualClock } from "../../model/core.js";
import { NotIdleError, pass, untilStill } from "./stillness.js";
import { TestClock } from "./test-clock.js";

test("the activity of one timer ends before the next fires", async () => {
  const clock = new TestClock(0);
  const seen: string[] = [];
  let happened = 0;
  const work = async (name: string): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      happened++;
    }
    seen.push(`${name} at ${clock.now()}`);
  };
  for (const time of [20, 10, 11]) clock.after(time, () => void work(`work of ${time}`));
  expect(clock.next).toBe(10);
  clock.after(5, () => {}).cancel();
  await pass(15, { clock, life: () => happened });
  expect(seen).toEqual(["work of 10 at 10", "work of 11 at 11"]);
  expect([clock.now(), clock.next]).toEqual([15, 20]);
  await pass(5, { clock, life: () => happened });
  expect(seen).toHaveLength(3);
  expect(clock.next).toBeUndefined();
});

test("timers that are due at once fire before the system counts as idle", async () => {
  const clock = new TestClock(0);
  let fired = false;
  clock.after(0, () => (fired = true));
  await untilStill({ clock, life: () => 0 });
  expect(fired).toBe(true);
});

test("advancing works with any virtual clock and fails with a real one", async () => {
  const clock = new VirtualClock(0);
  await pass(2500, { clock, life: () => 0 });
  expect(clock.now()).toBe(2500);
  await expect(pass(1, { clock: systemClock, life: () => 0 })).rejects.toThrow(
    "advance() needs virtual time",
  );
});

test("activity that waits for time gets it within the lenience", async () => {
  const clock = new TestClock(0);
  let happened = 0;
  const waiting = { clock, life: () => (clock.now() < 1000 ? happened++ : happened), mostTurns: 20 };
  await expect(untilStill(waiting)).rejects.toThrow(NotIdleError);
  await expect(untilStill({ ...waiting, lenience: 500 })).rejects.toThrow(NotIdleError);
  await untilStill({ ...waiting, lenience: 5000 });
  expect(clock.now()).toBe(1000);
});

test("activity that never ends fails with NotIdleError", async () => {
  let happened = 0;
  const restless = untilStill({ clock: new TestClock(), life: () => happened++, mostTurns: 20 });
  await expect(restless).rejects.toThrow(NotIdleError);
});
