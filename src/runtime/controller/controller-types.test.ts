import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { ConfigMap, Deployment, Namespace } from "../../client/kinds/kubernetes.js";
import { resource } from "../../model/index.js";
import { controller } from "./controller.js";
import { plainController } from "./plain.js";
import { changed, or } from "./predicates.js";
import { toAll, toIndexed, toOwner, watch } from "./watch.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().default(1), theme: z.string().optional() }),
  status: z.object({ published: z.int() }),
});
const Page = resource("demo.dev/v1", "Page", {
  spec: z.object({ html: z.string(), draft: z.boolean().default(false) }),
});

/** Nothing here is run: the compiler is what is tested. */
const checked = (): unknown[] => [
  controller({
    for: Site,
    owns: [Page, ConfigMap],
    phases: { initial: "Pending", transitions: { Pending: ["Running"], Running: [] } },
    indexes: { theme: (site) => (site.spec.theme === undefined ? [] : [site.spec.theme]) },
    where: or(changed.generation, ({ object }) => object.spec.pages > 1),
    priority: ({ spec }) => spec.pages,
    watches: [
      watch(Namespace, { to: toAll }),
      watch(ConfigMap, { to: toIndexed("theme", ({ data }) => data?.["theme"] ?? "") }),
      watch(Page, { to: toOwner(Site) }),
    ],
    async reconcile(site, words) {
      const { ensure, step, report, phase, children, read, wait, requeue, fail } = words;
      expectTypeOf(site.name).toBeString();
      expectTypeOf(site.spec.pages).toBeNumber();
      expectTypeOf(site.status?.published).toEqualTypeOf<number | undefined>();
      // @ts-expect-error what is observed is not changed
      site.spec.title = "x";
      // @ts-expect-error nor replaced
      site.spec = { title: "x", pages: 1 };
      // @ts-expect-error and has no such field
      void site.spec.colour;

      const page = ensure(Page, "p", { html: "x" });
      expectTypeOf(page?.spec.draft).toEqualTypeOf<boolean | undefined>();
      ensure(ConfigMap, "m", { data: { x: "1" }, metadata: { labels: { a: "1" } } });
      // @ts-expect-error the kind is not owned
      ensure(Deployment, "d", {});
      // The compiler's message says what to do: the parameter's type is this text.
      expectTypeOf(ensure<typeof Page>)
        .parameter(0)
        .toEqualTypeOf<typeof Page>();
      expectTypeOf(ensure<typeof Site>)
        .parameter(0)
        .toEqualTypeOf<'Site is not in "owns" of this controller: add it to owns: [ … ]'>();
      // The name of a kind of Kubernetes is not part of its type.
      expectTypeOf(ensure<typeof Deployment>)
        .parameter(0)
        .toEqualTypeOf<'this kind is not in "owns" of this controller: add it to owns: [ … ]'>();
      // @ts-expect-error neither has it children of such a kind
      children(Site);
      // @ts-expect-error not even the controller's own
      ensure(Site, "s", { title: "x" });
      // @ts-expect-error html is needed
      ensure(Page, "p", {});
      // @ts-expect-error html is a text
      ensure(Page, "p", { html: 1 });
      // @ts-expect-error there is no such field
      ensure(Page, "p", { html: "x", colour: "red" });
      // @ts-expect-error data are texts
      ensure(ConfigMap, "m", { data: { x: 1 } });
      // @ts-expect-error a child has no status to be told
      ensure(Deployment, "d", { status: {} });

      report({ published: 1 });
      report({ published: null });
      // @ts-expect-error there is no such field
      report({ publishd: 1 });
      // @ts-expect-error it is a number
      report({ published: "1" });
      // @ts-expect-error conditions are set with condition()
      report({ conditions: [] });

      phase("Running");
      // @ts-expect-error there is no such phase
      phase("Runing");

      expectTypeOf(await step("a", () => 1)).toBeNumber();
      expectTypeOf(await step("a", { retries: 1 }, async () => "x")).toBeString();
      expectTypeOf(await step("a", { critical: false }, () => 1)).toEqualTypeOf<number | undefined>();
      expectTypeOf(await step("a", { critical: true }, () => 1)).toBeNumber();
      const critical = site.spec.pages > 1;
      expectTypeOf(await step("a", { critical }, () => 1)).toEqualTypeOf<number | undefined>();
      await step("a", { undo: (_, result) => void result.toFixed() }, () => 1);
      // @ts-expect-error there is no such option
      await step("a", { retry: 1 }, () => 1);
      // @ts-expect-error a step needs an effect
      await step("a", {});

      expectTypeOf(children(Page)[0]?.spec.html).toEqualTypeOf<string | undefined>();
      expectTypeOf(read(Page, "p")?.spec.html).toEqualTypeOf<string | undefined>();
      if (site.spec.title === "wait") return wait("NotYet", "soon", "1m");
      if (site.spec.title === "fail") return fail("No", "never");
      return requeue("12h", "later");
    },
    cleanup(site, words) {
      expectTypeOf(site.spec.title).toBeString();
      // @ts-expect-error children go with their owner
      void words.ensure;
    },
  }),
  controller({
    for: Site,
    // @ts-expect-error a verdict is made with wait, requeue or fail
    reconcile: () => ({ requeue: true }),
  }),
  controller({
    for: Site,
    reconcile(_, { ensure }) {
      // @ts-expect-error nothing is owned
      ensure(Page, "p", { html: "x" });
    },
  }),
  controller({
    for: Site,
    reconcile(_, { phase }) {
      // @ts-expect-error no phases are declared
      phase("Running");
    },
  }),
  controller({
    for: Site,
    // @ts-expect-error Running is not among the phases
    phases: { initial: "Pending", transitions: { Pending: ["Running"] } },
    reconcile() {},
  }),
  controller({
    for: Deployment,
    owns: [ConfigMap],
    reconcile(deployment, { ensure, report }) {
      expectTypeOf(deployment.spec?.replicas).toEqualTypeOf<number | undefined>();
      expectTypeOf(deployment.namespace).toBeString();
      ensure(ConfigMap, "m", { data: {} });
      report({ note: "x" });
      // @ts-expect-error what is observed is not changed
      deployment.metadata.labels = {};
    },
  }),
  plainController({
    for: Site,
    async reconcile({ name, namespace }, { client, read }) {
      expectTypeOf(name).toBeString();
      expectTypeOf(namespace).toBeString();
      expectTypeOf((await client.get(Site, name)).spec.pages).toBeNumber();
      expectTypeOf(read(Site, name)?.spec.pages).toEqualTypeOf<number | undefined>();
      return { requeueAfter: "1m" };
    },
  }),
  plainController({
    for: Site,
    // @ts-expect-error there is no such answer
    reconcile: () => ({ retry: true }),
  }),
];

test("controllers are named after their kind unless told", () => {
  expect(checked).toBeDefined();
  const reconcile = (): void => {};
  expect(controller({ for: Site, reconcile }).name).toBe("sites.demo.dev");
  expect(controller({ for: ConfigMap, reconcile }).name).toBe("configmaps");
  expect(plainController({ for: Deployment, name: "web", reconcile }).name).toBe("web");
});
