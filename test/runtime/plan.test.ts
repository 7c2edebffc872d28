import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import type { Plan } from "../../src/runtime/plan/plan.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site } from "./kinds.js";
import { gate } from "./test-plane.js";

type Options = ControllerOptions<typeof Site, readonly [typeof Page], never>;

/** Controller that publishes pages, with a step and children. */
function publishing(more: Partial<Options> = {}) {
  const world: string[] = [];
  const sites = controller({
    for: Site,
    owns: [Page],
    resync: false,
    async reconcile(site, { ensure, step, report, flush, recordEvent }) {
      for (let page = 1; page <= site.spec.pages; page++)
        ensure(Page, `${site.name}-${page}`, { html: `${site.spec.title} ${page}` });
      await flush();
      const url = await step("publish", { planned: "https://planned" }, () => {
        world.push("published");
        return "https://real";
      });
      await step("certificate", { unless: () => site.spec.title !== "secure" }, () => world.push("signed"));
      report({ note: url });
      if (site.spec.title === "Hi") recordEvent("Published", url);
    },
    ...more,
  });
  return { sites, world };
}

const summary = ({ changes, steps, outcome }: Plan): unknown => ({
  changes: changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`),
  steps: steps.map(({ name, outcome: what }) => `${name} ${what}`),
  outcome: outcome.type,
});

const manifest = (spec: object, name = "hello") => ({
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name },
  spec,
});

describeHomes(({ newClock, startTestPlane }) => {
  describe("a plan", () => {
    test("of a new object has the children to create, with the server's defaults", async () => {
      const { sites, world } = publishing();
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const before = await plane.versions();
      const planned = await plane.controllers.get(Site).plan(manifest({ title: "Hi" }));
      expect(summary(planned)).toEqual({
        // One page is the default.
        changes: ["create Page hello-1"],
        steps: ["publish planned", "certificate skipped"],
        outcome: "done",
      });
      expect(planned).toMatchObject({
        controller: "sites.demo.dev",
        kind: "Site",
        key: "default/hello",
        changes: [{ namespace: "default", after: { spec: { html: "Hi 1" } } }],
      });
      expect(planned.changes[0]?.before).toBeUndefined();
      expect(await plane.versions()).toEqual(before);
      expect(world).toEqual([]);
    });

    test("of an existing object has the changes, and none when it is up to date", async () => {
      const { sites } = publishing();
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const site = await plane.client.create(Site, { metadata: { name: "hello" }, spec: { pages: 2 } });
      await plane.run();
      const handle = plane.controllers.get(Site);
      const before = await plane.versions();
      expect(summary(await handle.plan(site))).toMatchObject({ changes: [] });

      const changed = await handle.plan({ ...site, spec: { ...site.spec, title: "Bye", pages: 1 } });
      expect(summary(changed)).toMatchObject({ changes: ["update Page hello-1", "delete Page hello-2"] });
      expect(changed.changes[0]?.diff).toMatchObject([
        { kind: "change", path: ["spec", "html"], from: "Hello 1", to: "Bye 1" },
      ]);
      // The same from a manifest without the server's fields.
      const fromFile = await handle.plan(manifest({ title: "Bye", pages: 1 }));
      expect(summary(fromFile)).toEqual(summary(changed));
      expect(await plane.versions()).toEqual(before);
    });

    test("verifies steps, and continues with their planned results", async () => {
      const seen: unknown[] = [];
      const { sites } = publishing({
        async reconcile(_, { step }) {
          seen.push(await step("url", { planned: "planned" }, () => "real"));
          seen.push(await step("nothing", () => "real"));
          seen.push(await step("there", { unless: async () => true, planned: 1 }, () => 2));
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const planned = await plane.controllers.get(Site).plan(manifest({}));
      expect(summary(planned)).toMatchObject({ steps: ["url planned", "nothing planned", "there skipped"] });
      expect(seen).toEqual(["planned", undefined, 1]);
    });

    test("shows details of steps that would run, and computes them for no others", async () => {
      const asked: string[] = [];
      const detail = (text: string) => (): string => {
        asked.push(text);
        return text;
      };
      const { sites } = publishing({
        async reconcile(_, { step }) {
          await step("write", { detail: detail("+ a line") }, () => {});
          await step("done", { unless: () => true, detail: detail("skipped") }, () => {});
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const planned = await plane.controllers.get(Site).plan(manifest({}));
      expect(planned.steps.map((step) => step.detail)).toEqual(["+ a line", undefined]);
      await plane.client.create(Site, manifest({}));
      const run = await plane.run(({ steps }) => steps.length === 2);
      expect(run.steps.map((step) => step.detail)).toEqual([undefined, undefined]);
      expect(asked).toEqual(["+ a line"]);
    });

    test("does not write with the client either", async () => {
      const { sites } = publishing({
        async reconcile(site, { client }) {
          await client.createOrUpdate(ConfigMap, `${site.name}-map`, () => {
            return { metadata: { name: `${site.name}-map` }, data: { title: site.spec.title } };
          });
          await client.delete(ConfigMap, "old");
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await plane.client.create(ConfigMap, { metadata: { name: "old" }, data: {} });
      const before = await plane.versions();
      const planned = await plane.controllers.get(Site).plan(manifest({ title: "Hi" }));
      expect(summary(planned)).toMatchObject({
        changes: ["create ConfigMap hello-map", "delete ConfigMap old"],
      });
      expect(await plane.versions()).toEqual(before);
    });

    test("reports the server's errors for a child, or its other owner", async () => {
      const { sites } = publishing({
        reconcile(_, { ensure }) {
          ensure(Page, "bad", { html: 5 as never });
          ensure(Page, "taken", { html: "x" });
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await plane.client.create(Page, { metadata: { name: "taken" }, spec: { html: "theirs" } });
      const site = await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await plane.run();
      const { changes } = await plane.controllers.get(Site).plan(site);
      expect(changes).toMatchObject([
        { action: "create", name: "bad", problem: expect.stringContaining("spec.html") },
        { action: "update", name: "taken", problem: expect.stringContaining("belongs to nobody") },
      ]);
    });

    test("of a run that fails, waits or throws says so, with no changes after that", async () => {
      const { sites } = publishing({
        reconcile(site, { ensure, fail, wait }) {
          ensure(Page, "page", { html: "x" });
          if (site.spec.title === "fail") return fail("No", "never");
          if (site.spec.title === "wait") return wait("NotYet");
          throw new Error("no");
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const handle = plane.controllers.get(Site);
      expect(summary(await handle.plan(manifest({ title: "fail" })))).toMatchObject({
        changes: [],
        outcome: "fail",
      });
      expect(summary(await handle.plan(manifest({ title: "wait" })))).toMatchObject({
        changes: ["create Page page"],
        outcome: "wait",
      });
      expect(summary(await handle.plan(manifest({ title: "throw" })))).toMatchObject({
        changes: [],
        outcome: "error",
      });
    });

    test("has everything that was flushed, whatever the outcome", async () => {
      const { sites } = publishing({
        async reconcile(site, { ensure, flush, fail, client }) {
          ensure(Page, "settled", { html: "x" });
          await flush();
          const page = await client.get(Page, "settled");
          ensure(Page, "staged", { html: "x" });
          if (site.spec.title === "throw") throw new Error("no");
          return fail("No", page.spec.html);
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const handle = plane.controllers.get(Site);
      const failed = await handle.plan(manifest({ title: "fail" }));
      expect(summary(failed)).toMatchObject({ changes: ["create Page settled"], outcome: "fail" });
      expect(failed.outcome).toMatchObject({ message: "x" });
      expect(summary(await handle.plan(manifest({ title: "throw" })))).toMatchObject({
        changes: ["create Page settled"],
        outcome: "error",
      });
    });

    test("reads existing objects also of kinds that are not watched", async () => {
      const { sites } = publishing({
        async reconcile(_, { client }) {
          await client.patch(ConfigMap, "there", { data: { b: "2" } });
          await client.apply(ConfigMap, { metadata: { name: "there" }, data: { c: "3" } });
          await client.apply(ConfigMap, { metadata: { name: "new" }, data: { c: "3" } });
          await client.patch(ConfigMap, "missing", { data: {} }).catch(() => {});
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await plane.client.create(ConfigMap, { metadata: { name: "there" }, data: { a: "1" } });
      const planned = await plane.controllers.get(Site).plan(manifest({}));
      expect(summary(planned)).toMatchObject({
        changes: [
          "update ConfigMap there",
          "update ConfigMap there",
          "create ConfigMap new",
          "update ConfigMap missing",
        ],
      });
      expect(
        planned.changes.map(({ diff, problem }) => [diff.map(({ path }) => path.join(".")), problem]),
      ).toEqual([
        [["data.b"], undefined],
        [["data.c"], undefined],
        [[""], undefined],
        [[], expect.stringContaining('"missing" not found')],
      ]);
    });

    test("reads what it has planned before", async () => {
      const seen: unknown[] = [];
      const { sites } = publishing({
        async reconcile(_, { client }) {
          await client.create(ConfigMap, { metadata: { name: "map" }, data: { a: "1" } });
          await client.patch(ConfigMap, "map", { data: { b: "2" } });
          await client.modify(ConfigMap, "map", (map) => ({ ...map, data: { ...map.data, c: "3" } }));
          seen.push((await client.get(ConfigMap, "map")).data);
          await client.create(ConfigMap, { metadata: { name: "map" } }).catch(() => seen.push("taken"));
          await client.delete(ConfigMap, "map");
          seen.push(await client.find(ConfigMap, "map"));
          await client.delete(ConfigMap, "old");
          await client.create(ConfigMap, { metadata: { name: "old" }, data: { new: "yes" } });
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await plane.client.create(ConfigMap, { metadata: { name: "old" }, data: {} });
      const before = await plane.versions();
      const planned = await plane.controllers.get(Site).plan(manifest({}));
      expect(planned.outcome).toEqual({ type: "done" });
      expect(summary(planned)).toMatchObject({
        changes: [
          "create ConfigMap map",
          "update ConfigMap map",
          "update ConfigMap map",
          "create ConfigMap map",
          "delete ConfigMap map",
          "delete ConfigMap old",
          "create ConfigMap old",
        ],
      });
      const refused = planned.changes.map(({ problem }) => problem !== undefined);
      expect(refused).toEqual([false, false, false, true, false, false, false]);
      expect(seen).toEqual([{ a: "1", b: "2", c: "3" }, "taken", undefined]);
      expect(await plane.versions()).toEqual(before);
    });

    test("fails at steps without verify where a run would", async () => {
      const unless = (): never => {
        throw new Error("cannot look");
      };
      const { sites } = publishing({
        async reconcile(_, { step, ensure }) {
          await step("optional", { critical: false, unless }, () => {});
          ensure(Page, "page", { html: "x" });
          await step("critical", { unless }, () => {});
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      const planned = await plane.controllers.get(Site).plan(manifest({}));
      await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
      const run = await plane.run();
      for (const { steps, outcome } of [planned, run]) {
        expect(steps).toMatchObject([
          { name: "optional", outcome: "failed", error: "cannot look" },
          { name: "critical", outcome: "failed", error: "cannot look" },
        ]);
        expect(outcome).toEqual({
          type: "error",
          reason: "StepFailed",
          message: 'step "critical" failed: cannot look',
        });
      }
    });

    test("has the timeout of a run", async () => {
      const clock = newClock();
      const began = gate();
      const { sites } = publishing({
        timeout: "20s",
        reconcile() {
          began.open();
          return new Promise<never>(() => {});
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites], clock });
      const planning = plane.controllers.get(Site).plan(manifest({}));
      await began.passed;
      await clock.advance(25_000);
      expect((await planning).outcome).toEqual({
        type: "error",
        reason: "Timeout",
        message: "the run took longer than its timeout of 20s",
      });
    });

    test("of an object that is being deleted plans its cleanup", async () => {
      const { sites, world } = publishing({
        reconcile() {},
        async cleanup(_, { step, wait }) {
          await step("unpublish", () => world.push("unpublished"));
          return world.length === 0 ? undefined : wait("NotYet");
        },
      });
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await plane.run();
      plane.controllers.get(Site).pause();
      const deletedSite = await plane.client.delete(Site, "hello");
      if (deletedSite === undefined) throw new Error("its finalizer keeps it");
      const planned = await plane.controllers.get(Site).plan(deletedSite);
      expect(summary(planned)).toEqual({ changes: [], steps: ["unpublish planned"], outcome: "done" });
      expect(world).toEqual([]);
      expect((await plane.client.get(Site, "hello")).metadata.finalizers).toHaveLength(1);
    });

    test("of an object that the server rejects fails like the write", async () => {
      const { sites } = publishing();
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await expect(plane.controllers.get(Site).plan(manifest({ pages: "many" }))).rejects.toThrow("pages");
    });

    test("is rejected for a plain controller", async () => {
      const plain = plainController({ for: Site, reconcile() {} });
      await using plane = await startTestPlane([Site, Page], { controllers: [plain] });
      await expect(plane.controllers.get(Site).plan(manifest({}))).rejects.toThrow("cannot be planned");
    });
  });
});
