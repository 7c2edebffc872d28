import { describe, expect, test } from "vitest";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Site } from "./kinds.js";
import { eventually } from "./until.js";

describeHomes(({ newClock, startTestPlane }) => {
  async function start(
    reconcile: ControllerOptions<typeof Site, readonly [], never>["reconcile"],
    resync: "1h" | false = false,
  ) {
    const clock = newClock();
    const sites = controller({ for: Site, resync, reconcile });
    const plane = await startTestPlane([Site], { controllers: [sites], clock });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    const first = await plane.run();
    return Object.assign(plane, {
      clock,
      first,
      count: async () => (await plane.controllers.runs.find()).length,
    });
  }

  describe("an object is reconciled again", () => {
    test("after the requeue delay", async () => {
      await using plane = await start((_, { requeue }) => requeue("10m", "check the certificate"));
      expect(plane.first.outcome).toEqual({
        type: "requeue",
        after: 600_000,
        reason: "check the certificate",
      });
      await plane.clock.advance(599_999);
      expect(await plane.count()).toBe(1);
      await plane.clock.advance(1);
      const { triggers, startedAt } = await plane.run();
      expect(triggers).toMatchObject([{ type: "requeue", text: "check the certificate", due: startedAt }]);
      expect(startedAt - plane.first.startedAt).toBe(600_000);
    });

    test("after a wait with a delay", async () => {
      await using plane = await start((_, { wait }) => wait("NoAddress", "the gateway is slow", "30s"));
      await plane.clock.advance(30_000);
      expect((await plane.run()).triggers).toMatchObject([
        { type: "requeue", text: "NoAddress: the gateway is slow" },
      ]);
    });

    test("after a wait without a delay only when something changes", async () => {
      await using plane = await start((_, { wait }) => wait("NoAddress"));
      // Less than the duration of a watch: a watch that reconnects would wait for this clock.
      await plane.clock.advance(300_000);
      expect(await plane.count()).toBe(1);
      await plane.client.patch(Site, "hello", { spec: { pages: 2 } });
      expect((await plane.run()).triggers).toMatchObject([{ type: "updated" }]);
    });

    test("at the resync interval", async () => {
      await using plane = await start(() => {}, "1h");
      // With jitter of a tenth, so that objects do not stay in step.
      await plane.clock.advance(3_239_999);
      expect(await plane.count()).toBe(1);
      await plane.clock.advance(720_001);
      expect((await plane.run()).triggers).toMatchObject([{ type: "resync", text: "every 1h" }]);
    });

    test("by a change before that time, as the only trigger, which restarts the delay", async () => {
      let answer: "10m" | "20m" = "10m";
      await using plane = await start((_, { requeue }) => requeue(answer, answer));
      await plane.clock.advance(60_000);
      answer = "20m";
      await plane.client.patch(Site, "hello", { spec: { pages: 2 } });
      expect((await plane.run()).triggers).toMatchObject([{ type: "updated" }]);
      await plane.clock.advance(1_199_999);
      expect(await plane.count()).toBe(2);
      await plane.clock.advance(1);
      expect((await plane.run()).triggers).toMatchObject([{ type: "requeue", text: "20m" }]);
    });
  });

  test("a run records how long it waited and took", async () => {
    const clock = newClock();
    const slow = controller({
      for: Site,
      concurrency: 1,
      resync: false,
      reconcile: (site) => (site.name === "slow" ? clock.advance(5000) : undefined),
    });
    await using plane = await startTestPlane([Site], { controllers: [slow], clock });
    plane.controllers.get(Site).pause();
    for (const name of ["slow", "fast"]) await plane.client.create(Site, { metadata: { name }, spec: {} });
    await eventually(() => plane.controllers.get(Site).loop?.queue.depth === 2);
    plane.controllers.get(Site).resume();
    expect(await plane.run()).toMatchObject({ key: "default/slow", wait: 0, duration: 5000, generation: 1 });
    expect(await plane.run()).toMatchObject({ key: "default/fast", wait: 5000, duration: 0 });
  });
});
