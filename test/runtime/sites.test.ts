import { expect, test } from "vitest";
import { z } from "zod";
import { resource } from "../../src/model/index.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { describeHomes } from "./homes/describe-homes.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(1).default(1) }),
  status: z.object({ published: z.int() }),
});
const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

/** Names of cleaned-up sites. */
const unpublished: string[] = [];

const sites = controller({
  for: Site,
  owns: [Page],
  reconcile(site, { ensure, report, ready, fail }) {
    if (site.spec.title === "") return fail("NoTitle", "a site needs a title");
    for (let page = 1; page <= site.spec.pages; page++) {
      ensure(Page, `${site.name}-${page}`, { html: `<h1>${site.spec.title} ${page}</h1>` });
    }
    report({ published: site.spec.pages });
    ready("Published");
  },
  cleanup(site) {
    unpublished.push(site.name);
  },
});

describeHomes(({ startTestPlane, needs }) => {
  test("a site gets its pages, which are kept up to date, and is cleaned up", async () => {
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    const { client, until } = plane;
    const pages = async (): Promise<unknown> =>
      (await client.list(Page)).items.map((page) => page.metadata.name);

    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 3 } });
    const site = await until(Site, "hello", (found) => found?.status?.published === 3);
    expect(site?.metadata.finalizers).toEqual(["fettle.dev/sites.demo.dev"]);
    expect(site?.status).toMatchObject({
      published: 3,
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "True", reason: "Published" }],
    });
    expect(await pages()).toEqual(["hello-1", "hello-2", "hello-3"]);

    await client.patch(Site, "hello", { spec: { pages: 1 } });
    await until(Page, "hello-2", (page) => page === undefined);
    await until(Page, "hello-3", (page) => page === undefined);
    expect(await pages()).toEqual(["hello-1"]);

    await client.patch(Page, "hello-1", { spec: { html: "drift" } });
    await until(Page, "hello-1", (page) => page?.spec.html === "<h1>Hello 1</h1>");

    unpublished.length = 0;
    await client.delete(Site, "hello");
    await until(Site, "hello", (found) => found === undefined);
    expect(unpublished).toEqual(["hello"]);
  });

  test("children are deleted with their owner", async (context) => {
    needs("garbage collection", context);
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    const { client, until } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
    await until(Page, "hello-1", (page) => page !== undefined);
    await client.delete(Site, "hello");
    await until(Page, "hello-1", (page) => page === undefined);
    expect((await client.list(Page)).items).toEqual([]);
  });
});
