import { expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { cancellable } from "./cancellable.js";

const never = new AbortController().signal;

test("tells what a function returns or throws, however it does", async () => {
  const clock = new VirtualClock();
  expect(await cancellable(clock, never, () => 1)).toEqual({ ok: true, value: 1 });
  expect(await cancellable(clock, never, async () => 2)).toEqual({ ok: true, value: 2 });
  const sync = (): never => {
    throw "text";
  };
  expect(await cancellable(clock, never, sync)).toEqual({ ok: false, error: "text" });
  expect(await cancellable(clock, never, () => Promise.reject(undefined))).toEqual({
    ok: false,
    error: undefined,
  });
  expect(clock.timers).toBe(0);
});

test("a function that heeds the signal is waited for", async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const end = cancellable(clock, abort.signal, async () => {
    await new Promise((resolve) => abort.signal.addEventListener("abort", resolve));
    throw new Error("stopped in good order");
  });
  abort.abort(new Error("time is up"));
  expect(await end).toEqual({ ok: false, error: new Error("stopped in good order") });
  expect(clock.timers).toBe(0);
});

test("one that does not is left to itself after a while, and its end is told", async () => {
  const clock = new VirtualClock();
  const abort = new AbortController();
  let finish = (): void => {};
  const end = cancellable(clock, abort.signal, () => new Promise<void>((resolve) => (finish = resolve)));
  abort.abort(new Error("time is up"));
  await clock.advance(5000);
  const settled = await end;
  expect(settled).toMatchObject({ ok: false, error: new Error("time is up") });
  if (settled.ok || settled.lingering === undefined) throw new Error("it should linger");
  let over = false;
  void settled.lingering.then(() => (over = true));
  await clock.advance(60_000);
  expect(over).toBe(false);
  finish();
  await settled.lingering;
});

test("a signal that has fired already gives the same grace", async () => {
  const clock = new VirtualClock();
  const end = cancellable(clock, AbortSignal.abort(new Error("late")), () => new Promise(() => {}));
  await clock.advance(5000);
  expect(await end).toMatchObject({ ok: false, error: new Error("late") });
});
