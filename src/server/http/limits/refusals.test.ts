import { expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { Refusals } from "./refusals.js";

test("the first of a second are told at once, the others in a row that moves slowly", async () => {
  const clock = new VirtualClock();
  const refusals = new Refusals(clock);
  const told: number[] = [];
  let quick = 0;
  const calledOff: (() => void)[] = [];
  for (let index = 0; index < 300; index++) {
    if (refusals.isQuick) quick++;
    else calledOff.push(refusals.later(() => told.push(index)));
  }
  expect(quick).toBe(100);
  // Those who went away are passed over.
  calledOff[0]?.();
  await clock.advance(50);
  expect(told).toEqual(Array.from({ length: 50 }, (_, index) => 101 + index));
  // Nobody comes before those who wait, a second later either.
  await clock.advance(50);
  expect(refusals.isQuick).toBe(false);
  await clock.advance(1000);
  expect(told).toHaveLength(199);
  expect(clock.timers).toBe(0);
  expect(refusals.isQuick).toBe(true);
});
