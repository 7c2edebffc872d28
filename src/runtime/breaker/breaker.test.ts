import { beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { CircuitOpenError, type BreakerEvent } from "./breaker.js";
import { breakers } from "./breakers.js";

let clock: VirtualClock;
beforeEach(() => void (clock = new VirtualClock()));

const broken = new Error("broken");
const succeed = () => "fine";
const fail = () => {
  throw broken;
};

/** A call that ends when told to. */
function pending() {
  let resolve: (value: string) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<string>((...how) => ([resolve, reject] = how));
  return { call: () => promise, resolve, reject };
}

describe("closed", () => {
  test("opens after so many failures in a row, and says who and when", async () => {
    const breaker = breakers({ clock }).get("gateway", { failures: 3, openFor: "1m" });
    for (const call of [fail, fail, succeed, fail, fail]) await breaker.run(call).catch(() => {});
    expect(breaker.state).toBe("closed");
    await expect(breaker.run(fail)).rejects.toBe(broken);
    expect(breaker.state).toBe("open");
    await clock.advance(15_000);
    const refused = await breaker.run(succeed).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CircuitOpenError);
    expect(refused).toMatchObject({ dependency: "gateway", retryAfter: 45_000, cause: broken });
    expect(String(refused)).toContain(
      "gateway has failed too often and is left alone; it is tried again in 45s",
    );
  });

  test("opens when too large a share of enough calls within the window failed", async () => {
    const breaker = breakers({ clock }).get("x", { ratio: 0.5, minimum: 4, window: "10s" });
    for (const call of [fail, fail, fail]) await breaker.run(call).catch(() => {});
    expect(breaker.state, "too few to tell").toBe("closed");
    await clock.advance(11_000);
    for (const call of [succeed, succeed, succeed, fail, fail]) await breaker.run(call).catch(() => {});
    expect(breaker.state, "the first three are forgotten").toBe("closed");
    await breaker.run(fail).catch(() => {});
    expect(breaker.state).toBe("open");
  });

  test("does not count what the caller aborted, nor what is not the dependency's fault", async () => {
    const isFailure = (error: unknown) => error !== "bad request";
    const breaker = breakers({ clock }).get("x", { failures: 1, isFailure });
    const stopper = new AbortController();
    const call = pending();
    const running = breaker.run(call.call, stopper.signal);
    stopper.abort();
    call.reject(stopper.signal.reason);
    await expect(running).rejects.toBe(stopper.signal.reason);
    await expect(breaker.run(() => Promise.reject("bad request"))).rejects.toBe("bad request");
    expect(breaker.state).toBe("closed");
  });
});

test("what the caller aborted counts when it says that the time was up", async () => {
  const breaker = breakers({ clock }).get("x", { failures: 1 });
  const isTimeUp = (reason: unknown): boolean => reason === "time is up";
  for (const [reason, state] of [
    ["never mind", "closed"],
    ["time is up", "open"],
  ]) {
    const stopper = new AbortController();
    const call = pending();
    const running = breaker.run(call.call, stopper.signal, isTimeUp);
    stopper.abort(reason);
    call.reject(reason);
    await expect(running).rejects.toBe(reason);
    expect(breaker.state).toBe(state);
  }
});

test("a clock that is set back does not keep it open for longer", async () => {
  let now = 5_000_000;
  const settable = { now: () => now, after: () => ({ cancel: () => {} }) };
  const breaker = breakers({ clock: settable }).get("x", { failures: 1 });
  await breaker.run(fail).catch(() => {});
  now -= 3_600_000;
  expect(await breaker.run(succeed)).toBe("fine");
});

test("a listener that throws harms no call", async () => {
  const errors: unknown[] = [];
  const shared = breakers({ clock, onError: (error) => errors.push(error) });
  shared.listen(fail);
  expect(await shared.get("x").run(succeed)).toBe("fine");
  expect(errors).toEqual([broken]);
});

describe("half-open", () => {
  async function opened(probes = 1) {
    const breaker = breakers({ clock }).get("x", { failures: 1, openFor: "1m", probes });
    await breaker.run(fail).catch(() => {});
    return breaker;
  }

  test("one probe at a time, which closes it", async () => {
    const breaker = await opened();
    await clock.advance(60_000);
    expect(breaker.state).toBe("half-open");
    const probe = pending();
    const running = breaker.run(probe.call);
    await expect(breaker.run(succeed)).rejects.toMatchObject({ retryAfter: 1000 });
    probe.resolve("well");
    expect(await running).toBe("well");
    expect(breaker.state).toBe("closed");
    expect(breaker.lastError).toBeUndefined();
  });

  test("a failed probe opens it for as long again", async () => {
    const breaker = await opened();
    await clock.advance(60_000);
    await breaker.run(fail).catch(() => {});
    expect(breaker.state).toBe("open");
    expect(breaker.retryAfter).toBe(60_000);
  });

  test("several probes must all succeed", async () => {
    const breaker = await opened(2);
    await clock.advance(60_000);
    await breaker.run(succeed);
    expect(breaker.state).toBe("half-open");
    await breaker.run(succeed);
    expect(breaker.state).toBe("closed");
  });

  test("a probe that its caller aborted makes room for another", async () => {
    const breaker = await opened();
    await clock.advance(60_000);
    const stopper = new AbortController();
    const probe = pending();
    const running = breaker.run(probe.call, stopper.signal);
    stopper.abort();
    probe.reject(stopper.signal.reason);
    await expect(running).rejects.toBe(stopper.signal.reason);
    expect(await breaker.run(succeed)).toBe("fine");
    expect(breaker.state).toBe("closed");
  });

  test("a probe that hangs counts as failed in the end, and its late answer not at all", async () => {
    const breaker = await opened();
    await clock.advance(60_000);
    const hanging = pending();
    const running = breaker.run(hanging.call);
    await clock.advance(60_000);
    await expect(breaker.run(succeed)).rejects.toMatchObject({ retryAfter: 60_000 });
    hanging.resolve("late");
    await running;
    expect(breaker.state).toBe("open");
    await clock.advance(60_000);
    await breaker.run(succeed);
    expect(breaker.state).toBe("closed");
  });

  test("calls from before it opened say nothing about the probe", async () => {
    const breaker = breakers({ clock }).get("x", { failures: 1, openFor: "1m" });
    const [slow, slower] = [pending(), pending()];
    const running = [breaker.run(slow.call), breaker.run(slower.call)];
    await breaker.run(fail).catch(() => {});
    await clock.advance(60_000);
    const probe = pending();
    const probing = breaker.run(probe.call);
    slow.resolve("old");
    slower.reject(broken);
    await Promise.allSettled(running);
    expect(breaker.state).toBe("half-open");
    probe.resolve("new");
    await probing;
    expect(breaker.state).toBe("closed");
  });
});

test("is shared by name, told about, and can be reset", async () => {
  const shared = breakers({ clock, defaults: { failures: 1 } });
  const events: BreakerEvent[] = [];
  const stop = shared.listen((event) => events.push(event));
  const breaker = shared.get("db");
  await breaker.run(fail).catch(() => {});
  await shared
    .get("db")
    .run(succeed)
    .catch(() => {});
  breaker.reset();
  stop();
  await breaker.run(succeed);
  const [name, type] = ["db", "call"];
  expect(events).toEqual([
    { type, name, outcome: "failure" },
    { type: "state", name, from: "closed", to: "open" },
    { type, name, outcome: "refused" },
    { type: "state", name, from: "open", to: "closed" },
  ]);
  expect([...shared].map(({ name, state }) => [name, state])).toEqual([["db", "closed"]]);
  expect(() => shared.get("db", { failures: 2 })).toThrow("breaker db already exists with other options");
});

test("a snapshot says how many failures count, until when it is open, and why", async () => {
  const shared = breakers({ clock });
  const breaker = shared.get("gateway", { failures: 2 });
  const before = { name: "gateway", state: "closed", failures: 0, threshold: "2 in a row" };
  expect(breaker.snapshot()).toEqual(before);
  await breaker.run(fail).catch(() => {});
  const failedOnce = { failures: 1, lastError: "broken", lastFailureAt: clock.now() };
  expect(breaker.snapshot()).toEqual({ ...before, ...failedOnce });
  await breaker.run(fail).catch(() => {});
  const openUntil = clock.now() + 60_000;
  expect(breaker.snapshot()).toEqual({ ...before, ...failedOnce, state: "open", failures: 0, openUntil });
  await clock.advance(60_000);
  expect(breaker.snapshot()).toMatchObject({ state: "half-open", lastError: "broken" });
  breaker.reset();
  expect(breaker.snapshot()).toEqual(before);
  const byRatio = shared.get("db", { ratio: 0.25, minimum: 4, window: "30s" });
  for (const call of [succeed, fail]) await byRatio.run(call).catch(() => {});
  const threshold = "25 % of 4 or more calls in 30s";
  expect(byRatio.snapshot()).toMatchObject({ state: "closed", failures: 1, threshold });
});

test.each([[{ failures: 0 }], [{ ratio: 2 }], [{ probes: 1.5 }], [{ window: 0 }]])(
  "%j is refused",
  (options) => {
    expect(() => breakers({ clock }).get("x", options)).toThrow(RangeError);
  },
);
