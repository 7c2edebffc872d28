import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { controller, type ControllerOptions } from "../../src/runtime/controller.js";
import { plainController } from "../../src/runtime/plain.js";
import type { Plan } from "../../src/runtime/plan/plan.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Page, Site } from "./kinds.js";

type Options = ControllerOptions<typeof Site, readonly [typeof Page], never>;

/** Publishes pages, outside and in. */
function publishing(more: Partial<Options> = {}) {
  const world: string[] = [];
  const sites = controller({
    for: Site,
    owns: [Page],
    resync: false,
    async reconcile(site, { ensure, step, report, settle, note }) {
      for (let page = 1; page <= site.spec.pages; page++)
        ensure(Page, `${site.name}-${page}`, { html: `${site.spec.title} ${page}` });
      await settle();
      const url = await step("publish", { planned: "https://planned" }, () => {
        world.push("published");
        return "https://real";
      });
      await step("certificate", { unless: () => site.spec.title !== "secure" }, () => world.push("signed"));
      report({ note: url });
      if (site.spec.title === "Hi") note("Published", url);
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

describeHomes(({ startTestPlane }) => {
  describe("a plan", () => {
    test("of an object that is not there yet tells what would be made, with the server's defaults", async () => {
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

    test("of what is there tells what would change, and nothing when all is as it should be", async () => {
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
      // The same from a file, which knows nothing of the object that is there.
      const fromFile = await handle.plan(manifest({ title: "Bye", pages: 1 }));
      expect(summary(fromFile)).toEqual(summary(changed));
      expect(await plane.versions()).toEqual(before);
    });

    test("asks whether steps are needed, and goes on with what they would give", async () => {
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

    test("writes nothing with the client either", async () => {
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

    test("tells what the server has against a child, or whose it is", async () => {
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

    test("of a failure, a wait or a throw says so and changes nothing, or nothing more", async () => {
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

    test("of what is being deleted is that of its cleanup", async () => {
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
      const leaving = await plane.client.delete(Site, "hello");
      if (leaving === undefined) throw new Error("its finalizer keeps it");
      const planned = await plane.controllers.get(Site).plan(leaving);
      expect(summary(planned)).toEqual({ changes: [], steps: ["unpublish planned"], outcome: "done" });
      expect(world).toEqual([]);
      expect((await plane.client.get(Site, "hello")).metadata.finalizers).toHaveLength(1);
    });

    test("of what the server refuses fails as the write would", async () => {
      const { sites } = publishing();
      await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
      await expect(plane.controllers.get(Site).plan(manifest({ pages: "many" }))).rejects.toThrow("pages");
    });

    test("of a controller in the plain style is refused", async () => {
      const plain = plainController({ for: Site, reconcile() {} });
      await using plane = await startTestPlane([Site, Page], { controllers: [plain] });
      await expect(plane.controllers.get(Site).plan(manifest({}))).rejects.toThrow("cannot be planned");
    });
  });
});
