import { expect, test, vi } from "vitest";
import { failures } from "../../src/model/core.js";
import { controller } from "../../src/runtime/controller/controller.js";
import type { Log } from "../../src/runtime/log/log.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import { testPlane } from "../../src/testing/index.js";
import { Page, Site } from "./kinds.js";
import { gate } from "./test-plane.js";

test("a plain reconciler runs again for an object that was deleted during its run", async () => {
  const seen: string[] = [];
  const started = gate();
  const goOn = gate();
  const sites = plainController({
    for: Site,
    async reconcile(request, { client }) {
      seen.push((await client.find(Site, request)) === undefined ? "gone" : "there");
      started.open();
      await goOn.passed;
    },
  });
  await using plane = await testPlane({ controllers: [sites] });
  await plane.client.create(Site, { metadata: { name: "a" }, spec: {} });
  await started.passed;
  await plane.client.delete(Site, "a");
  goOn.open();
  await plane.settled();
  expect(seen).toEqual(["there", "gone"]);
  expect((await plane.runs(Site, "a")).map(({ outcome }) => outcome.type)).toEqual(["done", "gone"]);
});

test("a child whose deletion failed is deleted by a later run", async () => {
  const sites = controller({
    for: Site,
    owns: [Page],
    reconcile(site, { ensure }) {
      for (let page = 1; page <= site.spec.pages; page++) ensure(Page, `${site.name}-${page}`, { html: "x" });
    },
  });
  await using plane = await testPlane({ controllers: [sites] });
  await plane.client.create(Site, { metadata: { name: "a" }, spec: { pages: 2 } });
  await plane.settled();
  let conflicts = 0;
  const restore = plane.intercept({
    delete(next) {
      if (conflicts++ > 0) return next();
      throw failures.conflict({ group: "demo.dev", resource: "pages" }, "a-2", "try again");
    },
  });
  await plane.client.patch(Site, "a", { spec: { pages: 1 } });
  await plane.settled();
  await plane.advance("1s");
  expect(await plane.client.find(Page, "a-2")).toBeUndefined();
  expect(conflicts).toBe(2);
  restore();
});

test("an error of the log when retries are used up does not prevent further runs", async () => {
  const broken = (): never => {
    throw new Error("the disk is full");
  };
  const quiet = (): void => {};
  const log: Log = { debug: quiet, info: quiet, warn: quiet, error: broken, child: () => log };
  const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  let runs = 0;
  const sites = controller({
    for: Site,
    reconcile(_, { fail, ready }) {
      if (++runs === 1) return fail("NoTitle", "a site needs a title");
      return ready();
    },
  });
  await using plane = await testPlane({ controllers: [sites], log });
  await plane.client.create(Site, { metadata: { name: "a" }, spec: {} });
  await plane.settled();
  await plane.client.patch(Site, "a", { spec: { pages: 2 } });
  await plane.settled();
  expect(runs).toBe(2);
  expect(warning).toHaveBeenCalledWith("the log failed: Error: the disk is full", "ListenerWarning");
  warning.mockRestore();
});
