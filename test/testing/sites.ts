import { z } from "zod";
import { controller, resource } from "fettle";

export const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(0).default(1) }),
  status: z.object({ published: z.number() }),
});

export const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

/** Content delivery network in memory. */
export class FakeCdn {
  readonly #pages = new Map<string, number>();
  calls = 0;

  async publish(site: string, pages: number): Promise<void> {
    this.calls++;
    this.#pages.set(site, pages);
  }

  async remove(site: string): Promise<void> {
    this.calls++;
    this.#pages.delete(site);
  }

  pages(): Record<string, number> {
    return Object.fromEntries(this.#pages);
  }
}

/** Correct controller. */
export const sites = (cdn: Pick<FakeCdn, "publish" | "remove">) =>
  controller({
    for: Site,
    owns: [Page],
    async reconcile(site, { ensure, step, report, ready, recordEvent, requeue, fail }) {
      if (site.spec.title === "") return fail("NoTitle", "a site needs a title");
      for (let page = 1; page <= site.spec.pages; page++) {
        ensure(Page, `${site.name}-${page}`, { html: `<h1>${site.spec.title} ${page}</h1>` });
      }
      await step("publish", () => cdn.publish(site.name, site.spec.pages));
      recordEvent("Published", `${site.spec.pages} pages`);
      report({ published: site.spec.pages });
      ready("Published");
      return requeue("12h", "check the certificate");
    },
    async cleanup(site, { step }) {
      await step("remove", () => cdn.remove(site.name));
    },
  });
