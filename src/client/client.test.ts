import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { customResourceDefinition, resource, type KubeObject, type ObjectOf } from "../model/index.js";
import type { Client } from "./client.js";
import type { ObjectFor, UntypedObject } from "./kinds/kind.js";
import { ConfigMap, CustomResourceDefinition, Deployment, Namespace } from "./kinds/kubernetes.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({
    title: z.string(),
    theme: z.enum(["light", "dark"]).default("light"),
    pages: z.int().default(1),
  }),
  status: z.object({ published: z.number() }),
});

/** Checked by the compiler, never called. */
function compiled(use: (client: Client) => Promise<void>): void {
  expect(use).toBeTypeOf("function");
}

describe("the types of a client", () => {
  test("what is read is typed by its kind, and read only", () => {
    compiled(async (client) => {
      const site = await client.get(Site, "hello");
      expectTypeOf(site).toEqualTypeOf<ObjectOf<typeof Site>>();
      // @ts-expect-error what was read is not changed
      site.spec.title = "x";
      const deployment = await client.get(Deployment, "web");
      expectTypeOf(deployment.spec?.replicas).toEqualTypeOf<number | undefined>();
      // @ts-expect-error not there either
      deployment.metadata.labels = {};
      expectTypeOf(await client.find(Site, site)).toEqualTypeOf<ObjectOf<typeof Site> | undefined>();
      expectTypeOf(await client.get("demo.dev/v1/Site", "hello")).toEqualTypeOf<UntypedObject>();
      const { items } = await client.list(Namespace, { labelSelector: "a=b" });
      expectTypeOf(items).toEqualTypeOf<readonly ObjectFor<typeof Namespace>[]>();
      for await (const { spec } of client.each(Site)) expectTypeOf(spec.pages).toEqualTypeOf<number>();
      for await (const { object } of client.watch(ConfigMap)) {
        expectTypeOf(object).toEqualTypeOf<ObjectFor<typeof ConfigMap>>();
      }
    });
  });

  test("what is written is checked", () => {
    compiled(async (client) => {
      await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: "v" } });
      await client.create(Site, { metadata: { name: "a" }, spec: { title: "A", theme: "dark" } });
      await client.create(CustomResourceDefinition, customResourceDefinition(Site));
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: {} });
      await client.apply(Site, { metadata: { name: "a" }, spec: { title: "A" } }, { force: true });
      await client.apply(customResourceDefinition(Site));
      // @ts-expect-error there is no such field
      await client.create(ConfigMap, { metadata: { name: "a" }, date: { k: "v" } });
      // @ts-expect-error values are texts
      await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: 1 } });
      // @ts-expect-error a title is needed
      await client.create(Site, { metadata: { name: "a" }, spec: {} });
      // @ts-expect-error there are two themes
      await client.create(Site, { metadata: { name: "a" }, spec: { title: "A", theme: "pink" } });
      // @ts-expect-error a manifest says what it is
      await client.create({ metadata: { name: "a" } });
      // @ts-expect-error only an apply takes fields by force
      await client.create(ConfigMap, { metadata: { name: "a" } }, { force: true });
      await client.applyStatus(Site, { metadata: { name: "a" }, status: { published: 1 } });
      // @ts-expect-error a number is needed
      await client.applyStatus(Site, { metadata: { name: "a" }, status: { published: "1" } });
    });
  });

  test("what is changed stays what it is", () => {
    compiled(async (client) => {
      const site = await client.get(Site, "hello");
      expectTypeOf(await client.update({ ...site, spec: { ...site.spec, pages: 2 } })).toExtend<KubeObject>();
      const changed = await client.modify(Site, "hello", (old) => {
        expectTypeOf(old).toEqualTypeOf<ObjectOf<typeof Site>>();
        return { ...old, spec: { ...old.spec, theme: "dark" } };
      });
      expectTypeOf(changed).toEqualTypeOf<ObjectOf<typeof Site>>();
      await client.modify(Site, "hello", (old) => old);
      await client.modify(ConfigMap, "a", (old) => ({ ...old, data: { ...old.data, k: "v" } }));
      await client.modify("v1/ConfigMap", "a", (old) => ({ ...old, data: { k: "v" } }));
      // @ts-expect-error there are two themes
      await client.modify(Site, "hello", (old) => ({ ...old, spec: { ...old.spec, theme: "pink" } }));
      const { object, outcome } = await client.createOrUpdate(Site, "hello", () => ({
        metadata: {},
        spec: { title: "A", theme: "dark" },
      }));
      expectTypeOf(object).toEqualTypeOf<ObjectOf<typeof Site>>();
      expectTypeOf(outcome).toEqualTypeOf<"created" | "updated" | "unchanged">();
    });
  });
});
