import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Client } from "../../src/client/client.js";
import { ConfigMap, Event } from "../../src/client/kinds/kubernetes.js";
import { untilAborted } from "../../src/client/async/until-aborted.js";
import { breakers as createBreakers } from "../../src/runtime/breaker/breakers.js";
import { resource } from "../../src/model/resource/resource.js";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import type { Run } from "../../src/runtime/runs/run.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site } from "./kinds.js";
import { condition, gate } from "./test-plane.js";
import { eventually, follow, until } from "./until.js";

type Phase = "Pending" | "Running" | "Done";
type Tools = Parameters<Options["reconcile"]>[1];
type Options = ControllerOptions<typeof Site, readonly [typeof Page], Phase>;

describeHomes(({ newClock, startTestPlane }) => {
  async function start(options: Pick<Options, "reconcile"> & Partial<Options>) {
    const clock = newClock();
    const breakers = createBreakers({ clock });
    breakers.get("gateway", { failures: 2, openFor: "5m" });
    const sites = controller({ for: Site, owns: [Page], resync: false, ...options });
    const plane = await startTestPlane([Site, Page], { controllers: [sites], clock, breakers });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    return Object.assign(plane, {
      clock,
      site: () => plane.client.get(Site, "hello"),
      async again(): Promise<Run> {
        plane.controllers.enqueue(Site, "hello", { reason: "again" });
        return plane.run(({ triggers }) => triggers.some(({ text }) => text === "again"));
      },
    });
  }

  /** Resolves when an event with this reason arrives, after checking its message. */
  async function untilEvent(
    { client }: { readonly client: Client },
    reason: string,
    message: string,
  ): Promise<void> {
    for await (const { object } of follow(client, Event)) {
      if (object.reason !== reason) continue;
      expect(object).toMatchObject({ type: "Warning", message, involvedObject: { name: "hello" } });
      return;
    }
  }

  const statusWrites = ({ writes }: Run): number =>
    writes.filter(({ subresource }) => subresource === "status").length;

  test("of a kind that others have defined has only the fields of its definition", async () => {
    const Route = resource("demo.dev/v1", "Route", {
      spec: z.object({}),
      status: z.object({ parents: z.array(z.string()) }),
      standardStatus: false,
    });
    expect(Route.columns).toEqual([]);
    const routes = controller({
      for: Route,
      reconcile(_, { report, fail }) {
        report({ parents: ["gateway"] });
        return fail("Refused", "there is no such gateway");
      },
    });
    await using plane = await startTestPlane([Route], { controllers: [routes], clock: newClock() });
    await plane.client.create(Route, { metadata: { name: "web" }, spec: {} });
    await plane.run(({ outcome }) => outcome.type === "fail");
    expect((await plane.client.get(Route, "web")).status).toEqual({ parents: ["gateway"] });
    plane.controllers.enqueue(Route, "web", { reason: "again" });
    const run = await plane.run(({ triggers }) => triggers.some(({ text }) => text === "again"));
    expect(run.writes).toEqual([]);
  });

  describe("status", () => {
    test("is written once per run, and not when nothing changed", async () => {
      await using plane = await start({
        reconcile(site, { report, condition: set, ready }) {
          report({ published: 1 });
          set("Fast", true, "Cached", "from the cache");
          set("Fast", "False", "Slow");
          report({ published: site.spec.pages });
          ready();
        },
      });
      expect(statusWrites(await plane.run())).toBe(1);
      const { status } = await plane.site();
      expect(status).toMatchObject({
        published: 1,
        observedGeneration: 1,
        conditions: [
          { type: "Fast", status: "False", reason: "Slow", observedGeneration: 1 },
          { type: "Ready", status: "True", reason: "Reconciled", observedGeneration: 1 },
        ],
      });
      await plane.clock.advance(60_000);
      expect((await plane.again()).writes).toEqual([]);
      await plane.client.patch(Site, "hello", { spec: { pages: 4 } });
      const run = await plane.run();
      expect(statusWrites(run)).toBe(1);
      expect((await plane.site()).status).toMatchObject({
        published: 4,
        observedGeneration: 2,
        conditions: [{ observedGeneration: 2 }, { observedGeneration: 2 }],
      });
    });

    test("keeps fields that others wrote, also during the run", async () => {
      await using plane = await start({
        async reconcile(_, { report, client }) {
          await client.patchStatus(Site, "hello", {
            status: { note: "theirs" },
          });
          report({ published: 1 });
        },
      });
      await plane.run();
      expect((await plane.site()).status).toMatchObject({ note: "theirs", published: 1 });
    });

    test("flush writes the status reported so far, and leaves observedGeneration to the end of the run", async () => {
      const rest = gate();
      await using plane = await start({
        phases: { initial: "Pending", transitions: { Pending: ["Running"], Running: ["Done"], Done: [] } },
        async reconcile(_, { ensure, report, phase, condition: set, flush }) {
          ensure(Page, "hello-1", { html: "x" });
          report({ published: 1 });
          phase("Running");
          set("Provisioned", false, "Creating", "1 of 2");
          await flush();
          await rest.passed;
          report({ published: 2 });
          phase("Done");
          set("Provisioned", true, "Created");
        },
      });
      const during = await until(plane.client, Site, "hello", (site) => site?.status?.published === 1);
      expect(during?.status).toMatchObject({ phase: "Running" });
      expect(during?.status).not.toHaveProperty("observedGeneration");
      expect(condition(during, "Provisioned")).toMatchObject({ status: "False", observedGeneration: 1 });
      expect(condition(during, "Ready")).toBeUndefined();
      rest.open();
      const run = await plane.run();
      expect(run.writes.map(({ verb, subresource }) => subresource ?? verb)).toEqual([
        "apply",
        "status",
        "status",
      ]);
      const after = await plane.site();
      expect(after.status).toMatchObject({ published: 2, phase: "Done", observedGeneration: 1 });
      expect(condition(after, "Provisioned")).toMatchObject({ status: "True" });
      expect(condition(after, "Ready")).toMatchObject({ status: "True" });
    });

    test("flush without a report writes nothing", async () => {
      await using plane = await start({ reconcile: (_, { flush }) => flush() });
      expect(statusWrites(await plane.run())).toBe(1);
      expect((await plane.again()).writes).toEqual([]);
    });

    test("flush in a cleanup writes its progress", async () => {
      const rest = gate();
      await using plane = await start({
        reconcile() {},
        async cleanup(_, { report, flush }) {
          report({ note: "removing pages" });
          await flush();
          await rest.passed;
        },
      });
      await plane.run();
      await plane.client.delete(Site, "hello");
      await until(plane.client, Site, "hello", (site) => site?.status?.note === "removing pages");
      rest.open();
      await until(plane.client, Site, "hello", (site) => site === undefined);
      expect((await plane.run()).outcome.type).toBe("gone");
    });

    test("a field is removed by null", async () => {
      let note: string | null = "x";
      await using plane = await start({ reconcile: (_, { report }) => report({ note }) });
      await plane.run();
      expect((await plane.site()).status?.note).toBe("x");
      note = null;
      await plane.again();
      expect((await plane.site()).status).not.toHaveProperty("note");
    });

    test("of a run that waits has the reason", async () => {
      await using plane = await start({
        reconcile: (_, { wait }) => wait("NoGateway", "the gateway has no address yet"),
      });
      expect((await plane.run()).outcome).toEqual({
        type: "wait",
        reason: "NoGateway",
        message: "the gateway has no address yet",
      });
      expect(condition(await plane.site(), "Ready")).toMatchObject({
        status: "False",
        reason: "NoGateway",
        message: "the gateway has no address yet",
      });
    });

    test("of kinds without a status, or with a different one, is not written", async () => {
      const maps = controller({ for: ConfigMap, reconcile() {} });
      await using plane = await startTestPlane([], { controllers: [maps] });
      await plane.client.create(ConfigMap, { metadata: { name: "m" }, data: {} });
      expect(await plane.run(({ key }) => key === "default/m")).toMatchObject({
        outcome: { type: "done" },
        writes: [],
      });
    });
  });

  test("of a kind without a status cannot be reported silently", async () => {
    const warnings: string[] = [];
    const log = {
      debug() {},
      info() {},
      warn: (_: object, text: string) => void warnings.push(text),
      error() {},
      child: () => log,
    };
    const pages = controller({ for: Page, reconcile: (_, { ready }) => ready("Published") });
    await using plane = await startTestPlane([Page], { controllers: [pages], log });
    await plane.client.create(Page, { metadata: { name: "p" }, spec: { html: "x" } });
    expect(await plane.run()).toMatchObject({ writes: [], outcome: { type: "done" } });
    expect(warnings).toEqual(["the reported status is lost: Page has no status; declare one in resource()"]);
  });

  test("phases change only by declared transitions", async () => {
    const next: Phase[] = ["Running", "Done", "Pending"];
    await using plane = await start({
      phases: { initial: "Pending", transitions: { Pending: ["Running"], Running: ["Done"], Done: [] } },
      reconcile(_, { phase }) {
        const to = next.shift();
        if (to !== undefined) phase(to);
      },
    });
    await plane.run();
    expect((await plane.site()).status?.phase).toBe("Running");
    await plane.again();
    expect((await plane.site()).status?.phase).toBe("Done");
    expect((await plane.again()).outcome).toEqual({
      type: "fail",
      reason: "ImpossibleTransition",
      message: "Done cannot become Pending: it is final",
    });
    const site = await plane.site();
    expect(site.status?.phase).toBe("Done");
    expect(condition(site, "Stalled")).toMatchObject({ reason: "ImpossibleTransition" });
  });

  test("a report does not remove a declared phase", async () => {
    const reports: object[] = [{ phase: "Running", published: 1 }, { phase: null }, { published: 2 }];
    await using plane = await start({
      phases: { initial: "Pending", transitions: { Pending: ["Running"], Running: ["Done"], Done: [] } },
      reconcile: (_, { report }) => report(reports.shift() ?? {}),
    });
    await plane.run();
    expect((await plane.site()).status).toMatchObject({ phase: "Running", published: 1 });
    expect((await plane.again()).outcome).toMatchObject({
      type: "fail",
      reason: "UnknownPhase",
      message: expect.stringContaining("a declared phase cannot be taken away"),
    });
    await plane.again();
    expect((await plane.site()).status).toMatchObject({ phase: "Running", published: 2 });
  });

  describe("steps", () => {
    test("that were undone are reported in the status and an event, until the run succeeds", async () => {
      let works = false;
      const world: string[] = [];
      await using plane = await start({
        backoff: { base: "1s", max: "1s" },
        async reconcile(_, { step }) {
          await step("upload", { undo: () => world.push("deleted") }, () => world.push("uploaded"));
          await step("announce", { critical: false }, () => {
            throw new Error("nobody listens");
          });
          await step("switch", () => {
            if (!works) throw new Error("the proxy refused");
            world.push("switched");
          });
        },
      });
      const run = await plane.run();
      expect(world).toEqual(["uploaded", "deleted"]);
      expect(run).toMatchObject({
        outcome: { type: "error", reason: "StepFailed", message: 'step "switch" failed: the proxy refused' },
        steps: [
          { name: "upload", outcome: "done", undo: { ok: true } },
          { name: "announce", outcome: "failed", error: "nobody listens" },
          { name: "switch", outcome: "failed", attempts: 1 },
        ],
      });
      const message = 'step "switch" failed: the proxy refused; undone: upload';
      expect(condition(await plane.site(), "RolledBack")).toMatchObject({
        status: "True",
        reason: "StepFailed",
        message,
      });
      await untilEvent(plane, "RolledBack", message);
      works = true;
      await plane.clock.advance(1000);
      expect((await plane.run()).outcome).toEqual({ type: "done" });
      expect(condition(await plane.site(), "RolledBack")).toBeUndefined();
    });

    test.each<[string, (error: unknown, words: Pick<Tools, "wait">) => unknown, string | undefined]>([
      ["caught", () => {}, undefined],
      ["caught, and waits", (_, { wait }) => wait("NoProxy", "the proxy is away"), "NoProxy"],
      [
        "thrown on as a cause",
        (cause) => {
          throw new Error("no luck", { cause });
        },
        "Error",
      ],
    ])("that were undone are reported also when the failure is %s", async (_, react, reason) => {
      let works = false;
      await using plane = await start({
        backoff: { base: "1h", max: "1h" },
        async reconcile(_site, { step, wait }) {
          if (works) return;
          try {
            await step("upload", { undo() {} }, () => {});
            await step("switch", () => Promise.reject(new Error("the proxy refused")));
          } catch (error) {
            return react(error, { wait }) as never;
          }
        },
      });
      await plane.run();
      const message = 'step "switch" failed: the proxy refused; undone: upload';
      const site = await plane.site();
      expect(condition(site, "RolledBack")).toMatchObject({ status: "True", reason: "StepFailed", message });
      expect(condition(site, "Ready")).toMatchObject(
        reason === undefined ? { status: "True" } : { status: "False", reason },
      );
      await untilEvent(plane, "RolledBack", message);
      works = true;
      await plane.again();
      expect(condition(await plane.site(), "RolledBack")).toBeUndefined();
    });

    test("that take long to undo are reported when undone, and the object is not run before", async () => {
      const world: string[] = [];
      const [began, undoing] = [gate(), gate()];
      await using plane = await start({
        timeout: "30s",
        backoff: { base: "1h", max: "1h" },
        async reconcile(_, { step, wait }) {
          world.push("run");
          if (world.length > 1) return wait("Enough");
          const undo = async (): Promise<void> => {
            await undoing.passed;
            world.push("deleted");
          };
          await step("upload", { undo }, () => {});
          await step("switch", (signal) => {
            began.open();
            return untilAborted(new Promise<never>(() => {}), signal);
          });
        },
      });
      await began.passed;
      await plane.clock.advance(30_000);
      await plane.clock.advance(5000);
      expect((await plane.run()).outcome).toMatchObject({ type: "error", reason: "Timeout" });
      expect(condition(await plane.site(), "RolledBack")).toBeUndefined();
      const next = plane.again();
      undoing.open();
      await next;
      expect(world).toEqual(["run", "deleted", "run"]);
      const message = 'step "switch" failed: the run took longer than its timeout of 30s; undone: upload';
      expect(condition(await plane.site(), "RolledBack")).toMatchObject({ status: "True", message });
      await untilEvent(plane, "RolledBack", message);
    });

    test("whose effect cannot be verified are undone, and reported", async () => {
      const world: string[] = [];
      await using plane = await start({
        backoff: { base: "1h", max: "1h" },
        async reconcile(_, { step }) {
          await step("upload", { undo: () => world.push("deleted") }, () => {});
          await step("switch", { verify: () => false, undo: () => world.push("switched back") }, () => {});
        },
      });
      await plane.run();
      expect(world).toEqual(["switched back", "deleted"]);
      expect(condition(await plane.site(), "RolledBack")).toMatchObject({
        message: 'step "switch" failed: its effect could not be verified; undone: switch, upload',
      });
    });

    test("that are aborted by the run's timeout open their circuit breaker", async () => {
      let calls = 0;
      await using plane = await start({
        timeout: "30s",
        backoff: { base: "1s", max: "1s" },
        reconcile: (_, { step }) =>
          step("publish", { breaker: "gateway" }, (signal) => {
            calls++;
            return untilAborted(new Promise<never>(() => {}), signal);
          }),
      });
      for (const call of [1, 2]) {
        await eventually(() => calls === call);
        await plane.clock.advance(30_000);
        expect((await plane.run()).outcome).toMatchObject({ reason: "Timeout" });
        await plane.clock.advance(1000);
      }
      expect((await plane.run()).outcome).toMatchObject({
        message: expect.stringContaining("gateway has failed too often and is left alone"),
      });
      expect(calls).toBe(2);
    });

    test("that were active beside a failed one are undone too, before the run ends", async () => {
      const world: string[] = [];
      let refused = (): void => {};
      const afterRefusal = new Promise<void>((resolve) => (refused = resolve));
      await using plane = await start({
        backoff: { base: "1h", max: "1h" },
        async reconcile(_, { step }) {
          const upload = step("upload", { undo: () => world.push("deleted") }, async () => {
            await afterRefusal;
            world.push("uploaded");
          });
          await step("switch", () => Promise.reject(new Error("the proxy refused"))).finally(refused);
          await upload;
        },
      });
      const run = await plane.run();
      expect(world).toEqual(["uploaded", "deleted"]);
      expect(run.steps).toMatchObject([{ name: "switch" }, { name: "upload", undo: { ok: true } }]);
      expect(condition(await plane.site(), "RolledBack")).toMatchObject({
        message: 'step "switch" failed: the proxy refused; undone: upload',
      });
    });

    test("wait as long as an open circuit breaker requires", async () => {
      let calls = 0;
      await using plane = await start({
        backoff: { base: "1s", max: "1s" },
        reconcile: (_, { step }) =>
          step("publish", { breaker: "gateway" }, () => {
            calls++;
            throw new Error("down");
          }),
      });
      await plane.run();
      await plane.clock.advance(1000);
      await plane.run();
      await plane.clock.advance(1000);
      expect((await plane.run()).outcome).toMatchObject({
        message: expect.stringContaining("gateway has failed too often and is left alone"),
      });
      expect(calls).toBe(2);
      await plane.clock.advance(298_000);
      expect(await plane.controllers.runs.find({ kind: "Site", key: "default/hello" })).toHaveLength(3);
      await plane.clock.advance(1000);
      await plane.run();
      expect(calls).toBe(3);
    });
  });

  test("recordEvent creates events about the object", async () => {
    await using plane = await start({
      reconcile: (_, { recordEvent }) => recordEvent("Published", "three pages", "Normal"),
    });
    const eventStream = follow(plane.client, Event);
    expect((await eventStream.next()).value).toMatchObject({
      object: {
        reason: "Published",
        message: "three pages",
        involvedObject: { kind: "Site", name: "hello" },
        source: { component: "sites.demo.dev" },
      },
    });
    await eventStream.return();
  });
});
