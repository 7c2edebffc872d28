import { controller, resource } from "fettle";
import { z } from "zod";

export const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({
    title: z.string(),
    pages: z.number().int().min(1).max(100).default(1),
  }),
  status: z.object({ published: z.number().int() }),
  columns: [
    { name: "Title", path: ".spec.title" },
    { name: "Pages", path: ".spec.pages" },
    { name: "Published", path: ".status.published" },
  ],
});

export const Page = resource("demo.dev/v1", "Page", {
  spec: z.object({ html: z.string() }),
});

/** Creates the pages of every site, and reverts changes and deletions of them. */
export const sites = controller({
  for: Site,
  owns: [Page],
  reconcile(site, { ensure, report, ready, requeue, fail }) {
    const { title, pages } = site.spec;
    if (title.trim() === "") return fail("NoTitle", "a site needs a title: set spec.title");
    for (let page = 1; page <= pages; page++) {
      ensure(Page, `${site.name}-${page}`, { html: `<h1>${title}</h1><p>Page ${page} of ${pages}</p>` });
    }
    report({ published: pages });
    ready("Published", `${pages} of ${pages} pages are published`);
    return requeue("12h", "see that all is still in order");
  },
});
