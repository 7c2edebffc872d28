import { expect, test } from "vitest";
import { RunSignals } from "./run-signals.js";

test("what was given back is given out again, unless it has fired", () => {
  const signals = new RunSignals();
  const [first, second] = [signals.take(), signals.take()];
  expect(second).not.toBe(first);
  signals.giveBack(first);
  second.abort();
  signals.giveBack(second);
  expect(signals.take()).toBe(first);
  expect(signals.take().signal.aborted).toBe(false);
});
