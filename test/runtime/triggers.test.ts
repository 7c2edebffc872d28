import { describe, expect, test } from "vitest";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import { changed } from "../../src/runtime/controller/predicates.js";
import { batched } from "../../src/runtime/queue/strategy.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import { triggers } from "../../src/runtime/controller/triggers.js";
import { describeTrigger } from "../../src/runtime/runs/describe.js";
import type { Run } from "../../src/runtime/runs/run.js";
import { startControllers } from "../../src/runtime/start/start-controllers.js";
import { toIndexed, toOwner, watch } from "../../src/runtime/controller/watch.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site, Theme } from "./kinds.js";
import { followRuns, gate } from "./test-plane.js";
import { eventually } from "./until.js";

type Options = Partial<ControllerOptions<typeof Site, readonly [typeof Page], never>>;

describeHomes(({ newClock, startTestApi, startTestPlane }) => {
  async function start(options: Options = {}, clock = newClock()) {
    const sites = controller({ for: Site, owns: [Page], resync: false, reconcile() {}, ...options });
    const plane = await startTestPlane([Site, Page, Theme], { controllers: [sites], clock });
    return Object.assign(plane, { clock });
  }

  describe("changes of the reconciled object", () => {
    test("trigger a run by default, except those of the status only", async () => {
      await using plane = await start();
      const { client, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      expect((await run()).triggers).toMatchObject([{ type: "created" }]);
      await client.patchStatus(Site, "hello", { status: { note: "x" } });
      await client.patch(Site, "hello", { metadata: { labels: { a: "1" } } });
      const { triggers } = await run();
      expect(triggers).toMatchObject([{ type: "updated" }]);
      expect(triggers[0]?.version).toBe((await client.get(Site, "hello")).metadata.resourceVersion);
    });

    test("are filtered by the predicate of the controller", async () => {
      await using plane = await start({ where: changed.generation });
      const { client, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      await client.patch(Site, "hello", { metadata: { labels: { a: "1" } } });
      await client.patch(Site, "hello", { spec: { pages: 2 } });
      const next = await run();
      expect(next.generation).toBe(2);
      expect(next.triggers).toHaveLength(1);
      await client.delete(Site, "hello");
      expect(await run()).toMatchObject({ triggers: [{ type: "deleted" }], outcome: { type: "gone" } });
    });
  });

  describe("triggers by hand", () => {
    test("name the object by its uid", async () => {
      await using plane = await start();
      const { client, controllers, run } = plane;
      const { metadata } = await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      const { uid = "" } = metadata;
      controllers.enqueue(Site, { uid }, { reason: "an event" });
      expect(await run()).toMatchObject({ uid, triggers: [{ type: "manual", text: "an event" }] });
      const unknown = 'controller sites.demo.dev sees no Site with the uid "nope": it was deleted';
      expect(() => controllers.enqueue(Site, { uid: "nope" })).toThrow(unknown);
      await client.delete(Site, "hello");
      expect(await run()).toMatchObject({ outcome: { type: "gone" } });
      const second = await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      expect(() => controllers.enqueue(Site, { uid }), "an earlier object of the same name").toThrow(uid);
      controllers.enqueue(Site, { uid: second.metadata.uid ?? "" });
      expect((await run()).triggers).toMatchObject([{ type: "manual" }]);
    });

    test("reconcile all objects, except those that the predicate excludes", async () => {
      const where: Options["where"] = ({ type, object }) =>
        type === "CREATED" && object.metadata.labels?.["class"] !== "other";
      await using plane = await start({ where });
      const { client, controllers, run } = plane;
      for (const name of ["a", "b"]) await client.create(Site, { metadata: { name }, spec: {} });
      await client.create(Site, { metadata: { name: "c", labels: { class: "other" } }, spec: {} });
      await run();
      await run();
      await plane.seen(Site, "default/c");
      expect(controllers.enqueueAll(Site, { reason: "after the outage" })).toBe(2);
      const runs = [await run(), await run()];
      expect(runs.map(({ key }) => key).sort()).toEqual(["default/a", "default/b"]);
      for (const { triggers } of runs) expect(triggers).toMatchObject([{ text: "after the outage" }]);
      expect(controllers.enqueueAll()).toBe(2);
    });
  });

  test("fairnessKey is used for existing and new objects", async () => {
    const fairnessCalls: string[] = [];
    await using api = await startTestApi([Site]);
    await api.client.create(Site, { metadata: { name: "found", labels: { tenant: "a" } }, spec: {} });
    const sites = controller({
      for: Site,
      resync: false,
      reconcile() {},
      fairnessKey(key, site) {
        fairnessCalls.push(`${key} ${site?.metadata.labels?.["tenant"]}`);
        return site?.metadata.labels?.["tenant"] ?? "";
      },
    });
    await using controllers = startControllers({ controllers: [sites], client: api.client });
    const run = followRuns(controllers);
    await run();
    await api.client.create(Site, { metadata: { name: "created", labels: { tenant: "b" } }, spec: {} });
    await run();
    expect(fairnessCalls).toEqual(["default/found a", "default/created b"]);
  });

  describe("changes of other objects", () => {
    test("children trigger their owner, also when they lose it", async () => {
      await using plane = await start({
        reconcile(_, { ensure }) {
          ensure(Page, "page", { html: "x" });
        },
      });
      const { client, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      expect((await run(({ triggers }) => triggers[0]?.type === "child")).triggers).toMatchObject([
        { type: "child", text: "created", by: "Page default/page" },
      ]);
      await client.delete(Page, "page");
      expect((await run()).triggers).toMatchObject([{ type: "child", text: "deleted" }]);
      expect((await run()).triggers).toMatchObject([{ type: "child", text: "created" }]);
      // Its owner reference is removed; the owner is triggered once more.
      await client.patch(Page, "page", { metadata: { ownerReferences: null } });
      expect(await run()).toMatchObject({
        triggers: [{ type: "child", text: "updated" }],
        outcome: { type: "error", message: expect.stringContaining("belongs to nobody") },
      });
    });

    test("children of a deleted owner trigger nothing", async () => {
      await using plane = await start({
        reconcile(_, { ensure }) {
          ensure(Page, "page", { html: "x" });
        },
      });
      const { client, run, controllers } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await plane.seen(Page, "default/page");
      await client.delete(Site, "hello");
      await run(({ outcome }) => outcome.type === "gone");
      // As if the garbage collector had not run.
      await client.delete(Page, "page");
      const cache = controllers.get(Site).loop?.sources.cacheOf(Page);
      await eventually(() => cache?.get("default/page") === undefined);
      await controllers.idle();
      const ends = (await controllers.runs.find({ kind: "Site", key: "default/hello" })).filter(
        ({ outcome }) => outcome.type === "gone",
      );
      expect(ends).toHaveLength(1);
    });

    test("objects found by an index trigger", async () => {
      await using plane = await start({
        indexes: { theme: ({ spec }) => (spec.theme === undefined ? [] : [spec.theme]) },
        watches: [watch(Theme, { to: toIndexed("theme"), where: changed.generation })],
      });
      const { client, run } = plane;
      for (const [name, theme] of [
        ["a", "dark"],
        ["b", "dark"],
        ["c", "light"],
      ] as const) {
        await client.create(Site, { metadata: { name }, spec: { theme } });
        await run();
      }
      await client.create(Theme, { metadata: { name: "dark" }, spec: {} });
      const keys = [(await run()).key, (await run()).key];
      expect(keys.sort()).toEqual(["default/a", "default/b"]);
      await client.patchStatus(Theme, "dark", { status: { usedBy: ["a"] } });
      await client.patch(Theme, "dark", { spec: { color: "blue" } });
      const { triggers } = await run();
      expect(triggers).toMatchObject([{ type: "watched", text: "updated", by: "Theme default/dark" }]);
    });

    test("referenced objects trigger those that refer to them, before or after the change", async () => {
      await using plane = await start({
        watches: [
          watch(Theme, {
            to: ({ spec, metadata }) =>
              (spec.for ?? []).map((name) => ({ name, namespace: metadata.namespace ?? "" })),
          }),
          watch(Page, { to: toOwner(Site, { any: true }) }),
        ],
      });
      const { client, run } = plane;
      for (const name of ["a", "b", "c"]) {
        await client.create(Site, { metadata: { name }, spec: {} });
        await run();
      }
      await client.create(Theme, { metadata: { name: "dark" }, spec: { for: ["a", "b"] } });
      await run();
      await run();
      await client.patch(Theme, "dark", { spec: { for: ["b", "c"] } });
      const runs = [await run(), await run(), await run()];
      expect(runs.map(({ key }) => key).sort()).toEqual(["default/a", "default/b", "default/c"]);
      // Once each, although the theme referred to b before and after.
      for (const { triggers } of runs) expect(triggers).toHaveLength(1);
    });
  });

  describe("triggers()", () => {
    test("trigger runs of all controllers that have them, with their reason", async () => {
      const exits = triggers();
      const plain = plainController({
        for: Site,
        name: "plain",
        triggers: [exits],
        resync: false,
        reconcile() {},
      });
      const sites = controller({ for: Site, triggers: [exits], resync: false, reconcile() {} });
      exits.send("hello", "before the start");
      await using plane = await startTestPlane([Site], { controllers: [sites, plain], clock: newClock() });
      const { client, run, controllers } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      await run();
      exits.send("nobody", "there is no such object");
      exits.send({ name: "hello" }, "the process exited with code 1");
      for (const { triggers } of [await run(), await run()]) {
        expect(triggers).toMatchObject([{ type: "external", text: "the process exited with code 1" }]);
        expect(triggers.map(describeTrigger)).toEqual(["the process exited with code 1"]);
      }
      await controllers.idle();
      expect(await controllers.runs.find({ kind: "Site" })).toHaveLength(4);
    });

    test("that arrive during a run trigger another one", async () => {
      const exits = triggers();
      let runs = 0;
      const reconcile = (): void => {
        if (++runs === 1) exits.send("hello", "it exited at once");
      };
      await using plane = await start({ triggers: [exits], reconcile });
      const { client, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      expect((await run()).triggers).toMatchObject([{ type: "external", text: "it exited at once" }]);
    });
  });

  describe("enqueue", () => {
    test("has a reason, which the run records", async () => {
      await using plane = await start();
      const { client, controllers, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      controllers.enqueue(Site, "hello", { reason: "the certificate was renewed" });
      expect((await run()).triggers).toMatchObject([{ type: "manual", text: "the certificate was renewed" }]);
      expect(() => controllers.enqueue(Page, "x")).toThrow(
        "there is no controller for demo.dev/v1 Page: there are sites.demo.dev",
      );
    });

    test("with a delay stays scheduled when another trigger comes first", async () => {
      await using plane = await start();
      const { client, controllers, run, clock } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      const at = clock.now();
      controllers.get(Site).enqueue("hello", { reason: "the licence ends", after: "10m" });
      await clock.advance(60_000);
      controllers.enqueue(Site, "hello", { reason: "now" });
      expect((await run()).triggers).toMatchObject([{ text: "now" }]);
      await clock.advance(539_999);
      expect(await controllers.runs.find({ kind: "Site", key: "default/hello" })).toHaveLength(2);
      await clock.advance(1);
      const later = await run();
      expect(later.triggers).toEqual([{ type: "manual", text: "the licence ends", at, due: at + 600_000 }]);
      expect(later.startedAt - at).toBe(600_000);
      await clock.advance(600_000);
      expect(await controllers.runs.find({ kind: "Site", key: "default/hello" })).toHaveLength(3);
    });

    test("collects all triggers of a run", async () => {
      const running = gate();
      const began = gate();
      await using plane = await start({
        async reconcile(site) {
          if (site.spec.title === "slow" && site.spec.pages === 1) {
            began.open();
            await running.passed;
          }
        },
      });
      const { client, controllers, run } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: { title: "slow" } });
      await began.passed;
      controllers.enqueue(Site, "hello", { reason: "one" });
      controllers.enqueue(Site, "default/hello", { reason: "two" });
      controllers.enqueue(Site, { name: "hello", namespace: "default" }, { reason: "three" });
      running.open();
      await run();
      expect((await run()).triggers.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    });
  });

  test("a strategy delays changes", async () => {
    await using plane = await start({ strategy: batched({ size: 3, timeout: "10s" }) });
    const { client, clock, run } = plane;
    const since = clock.now();
    await client.create(Site, { metadata: { name: "a" }, spec: {} });
    await eventually(() => plane.controllers.get(Site).loop?.queue.delayed === 1);
    await clock.advance(10_000);
    expect((await run()).startedAt - since).toBe(10_000);
  });

  test("an object that is deleted and recreated while its last run ends is reconciled", async () => {
    let uid: string | undefined;
    const removal = gate();
    const seenAgain = gate();
    const sites = controller({
      for: Site,
      resync: false,
      where({ type, object }) {
        if (type === "CREATED" && uid !== undefined && object.metadata.uid !== uid) seenAgain.open();
        return true;
      },
      reconcile() {},
      cleanup() {},
    });
    await using plane = await startTestPlane([Site], {
      controllers: [sites],
      observer: {
        // Holds the run that removes the finalizer until the next object of that name is cached.
        async around(_, work) {
          const end = await work(undefined);
          if (uid !== undefined && (await plane.client.find(Site, "hello")) === undefined) {
            removal.open();
            await seenAgain.passed;
          }
          return end;
        },
      },
    });
    const { client, run, until } = plane;
    const first = await client.create(Site, { metadata: { name: "hello" }, spec: {} });
    await run();
    uid = first.metadata.uid;
    await client.delete(Site, "hello");
    await removal.passed;
    await until(Site, "hello", (site) => site === undefined);
    await client.create(Site, { metadata: { name: "hello" }, spec: {} });
    expect((await run(isGone)).outcome.type).toBe("gone");
    await until(Site, "hello", (site) => site?.status?.observedGeneration === 1);
  });

  const isGone = ({ outcome }: Run): boolean => outcome.type === "gone";
});
