import { describe, expect, test } from "vitest";
import { sleep } from "../../src/model/index.js";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import type { Log } from "../../src/runtime/log/log.js";
import { PermanentError } from "../../src/runtime/controller/outcome.js";
import { toAll, watch } from "../../src/runtime/controller/watch.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site, Theme } from "./kinds.js";
import { condition, gate } from "./test-plane.js";
import { eventually } from "./until.js";

type Options = Partial<ControllerOptions<typeof Site, readonly [typeof Page], never>>;

describeHomes(({ newClock, startTestPlane }) => {
  async function start(
    reconcile: ControllerOptions<typeof Site, readonly [typeof Page], never>["reconcile"],
    more: Options = {},
  ) {
    const clock = newClock();
    const errors: string[] = [];
    const warnings: object[] = [];
    const logWith = (known: object): Log => ({
      debug() {},
      info() {},
      warn: (fields, text) => void warnings.push({ ...known, ...fields, text }),
      error: (_, text) => void errors.push(text),
      child: (fields) => logWith({ ...known, ...fields }),
    });
    const log = logWith({});
    const sites = controller({ for: Site, owns: [Page], resync: false, ...more, reconcile });
    const plane = await startTestPlane([Site, Page, Theme], { controllers: [sites], clock, log });
    const create = (name: string) => plane.client.create(Site, { metadata: { name }, spec: {} });
    return Object.assign(plane, { clock, errors, warnings, create });
  }

  describe("errors of a reconciler", () => {
    test.each<[string, () => never, string]>([
      [
        "an error",
        () => {
          throw new Error("the gateway is down");
        },
        "the gateway is down",
      ],
      [
        "a text",
        () => {
          throw "oops";
        },
        "oops",
      ],
      [
        "nothing at all",
        () => {
          throw undefined;
        },
        "undefined",
      ],
      [
        "an error whose message cannot be read",
        () => {
          throw Object.defineProperty(new Error("x"), "message", {
            get() {
              throw new Error("y");
            },
          });
        },
        "the thrown value has no readable message",
      ],
    ])("%s, thrown synchronously or later, is reported and retried", async (_, fail, message) => {
      let isAsync = false;
      await using plane = await start(
        () => {
          if (!isAsync) fail();
          return Promise.resolve().then(fail);
        },
        { backoff: { base: "1s", max: "10s" } },
      );
      await plane.create("hello");
      const first = await plane.run();
      expect(first).toMatchObject({ failures: 0, outcome: { type: "error", reason: "Error", message } });
      isAsync = true;
      await plane.clock.advance(1000);
      const second = await plane.run();
      expect(second).toMatchObject({
        failures: 1,
        outcome: { type: "error", message },
        triggers: [{ type: "retry", text: `Error: ${message}` }],
      });
      expect(condition(await plane.client.get(Site, "hello"), "Ready")).toMatchObject({
        status: "False",
        reason: "Error",
        message,
        observedGeneration: 1,
      });
    });

    test("retries with growing delays, then stops until the dead letter is retried", async () => {
      let broken = true;
      const at: number[] = [];
      await using plane = await start(
        (_, { now }) => {
          at.push(now());
          if (broken) throw new Error("no");
        },
        { backoff: { base: "1s", max: "3s", maxRetries: 3 } },
      );
      const { clock, controllers } = plane;
      const started = clock.now();
      await plane.create("hello");
      for (const delay of [0, 1000, 2000, 3000]) {
        await clock.advance(delay);
        await plane.run();
      }
      expect(at.map((time) => time - started)).toEqual([0, 1000, 3000, 6000]);
      const sites = controllers.get(Site);
      expect(sites.dead()).toMatchObject([{ key: "default/hello", failures: 4 }]);
      await clock.advance(600_000);
      expect(at.length).toBe(4);
      broken = false;
      expect(sites.retry("hello", "it was repaired")).toBe(1);
      expect(await plane.run()).toMatchObject({
        failures: 0,
        outcome: { type: "done" },
        triggers: [{ type: "manual", text: "it was repaired" }],
      });
      expect(sites.dead()).toEqual([]);
    });

    test("does not retry a permanent failure until something changes", async () => {
      await using plane = await start((site, { fail }) => {
        if (site.spec.title === "throw") throw new PermanentError("NoGood", "it will never work");
        if (site.spec.title === "return") return fail("NoGood", "it will never work");
      });
      const { client, clock } = plane;
      for (const title of ["return", "throw"]) {
        await client.create(Site, { metadata: { name: title }, spec: { title } });
        expect((await plane.run()).outcome).toEqual({
          type: "fail",
          reason: "NoGood",
          message: "it will never work",
        });
        const site = await client.get(Site, title);
        expect(condition(site, "Ready")).toMatchObject({ status: "False", reason: "NoGood" });
        expect(condition(site, "Stalled")).toMatchObject({ status: "True", reason: "NoGood" });
        // Less than half the duration of a watch: a watch that reconnects would wait for this clock.
        await clock.advance(150_000);
        expect(await plane.controllers.runs.find({ kind: "Site", key: `default/${title}` })).toHaveLength(1);
        await client.patch(Site, title, { spec: { title: "good" } });
        expect((await plane.run()).outcome).toEqual({ type: "done" });
        expect(condition(await client.get(Site, title), "Stalled")).toBeUndefined();
      }
    });

    test("rejects an invalid result before any child is written or deleted", async () => {
      await using plane = await start((site, { ensure }) => {
        if (site.spec.title !== "wrong") return void ensure(Page, "old", { html: "x" });
        ensure(Page, "new", { html: "x" });
        return { requeue: true } as never;
      });
      await plane.create("hello");
      await plane.run();
      await plane.seen(Page, "default/old");
      await plane.client.patch(Site, "hello", { spec: { title: "wrong" } });
      const run = await plane.run(({ generation }) => generation === 2);
      expect(run.outcome).toMatchObject({
        type: "error",
        message:
          'a reconciler must return nothing, or the result of wait(), requeue() or fail(), not {"requeue":true}',
      });
      expect(run.writes.filter(({ kind }) => kind.kind === "Page")).toEqual([]);
    });

    test.each([NaN, Infinity, 0, -1])(
      "an error with a retry delay of %s is retried with backoff",
      async (retryAfter) => {
        await using plane = await start(
          () => {
            throw Object.assign(new Error("busy"), { retryAfter });
          },
          { backoff: { base: "1s", max: "1s" } },
        );
        await plane.create("hello");
        const first = await plane.run();
        await plane.clock.advance(999);
        expect(await plane.controllers.runs.find({ kind: "Site", key: "default/hello" })).toHaveLength(1);
        await plane.clock.advance(1);
        expect((await plane.run()).startedAt - first.startedAt).toBeGreaterThanOrEqual(1000);
      },
    );

    test("the failure of a step that is not awaited fails the run, not the process", async () => {
      await using plane = await start((_, { step }) => {
        void step("publish", async () => {
          await Promise.resolve();
          throw new Error("no");
        });
      });
      await plane.create("hello");
      expect(await plane.run()).toMatchObject({
        outcome: { type: "error", reason: "StepFailed", message: 'step "publish" failed: no' },
        steps: [{ name: "publish", outcome: "failed" }],
      });
    });

    test("the failure of a flush that is not awaited fails the run, not the process", async () => {
      await using plane = await start((_, { ensure, flush }) => {
        ensure(Page, "taken", { html: "x" });
        void flush();
      });
      await plane.client.create(Page, { metadata: { name: "taken" }, spec: { html: "theirs" } });
      await plane.create("hello");
      expect((await plane.run()).outcome).toMatchObject({ type: "error", reason: "NameTaken" });
    });

    test("the failure of a client call that is not awaited is logged as a warning", async () => {
      await using plane = await start((_, { client }) => {
        void client.get(Page, "nope");
      });
      await plane.create("hello");
      const { id, outcome } = await plane.run();
      expect(outcome).toEqual({ type: "done" });
      await eventually(() => plane.warnings.length > 0);
      expect(plane.warnings).toMatchObject([
        {
          object: "Site default/hello",
          run: id,
          text: expect.stringMatching(/^client\.get\(Page\) was not awaited, and failed: .*nope/),
        },
      ]);
    });

    test("rejects an invalid reason of a condition where it is given", async () => {
      await using plane = await start((site, { fail }) => {
        if (site.spec.title === "throw") throw new PermanentError("not one word", "it will never work");
        return fail("not one word", "it will never work");
      });
      await plane.create("hello");
      expect((await plane.run()).outcome).toMatchObject({
        type: "fail",
        reason: "BadReason",
        message: expect.stringContaining('fail() got the invalid reason "not one word"'),
      });
      await plane.client.patch(Site, "hello", { spec: { title: "throw" } });
      expect((await plane.run()).outcome).toMatchObject({ type: "fail", reason: "PermanentError" });
    });

    test("reports an error with a very long message", async () => {
      await using plane = await start(() => {
        throw new Error("x".repeat(100_000));
      });
      await plane.create("hello");
      await plane.run();
      expect(condition(await plane.client.get(Site, "hello"), "Ready")?.message).toHaveLength(32_001);
    });

    test("a status that the server rejects fails the run", async () => {
      await using plane = await start((_, { report }) => report({ published: "many" as never }));
      await plane.create("hello");
      expect((await plane.run()).outcome).toMatchObject({
        type: "error",
        reason: "Invalid",
        message: expect.stringContaining("status.published"),
      });
    });
  });

  describe("errors of other functions of a controller", () => {
    const broken = (): never => {
      throw new Error("broken");
    };

    test("a predicate that throws lets the change pass", async () => {
      await using plane = await start(() => {}, { where: broken });
      await plane.create("hello");
      expect((await plane.run()).outcome).toEqual({ type: "done" });
      expect(plane.errors).toContain("the predicate failed");
    });

    test("priority, strategy, fairnessKey and limiter that throw are ignored", async () => {
      let works = false;
      await using plane = await start(
        (_, { requeue }) => {
          if (!works) throw new Error("no");
          return requeue("1s");
        },
        { priority: broken, strategy: broken, fairnessKey: broken, limiter: { delay: broken } },
      );
      await plane.create("hello");
      expect((await plane.run()).outcome.type).toBe("error");
      works = true;
      await plane.clock.advance(5);
      expect((await plane.run()).outcome.type).toBe("requeue");
      await plane.clock.advance(1000);
      expect((await plane.run()).outcome.type).toBe("requeue");
      for (const what of ["priority", "strategy", "fairnessKey", "limiter"])
        expect(plane.errors).toContain(`the ${what} failed`);
    });

    test("a priority that is not a number is ignored", async () => {
      await using plane = await start(() => {}, { priority: () => NaN });
      await plane.create("hello");
      expect((await plane.run()).outcome).toEqual({ type: "done" });
      expect(plane.errors).toContain("the priority failed");
    });

    test("a mapper and an index function that throw do not affect others", async () => {
      await using plane = await start(() => {}, {
        indexes: { theme: broken },
        watches: [watch(Theme, { to: broken }), watch(Theme, { to: toAll })],
      });
      await plane.create("hello");
      await plane.run();
      await plane.client.create(Theme, { metadata: { name: "dark" }, spec: {} });
      expect((await plane.run()).triggers).toMatchObject([{ type: "watched", by: "Theme default/dark" }]);
      expect(plane.errors).toContain("the mapper failed");
    });
  });

  describe("the timeout of a run", () => {
    test("aborts the signal, and is reported", async () => {
      await using plane = await start((_, { signal }) => sleep(plane.clock, 1e9, signal), { timeout: "30s" });
      await plane.create("hello");
      await eventually(() => plane.controllers.get(Site).loop?.queue.running === 1);
      await plane.clock.advance(30_000);
      expect((await plane.run()).outcome).toMatchObject({
        type: "error",
        reason: "Timeout",
        message: "the run took longer than its timeout of 30s",
      });
      expect(condition(await plane.client.get(Site, "hello"), "Ready")).toMatchObject({
        status: "False",
        reason: "Timeout",
      });
    });

    test.each(["tools", "step"] as const)(
      "does not abort the signal that an earlier run got from its %s",
      async (whose) => {
        const kept: AbortSignal[] = [];
        await using plane = await start(
          async (site, tools) => {
            if (site.name === "slow") return sleep(plane.clock, 1e9, tools.signal);
            if (whose === "tools") kept.push(tools.signal);
            else await tools.step("keep", async (signal) => void kept.push(signal));
          },
          { timeout: "30s", concurrency: 1 },
        );
        await plane.create("quick");
        expect((await plane.run()).outcome.type).toBe("done");
        await plane.create("slow");
        await eventually(() => plane.controllers.get(Site).loop?.queue.running === 1);
        await plane.clock.advance(30_000);
        expect((await plane.run()).outcome).toMatchObject({ reason: "Timeout" });
        expect(kept.map(({ aborted }) => aborted)).toEqual([false]);
      },
    );

    test.each(["function", "step"] as const)(
      "does not wait for a %s that ignores the signal: other objects continue, and this one never runs twice at once",
      async (what) => {
        const began = gate();
        const deaf = gate();
        let running = 0;
        await using plane = await start(
          async (site, { step }) => {
            if (site.name !== "deaf") return;
            const effect = async (): Promise<void> => {
              expect(++running).toBe(1);
              began.open();
              await deaf.passed;
              running--;
            };
            await (what === "step" ? step("hang", effect) : effect());
          },
          { timeout: "30s", concurrency: 1 },
        );
        const { clock, controllers } = plane;
        await plane.create("deaf");
        await began.passed;
        await clock.advance(60_000);
        expect((await plane.run()).outcome).toMatchObject({ type: "error", reason: "Timeout" });
        await eventually(() =>
          plane.errors.includes(
            "a reconciler ignores the cancellation of its run: pass its signal to everything it awaits",
          ),
        );
        await plane.create("other");
        expect(await plane.run()).toMatchObject({ key: "default/other", outcome: { type: "done" } });
        controllers.enqueue(Site, "deaf", { reason: "again" });
        await clock.advance(60_000);
        expect(running).toBe(1);
        deaf.open();
        expect(await plane.run()).toMatchObject({ key: "default/deaf", outcome: { type: "done" } });
      },
    );

    test("calls of the context after the end of the run are rejected", async () => {
      let after: unknown;
      const afterEnd = gate();
      await using plane = await start((_, { ensure }) => {
        const goOn = async (): Promise<void> => {
          await afterEnd.passed;
          try {
            ensure(Page, "late", { html: "x" });
          } catch (error) {
            after = error;
          }
        };
        void goOn();
      });
      await plane.create("hello");
      await plane.run();
      afterEnd.open();
      await plane.clock.advance(0);
      expect(after).toMatchObject({ message: expect.stringContaining("the run is over") });
    });
  });
});
