import { z } from "zod";
import type { ObjectOf } from "../../../src/client/kinds/kind.js";
import { resource } from "../../../src/model/index.js";
import { controller, type Controller } from "../../../src/runtime/controller/controller.js";
import type { World } from "./world.js";

export const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(0) }),
  status: z.object({
    published: z.int().optional(),
    /** Written by another manager. */
    visits: z.int().optional(),
  }),
});
export const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

export type SiteObject = ObjectOf<typeof Site>;
export type PageObject = ObjectOf<typeof Page>;

const finalizer = "fettle.dev/sites.demo.dev";

/**
 * Controller of sites: creates pages, publishes the site, and writes its status. `controller-process.mjs` does the
 * same.
 */
export function sitesController(world: World, who = "the controller"): Controller {
  return controller({
    for: Site,
    owns: [Page],
    // The clock of these tests shortens waits.
    timeout: "30m",
    backoff: { max: "1s" },
    reconcile: (site, { ensure, step, report, ready }) =>
      world.alone(site, who, async () => {
        for (let page = 1; page <= site.spec.pages; page++) {
          ensure(Page, `${site.name}-${page}`, { html: htmlOf(site, page) });
        }
        await step("publish", (signal) => world.effect("publish", site, who, signal));
        report({ published: site.spec.pages });
        ready("Published");
      }),
    cleanup: (site, { step }) =>
      world.alone(site, who, () =>
        step("unpublish", (signal) => world.effect("unpublish", site, who, signal)),
      ),
  });
}

function htmlOf({ spec }: Pick<SiteObject, "spec">, page: number): string {
  return `<h1>${spec.title} ${page}</h1>`;
}

/** Differences between sites and their pages and statuses; empty when there are none. */
export function differences(
  expected: ReadonlyMap<string, SiteObject["spec"]>,
  sites: readonly SiteObject[],
  pages: readonly PageObject[],
): string[] {
  const problems: string[] = [];
  const wanted = new Map<string, string>();
  const found = new Set<string>();
  for (const { metadata, spec, status } of sites) {
    const { name = "", uid = "", generation } = metadata;
    found.add(name);
    const should = expected.get(name);
    if (should === undefined) problems.push(`${name} is still there`);
    else if (should.title !== spec.title || should.pages !== spec.pages) {
      problems.push(`${name} says ${JSON.stringify(spec)}, and was written as ${JSON.stringify(should)}`);
    }
    for (let page = 1; page <= spec.pages; page++) {
      wanted.set(`${name}-${page}`, `${uid} ${htmlOf({ spec }, page)}`);
    }
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    const isReady = ready?.status === "True" && ready.observedGeneration === generation;
    if (!isReady || status?.observedGeneration !== generation || status?.published !== spec.pages) {
      problems.push(`${name} at generation ${generation} has the status ${JSON.stringify(status)}`);
    }
    if (metadata.finalizers?.filter((each) => each === finalizer).length !== 1) {
      problems.push(`${name} has the finalizers ${JSON.stringify(metadata.finalizers)}`);
    }
  }
  for (const name of expected.keys()) if (!found.has(name)) problems.push(`${name} is not there`);
  for (const { metadata, spec } of pages) {
    const { name = "", ownerReferences = [] } = metadata;
    const is = `${ownerReferences.map(({ uid }) => uid).join()} ${spec.html}`;
    if (wanted.get(name) !== is) problems.push(`page ${name} is ${is}, not ${wanted.get(name)}`);
    wanted.delete(name);
  }
  for (const name of wanted.keys()) problems.push(`page ${name} is missing`);
  return problems;
}
