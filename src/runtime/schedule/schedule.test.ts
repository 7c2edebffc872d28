import { expect, expectTypeOf, test } from "vitest";
import { schedule } from "./schedule.js";

const nothing = (): void => {};

test("what is not a schedule is refused, with the reason", () => {
  expect(() => schedule({ name: "", every: "1s", run: nothing })).toThrow(/needs a name/);
  expect(() => schedule({ name: "a", every: 0, run: nothing })).toThrow(/cannot run every 0s/);
  expect(() => schedule({ name: "a", cron: "often", run: nothing })).toThrow(/is not a cron expression/);
  expect(() => schedule({ name: "a", every: "1s", over: () => [1], each: nothing, concurrency: 0 })).toThrow(
    /cannot work on 0 items/,
  );
  // @ts-expect-error -- neither every nor cron
  expect(() => schedule({ name: "a", run: nothing })).toThrow(/"every" and "cron"/);
  // @ts-expect-error -- nothing to do
  expect(() => schedule({ name: "a", every: "1s" })).toThrow(/"over" and "each", or "run"/);
});

test("items are typed by what is gone over", () => {
  schedule({
    name: "typed",
    every: "1s",
    over: ({ signal }) => Promise.resolve([{ id: 1, aborted: signal.aborted }]),
    where: (item) => item.id > 0,
    each: (item) => {
      expectTypeOf(item).toEqualTypeOf<{ id: number; aborted: boolean }>();
    },
  });
});

test("a schedule is data that can be shown", () => {
  expect(
    schedule({ name: "nightly", cron: "0 2 * * *", timeZone: "Europe/Berlin", run: nothing }),
  ).toMatchObject({
    name: "nightly",
    timing: { cron: "0 2 * * *", timeZone: "Europe/Berlin" },
    immediately: false,
  });
  expect(schedule({ name: "often", every: "1m", timeout: "5s", run: nothing })).toMatchObject({
    timing: { every: 60_000 },
    timeout: 5000,
    immediately: true,
  });
});
