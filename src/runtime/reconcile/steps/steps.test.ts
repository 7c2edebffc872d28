import { describe, expect, test } from "vitest";
import { sleep, VirtualClock } from "../../../model/core.js";
import { breakers as createBreakers } from "../../breaker/breakers.js";
import { CircuitOpenError } from "../../breaker/breaker.js";
import { PermanentError } from "../../controller/outcome.js";
import { HandOver, StepError, Steps, type StepsOptions } from "./steps.js";

function start(options: Partial<StepsOptions> = {}) {
  const clock = new VirtualClock(0);
  const run = new AbortController();
  const breakers = createBreakers({ clock });
  const steps = new Steps({ clock, signal: run.signal, breaker: (name) => breakers.get(name), ...options });
  const told: string[] = [];
  const say = (text: string, result?: unknown) => () => {
    told.push(text);
    return result;
  };
  const failing = () => {
    told.push("fail");
    throw new Error("no");
  };
  return { clock, run, breakers, steps, told, say, failing };
}

const outcomes = (steps: Steps): string[] => steps.records.map(({ name, outcome }) => `${name} ${outcome}`);

describe("one step", () => {
  test("gives what its effect gives, and is recorded", async () => {
    const { steps, clock } = start();
    const done = steps.run("a", {}, async () => {
      await sleep(clock, 50);
      return 7;
    });
    await clock.advance(50);
    expect(await done).toBe(7);
    expect(steps.records).toEqual([{ name: "a", startedAt: 0, duration: 50, attempts: 1, outcome: "done" }]);
  });

  test("is tried again, with a pause that grows, as often as it may", async () => {
    const { steps, clock } = start();
    const at: number[] = [];
    const done = steps.run("a", { retries: 3, retryDelay: "1s" }, () => {
      at.push(clock.now());
      if (at.length < 4) throw new Error("not yet");
      return "there";
    });
    await clock.advance(10_000);
    expect(await done).toBe("there");
    expect(at).toEqual([0, 1000, 3000, 7000]);
    expect(steps.records[0]?.attempts).toBe(4);
  });

  test("has a pause that grows by a factor, up to a limit", async () => {
    const { steps, clock } = start();
    const at: number[] = [];
    const options = { retries: 4, retryDelay: "1s", retryFactor: 3, maxRetryDelay: "5s" } as const;
    const done = steps.run("a", options, () => {
      at.push(clock.now());
      if (at.length < 5) throw new Error("not yet");
    });
    await clock.advance(20_000);
    await done;
    expect(at).toEqual([0, 1000, 4000, 9000, 14_000]);
  });

  test("fails with the last error when its retries are used up", async () => {
    const { steps, clock } = start();
    let tries = 0;
    const failed = steps.run("a", { retries: 2 }, () => {
      throw new Error(`no ${++tries}`);
    });
    const caught = failed.catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await caught).toMatchObject({ name: "StepError", message: 'step "a" failed: no 3', undone: [] });
    expect(steps.records).toMatchObject([{ outcome: "failed", attempts: 3, error: "no 3" }]);
  });

  test("a permanent failure is not tried again", async () => {
    const { steps } = start();
    const failed = steps.run("a", { retries: 5 }, () => {
      throw new PermanentError("Gone", "for good");
    });
    await expect(failed).rejects.toMatchObject({ cause: { reason: "Gone" } });
    expect(steps.records[0]?.attempts).toBe(1);
  });

  test("an attempt that takes too long is given up, told through its signal, and tried again", async () => {
    const { steps, clock } = start();
    const signals: AbortSignal[] = [];
    const failed = steps.run("a", { timeout: "10s", retries: 1 }, (signal) => {
      signals.push(signal);
      return sleep(clock, 60_000, signal);
    });
    const caught = failed.catch((error: unknown) => error);
    await clock.advance(30_000);
    expect(await caught).toMatchObject({ message: expect.stringContaining("took longer than 10s") });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(steps.lingering).toBeUndefined();
  });

  test("is verified after it was done, and fails when it was not", async () => {
    const { steps, told, say } = start();
    await steps.run("good", { verify: () => true }, say("effect"));
    await steps.run("silent", { verify: () => {} }, say("effect"));
    const verify = (result: unknown): boolean => {
      told.push(`verify ${String(result)}`);
      return false;
    };
    await expect(steps.run("bad", { verify }, say("effect", 5))).rejects.toThrow(
      'step "bad" failed: its effect could not be verified',
    );
    expect(told).toEqual(["effect", "effect", "effect", "verify 5"]);
  });

  test("is left out when there is nothing to do", async () => {
    const { steps, told, say } = start();
    expect(await steps.run("a", { unless: () => true, undo: say("undo") }, say("effect"))).toBeUndefined();
    expect(await steps.run("b", { unless: async () => false }, say("effect", 1))).toBe(1);
    expect(told).toEqual(["effect"]);
    expect(outcomes(steps)).toEqual(["a skipped", "b done"]);
  });
});

describe("when a critical step fails", () => {
  test("those before it are undone, last one first, with what they gave", async () => {
    const { steps, told, say, failing } = start();
    const undo = (_: AbortSignal, result: unknown): void => void told.push(`undo ${String(result)}`);
    await steps.run("a", { undo }, say("a", 1));
    await steps.run("b", {}, say("b", 2));
    await steps.run("c", { undo }, say("c", 3));
    await steps.run("skipped", { undo, unless: () => true }, say("skipped"));
    const error: unknown = await steps.run("d", { undo }, failing).catch((thrown: unknown) => thrown);
    expect(told).toEqual(["a", "b", "c", "fail", "undo 3", "undo 1"]);
    expect(error).toBeInstanceOf(StepError);
    expect(error).toMatchObject({ step: "d", undone: ["c", "a"], notUndone: [] });
    expect(steps.records.map(({ name, undo: undone }) => [name, undone?.ok])).toEqual([
      ["a", true],
      ["b", undefined],
      ["c", true],
      ["skipped", undefined],
      ["d", undefined],
    ]);
  });

  test("an undo that fails or hangs does not keep the others from being undone", async () => {
    const { steps, told, say, failing, clock } = start();
    await steps.run("a", { undo: say("undo a") }, say("a"));
    await steps.run("b", { undo: failing }, say("b"));
    await steps.run("c", { undo: () => new Promise(() => {}), timeout: "5s" }, say("c"));
    const caught = steps.run("d", {}, failing).catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await caught).toMatchObject({ undone: ["a"], notUndone: ["c", "b"] });
    expect(told.at(-1)).toBe("undo a");
    expect(steps.records[2]?.undo).toMatchObject({ ok: false, error: expect.stringContaining("5s") });
  });

  test("nothing is undone twice", async () => {
    const { steps, told, say, failing } = start();
    await steps.run("a", { undo: say("undo a") }, say("a"));
    await steps.run("b", {}, failing).catch(() => {});
    await steps.run("c", { undo: say("undo c") }, say("c"));
    await steps.run("d", {}, failing).catch(() => {});
    expect(told).toEqual(["a", "fail", "undo a", "c", "fail", "undo c"]);
  });

  test("those beside it are undone as they complete, and fail with it", async () => {
    const { steps, told, say, failing, clock } = start();
    const slow = (name: string, milliseconds: number): Promise<unknown> =>
      steps
        .run(name, { undo: say(`undo ${name}`) }, () => sleep(clock, milliseconds).then(say(name)))
        .catch((error: unknown) => error);
    await steps.run("before", { undo: () => sleep(clock, 100).then(say("undo before")) }, say("before"));
    const during = slow("during", 50);
    const after = slow("after", 1000);
    const failed = steps.run("d", {}, failing).catch((error: unknown) => error);
    await clock.advance(150);
    expect(told).toEqual(["before", "fail", "during", "undo during", "undo before"]);
    for (const error of [await during, await failed]) {
      expect(error).toMatchObject({ step: "d", undone: ["during", "before"] });
    }
    await steps.run("next", { undo: say("undo next") }, say("next"));
    await clock.advance(1000);
    expect(told.slice(5)).toEqual(["next", "after", "undo after"]);
    expect(await after).toMatchObject({ step: "d", undone: ["during", "before", "after"] });
    expect(steps.records.map(({ name, undo }) => [name, undo?.ok])).toEqual([
      ["before", true],
      ["d", undefined],
      ["during", true],
      ["next", undefined],
      ["after", true],
    ]);
  });

  test("its own effect is undone first when it took place and could not be verified, once all attempts are made", async () => {
    const { steps, told, say, clock } = start();
    const undo = (_: AbortSignal, result: unknown): void => void told.push(`undo ${String(result)}`);
    await steps.run("a", { undo }, say("a", 1));
    let tries = 0;
    const effect = (): number => {
      told.push("b");
      if (tries === 2) throw new Error("no");
      return 10 + tries++;
    };
    const caught = steps
      .run("b", { retries: 2, verify: () => false, undo }, effect)
      .catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await caught).toMatchObject({ step: "b", undone: ["b", "a"], notUndone: [] });
    expect(told).toEqual(["a", "b", "b", "b", "undo 11", "undo 1"]);
    expect(steps.records).toMatchObject([
      { name: "a", undo: { ok: true } },
      { name: "b", outcome: "failed", undo: { ok: true } },
    ]);
  });

  test("its own effect stays undisturbed when it did not take place", async () => {
    const { steps, told, say, failing } = start();
    await steps.run("a", { verify: () => false, undo: say("undo a") }, failing).catch(() => {});
    expect(told).toEqual(["fail"]);
    expect([...steps.rollbacks]).toEqual([]);
  });

  test("one that is not critical takes back its own effect that could not be verified, and no other", async () => {
    const { steps, told, say } = start();
    await steps.run("a", { undo: say("undo a") }, say("a"));
    await steps.run("b", { critical: false, verify: () => false, undo: say("undo b") }, say("b"));
    await steps.run("c", {}, say("c"));
    expect(told).toEqual(["a", "b", "undo b", "c"]);
    expect([...steps.rollbacks]).toMatchObject([{ step: "b", undone: ["b"] }]);
  });

  test("what was taken back is known, also when nobody heard of the failure, and each failure once", async () => {
    const { steps, say, failing, clock } = start();
    expect([...steps.rollbacks]).toEqual([]);
    await steps.run("a", { undo: () => sleep(clock, 100) }, say("a"));
    const beside = steps.run("b", { undo: failing }, () => sleep(clock, 500)).catch(() => {});
    const failed = steps.run("c", {}, failing).catch(() => {});
    await clock.advance(50);
    expect([...steps.rollbacks], "it is under way").toEqual([]);
    await clock.advance(50);
    await failed;
    await clock.advance(400);
    await beside;
    await steps.run("d", {}, failing).catch(() => {});
    expect([...steps.rollbacks]).toMatchObject([{ step: "c", undone: ["a"], notUndone: ["b"] }]);
  });

  test("one that is not critical is noted, and work goes on", async () => {
    const { steps, told, say, failing } = start();
    await steps.run("a", { undo: say("undo") }, say("a"));
    expect(await steps.run("b", { critical: false }, failing)).toBeUndefined();
    await steps.run("c", {}, say("c"));
    expect(told).toEqual(["a", "fail", "c"]);
    expect(outcomes(steps)).toEqual(["a done", "b failed", "c done"]);
  });

  test("time that is up counts as a failure, and undoing is given its own time", async () => {
    const { steps, told, say, run, clock } = start();
    await steps.run("a", { undo: (signal) => void told.push(`undo ${signal.aborted}`) }, say("a"));
    const caught = steps
      .run("b", { critical: false }, (signal) => sleep(clock, 1000, signal))
      .catch((error: unknown) => error);
    run.abort(new Error("time is up"));
    expect(await caught).toMatchObject({ undone: ["a"] });
    expect(told).toEqual(["a", "undo false"]);
    await expect(steps.run("c", {}, say("c"))).rejects.toThrow("time is up");
  });

  test("whoever is cancelled because another goes on undoes nothing", async () => {
    const { steps, told, say, run, clock } = start();
    await steps.run("a", { undo: say("undo") }, say("a"));
    const caught = steps
      .run("b", {}, (signal) => sleep(clock, 1000, signal))
      .catch((error: unknown) => error);
    run.abort(new HandOver("the process stops"));
    expect(await caught).toBeInstanceOf(HandOver);
    expect(told).toEqual(["a"]);
  });
});

test("an effect that goes on after it was given up is remembered until it ends", async () => {
  const { steps, clock } = start();
  let finish = (): void => {};
  const deaf = (): Promise<void> => new Promise((resolve) => (finish = resolve));
  const caught = steps.run("a", { timeout: "1s" }, deaf).catch((error: unknown) => error);
  await clock.advance(1000);
  expect(await caught).toBeInstanceOf(StepError);
  const { lingering } = steps;
  expect(lingering).toBeDefined();
  finish();
  await lingering;
  expect(steps.lingering).toBeUndefined();
});

test("so is an undo", async () => {
  const { steps, clock, say, failing } = start();
  let finish = (): void => {};
  const deaf = (): Promise<void> => new Promise((resolve) => (finish = resolve));
  await steps.run("a", { timeout: "1s", undo: deaf }, say("a"));
  const caught = steps.run("b", {}, failing).catch((error: unknown) => error);
  await clock.advance(1000);
  expect(await caught).toMatchObject({ notUndone: ["a"] });
  const { lingering } = steps;
  expect(lingering).toBeDefined();
  finish();
  await lingering;
  expect(steps.lingering).toBeUndefined();
});

describe("a breaker", () => {
  test.each([
    ["opens when the run's time is up before it answers", new Error("time is up"), "open"],
    ["learns nothing from a run that goes on elsewhere", new HandOver("the process stops"), "closed"],
  ])("%s", async (_, reason, state) => {
    const { steps, breakers, run } = start();
    breakers.get("gateway", { failures: 1 });
    const caught = steps
      .run("a", { breaker: "gateway" }, () => new Promise(() => {}))
      .catch((error: unknown) => error);
    run.abort(reason);
    await caught;
    expect(breakers.get("gateway").state).toBe(state);
  });

  test("is shared by name, and once open is not asked again within the step", async () => {
    const { steps, breakers, clock } = start();
    breakers.get("gateway", { failures: 2, openFor: "1m" });
    let calls = 0;
    const call = () => {
      calls++;
      throw new Error("down");
    };
    const first = steps.run("a", { breaker: "gateway", critical: false }, call);
    const second = steps.run("b", { breaker: "gateway", critical: false }, call);
    await Promise.all([first, second]);
    expect(calls).toBe(2);
    const error: unknown = await steps
      .run("c", { breaker: "gateway", retries: 5, retryDelay: "1s" }, call)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { retryAfter: 60_000 } });
    expect((error as Error).cause).toBeInstanceOf(CircuitOpenError);
    expect(calls).toBe(2);
    expect(clock.now()).toBe(0);
  });
});

describe("a plan", () => {
  test("runs no effect, and goes on with what the step is told to plan with", async () => {
    const { steps, told, say } = start({ planning: true });
    expect(await steps.run("a", { planned: "url" }, say("a", "real"))).toBe("url");
    expect(await steps.run("b", { unless: () => true, planned: 1 }, say("b", 2))).toBe(1);
    expect(told).toEqual([]);
    expect(outcomes(steps)).toEqual(["a planned", "b skipped"]);
  });
});
