import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "./clock.js";

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

test("returns the system time", () => {
  expect(systemClock.now()).toBe(1000);
  vi.advanceTimersByTime(5);
  expect(systemClock.now()).toBe(1005);
});

test("calls back once, unless cancelled", () => {
  const called = vi.fn<() => void>();
  const calledOff = vi.fn<() => void>();
  systemClock.after(10, called);
  systemClock.after(10, calledOff).cancel();
  vi.advanceTimersByTime(9);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(called).toHaveBeenCalledTimes(1);
  expect(calledOff).not.toHaveBeenCalled();
});

test("supports delays longer than setTimeout allows", () => {
  const longest = 2 ** 31 - 1;
  const called = vi.fn<() => void>();
  const calledOff = vi.fn<() => void>();
  systemClock.after(longest + 50, called);
  const second = systemClock.after(longest + 50, calledOff);
  vi.advanceTimersByTime(longest + 49);
  expect(called).not.toHaveBeenCalled();
  second.cancel();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledTimes(1);
  expect(calledOff).not.toHaveBeenCalled();
});
