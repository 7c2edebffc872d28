import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.js";
import type { KindInfo } from "../../src/client/kinds/kind.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { sleep, type Duration } from "../../src/model/index.js";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import { createLog } from "../../src/runtime/log/create-log.js";
import { renderRun } from "../../src/runtime/runs/render-run.js";
import { schedule } from "../../src/runtime/schedule/schedule.js";
import { startControllers } from "../../src/runtime/start/start-controllers.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site } from "./kinds.js";
import { condition, gate } from "./test-plane.js";
import { eventually } from "./until.js";

type Options = ControllerOptions<typeof Site, readonly [typeof Page], never>;

describeHomes(({ newClock, startTestApi, startTestPlane }) => {
  async function start(options: Pick<Options, "reconcile"> & Partial<Options>, grace: Duration = "10s") {
    const clock = newClock();
    const sites = controller({ for: Site, owns: [Page], resync: false, ...options });
    const plane = await startTestPlane([Site, Page], { controllers: [sites], clock, grace });
    const create = (name: string) => plane.client.create(Site, { metadata: { name }, spec: {} });
    return Object.assign(plane, { clock, create });
  }

  describe("pausing", () => {
    test("an object holds its runs back, and collects its triggers", async () => {
      await using plane = await start({ reconcile() {} });
      const { client, controllers, run } = plane;
      const sites = controllers.get(Site);
      sites.pause("a");
      expect([sites.isPaused("a"), sites.isPaused("b"), sites.isPaused()]).toEqual([true, false, false]);
      await plane.create("a");
      await plane.create("b");
      expect((await run()).key).toBe("default/b");
      await client.patch(Site, "a", { spec: { pages: 2 } });
      await client.patch(Site, "b", { spec: { pages: 2 } });
      expect((await run()).key).toBe("default/b");
      sites.resume("a");
      expect(await run()).toMatchObject({
        key: "default/a",
        triggers: [{ type: "created" }, { type: "updated" }],
      });
    });

    test("a controller holds all its objects back", async () => {
      await using plane = await start({ reconcile() {} });
      const { controllers, run } = plane;
      const sites = controllers.get("sites.demo.dev");
      sites.pause();
      expect([sites.isPaused("a"), sites.isPaused()]).toEqual([true, true]);
      await plane.create("a");
      await eventually(() => sites.loop?.queue.depth === 1);
      controllers.enqueue(Site, "a", { reason: "look" });
      await plane.clock.advance(1000);
      expect(await controllers.runs.find()).toEqual([]);
      sites.resume();
      const { triggers } = await run();
      expect(triggers.map(({ type }) => type).sort()).toEqual(["created", "manual"]);
    });
  });

  describe("stopping", () => {
    test("lets active runs end with children and status, and starts no new ones", async () => {
      const began = gate();
      const working = gate();
      await using plane = await start({
        concurrency: 1,
        async reconcile(site, { ensure, report }) {
          ensure(Page, `${site.name}-1`, { html: "x" });
          began.open();
          await working.passed;
          report({ published: 1 });
        },
      });
      const { client, controllers } = plane;
      await plane.create("a");
      await began.passed;
      await plane.create("b");
      const stopped = controllers.stop();
      expect(controllers.stop()).toBe(stopped);
      working.open();
      await stopped;
      expect((await client.get(Site, "a")).status?.published).toBe(1);
      expect(await client.find(Page, "a-1")).toBeDefined();
      expect((await client.get(Site, "b")).status).toBeUndefined();
      expect(await controllers.runs.find({ kind: "Site", key: "default/a" })).toMatchObject([
        { outcome: { type: "done" } },
      ]);
      expect(() => controllers.enqueue(Site, "a")).toThrow("is not at work in this process");
    });

    test("cancels runs that exceed the grace period, without undoing steps or writing a status", async () => {
      const began = gate();
      const world: string[] = [];
      await using plane = await start({
        async reconcile(_, { step, report }) {
          report({ published: 7 });
          await step("upload", { undo: () => world.push("undone") }, () => world.push("uploaded"));
          await step("wait", (signal) => {
            began.open();
            return sleep(plane.clock, 3_600_000, signal);
          });
        },
      });
      const { client, controllers, clock } = plane;
      await plane.create("a");
      await began.passed;
      const stopped = controllers.stop();
      await clock.advance(9999);
      expect(await controllers.runs.find()).toEqual([]);
      await clock.advance(1);
      await stopped;
      expect(world).toEqual(["uploaded"]);
      expect((await client.get(Site, "a")).status).toBeUndefined();
      expect(await controllers.runs.find({ kind: "Site", key: "default/a" })).toMatchObject([
        { outcome: { type: "cancelled", message: "the process stops" } },
      ]);
    });

    test("does not wait forever for a reconciler that ignores its signal", async () => {
      const began = gate();
      await using plane = await start({
        reconcile() {
          began.open();
          return new Promise<never>(() => {});
        },
      });
      await plane.create("a");
      await began.passed;
      const stopped = plane.controllers.stop();
      await plane.clock.advance(60_000);
      await stopped;
      expect(await plane.controllers.runs.find({ kind: "Site", key: "default/a" })).toMatchObject([
        { outcome: { type: "cancelled", message: "the process stops" } },
      ]);
    });

    test("does not wait forever for a schedule that ignores its signal", async () => {
      const clock = newClock();
      const lines: string[] = [];
      const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
      const stubborn = schedule({ name: "stubborn", every: "1h", run: () => new Promise<void>(() => {}) });
      await using plane = await startTestPlane([Site], {
        controllers: [],
        schedules: [stubborn],
        clock,
        log,
      });
      await clock.advance(0);
      const stopped = plane.controllers.stop();
      await clock.advance(5000);
      await stopped;
      expect(
        lines.filter((line) => line.includes("a pass still runs although it was cancelled")),
      ).toHaveLength(1);
    });

    test("works before the start is complete", async () => {
      await using api = await startTestApi([]);
      // A kind that is not served is waited for.
      const controllers = startControllers({
        controllers: [controller({ for: Site, reconcile() {} })],
        client: api.client,
      });
      const ready = controllers.ready().catch((error: unknown) => error);
      await controllers.stop();
      expect(await ready).toBeInstanceOf(Error);
    });
  });

  test("each controller writes with the client of its own user, which its runs name", async () => {
    await using api = await startTestApi([Site, Page]);
    const writes: string[] = [];
    const clientFor = (user: string) => {
      const { transport, namespace } = api.client;
      const tagged: Transport = Object.create(transport, {
        patch: {
          value: (...[kind, ...rest]: Parameters<Transport["patch"]>) => {
            writes.push(`${user} ${kind.kind}`);
            return transport.patch(kind, ...rest);
          },
        },
      });
      return createClient({ transport: tagged, namespace });
    };
    const reconcile = (): void => {};
    await using controllers = startControllers({
      controllers: [
        controller({
          for: Site,
          owns: [Page],
          reconcile: (_, { ensure }) => void ensure(Page, "p", { html: "x" }),
        }),
        controller({ for: Page, name: "pages", reconcile }),
      ],
      client: api.client,
      clientFor,
    });
    await controllers.ready();
    await api.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    await api.until(Site, "hello", (site) => condition(site, "Ready") !== undefined);
    await controllers.idle();
    const users = new Set((await controllers.runs.find()).map(({ user }) => user));
    expect(users).toEqual(
      new Set(["system:fettle:controller:sites.demo.dev", "system:fettle:controller:pages"]),
    );
    expect(new Set(writes)).toEqual(
      new Set([
        "system:fettle:controller:sites.demo.dev Page",
        "system:fettle:controller:sites.demo.dev Site",
      ]),
    );
  });

  test("rejects two controllers of the same name", async () => {
    await using api = await startTestApi([]);
    const sites = controller({ for: Site, reconcile() {} });
    expect(() => startControllers({ controllers: [sites, sites], client: api.client })).toThrow(
      "there are two controllers named sites.demo.dev",
    );
  });

  describe("several processes", () => {
    test("have one leader, and another takes over when it stops", async () => {
      await using api = await startTestApi([Site]);
      const begin = (identity: string) => {
        const sites = controller({
          for: Site,
          reconcile: (_, { report }) => report({ note: identity }),
        });
        return startControllers({
          controllers: [sites],
          client: api.client,
          leaderElection: {
            namespace: "default",
            name: "sites",
            identity,
            leaseDuration: "600ms",
            renewDeadline: "400ms",
            retryPeriod: "50ms",
          },
        });
      };
      await using first = begin("first");
      await first.ready();
      await using controllers = begin("second");
      expect([first.isLeader, controllers.isLeader]).toEqual([true, false]);
      expect(() => controllers.enqueue(Site, "hello")).toThrow("or another process leads");
      await api.client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await api.until(Site, "hello", (site) => site?.status?.note === "first");
      expect(await controllers.runs.find()).toEqual([]);
      // A standby can still plan.
      const site = await api.client.get(Site, "hello");
      expect((await controllers.get(Site).plan(site)).outcome).toEqual({ type: "done" });

      await first.stop();
      await controllers.ready();
      expect(controllers.isLeader).toBe(true);
      await api.until(Site, "hello", (found) => found?.status?.note === "second");
      expect(condition(await api.client.get(Site, "hello"), "Ready")).toMatchObject({ status: "True" });
      // It was created before this process led.
      await controllers.idle();
      const [run] = await controllers.runs.find({ kind: "Site", key: "default/hello" });
      expect(run?.triggers).toMatchObject([{ type: "found" }]);
      expect(run && renderRun(run)).toContain("it was there at the start");
    });

    test("a leader that lost the lease leads again, also when a schedule ignores its signal", async () => {
      const clock = newClock();
      await using api = await startTestApi([Site], { clock });
      let isCut = false;
      const transport = withoutLeases(api.client.transport, () => isCut);
      let passes = 0;
      const stubborn = schedule({
        name: "stubborn",
        every: "1m",
        run() {
          passes++;
          return new Promise<void>(() => {});
        },
      });
      await using controllers = startControllers({
        controllers: [],
        schedules: [stubborn],
        client: createClient({ transport, namespace: "default" }),
        clock,
        leaderElection: { namespace: "default", name: "sites", identity: "first" },
      });
      await controllers.ready();
      await clock.advance(1000);
      const health = async () =>
        (await controllers.health.report()).checks.find(({ name }) => name === "leader-election")?.message;
      expect([controllers.isLeader, await health()]).toEqual([true, "leading"]);
      isCut = true;
      await clock.advance(10_000);
      expect([controllers.isLeader, await health()]).toEqual([false, "nobody is known to lead"]);
      isCut = false;
      await clock.advance(30_000);
      expect([controllers.isLeader, await health()]).toEqual([true, "leading"]);
      await clock.advance(120_000);
      // The schedule of the first term is still active.
      expect(passes).toBe(1);
      expect(controllers.schedules[0]?.stats().skipped).toBeGreaterThan(0);
      const stopped = controllers.stop();
      await clock.advance(5000);
      await stopped;
    });
  });
});

/** Transport on which requests for Leases fail while it is cut. */
function withoutLeases(base: Transport, isCut: () => boolean): Transport {
  return new Proxy(base, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (kind: KindInfo, ...rest: unknown[]) =>
        kind?.kind === "Lease" && isCut()
          ? Promise.reject(new Error("no network"))
          : (Reflect.apply(method, target, [kind, ...rest]) as unknown);
    },
  });
}
