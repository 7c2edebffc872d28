import { expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { Rejections } from "./rejections.js";

test("sends the first rejections of a second at once, and the others in batches", async () => {
  const clock = new VirtualClock();
  const rejections = new Rejections(clock);
  const sent: number[] = [];
  let immediate = 0;
  const cancels: (() => void)[] = [];
  for (let index = 0; index < 300; index++) {
    if (rejections.takeImmediate()) immediate++;
    else cancels.push(rejections.delay(() => sent.push(index)));
  }
  expect(immediate).toBe(100);
  // Cancelled rejections are skipped.
  cancels[0]?.();
  await clock.advance(50);
  expect(sent).toEqual(Array.from({ length: 50 }, (_, index) => 101 + index));
  // No rejection overtakes the delayed ones.
  await clock.advance(50);
  expect(rejections.takeImmediate()).toBe(false);
  await clock.advance(1000);
  expect(sent).toHaveLength(199);
  expect(clock.timers).toBe(0);
  expect(rejections.takeImmediate()).toBe(true);
});
