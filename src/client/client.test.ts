import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { customResourceDefinition, resource, type KubeObject, type ResourceObject } from "../model/index.js";
import type { Client } from "./client.js";
import type { ObjectHeader, ObjectOf, UntypedObject } from "./kinds/kind.js";
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
      expectTypeOf(site).toEqualTypeOf<ResourceObject<typeof Site>>();
      // @ts-expect-error what was read is not changed
      site.spec.title = "x";
      const deployment = await client.get(Deployment, "web");
      expectTypeOf(deployment.spec?.replicas).toEqualTypeOf<number | undefined>();
      // @ts-expect-error not there either
      deployment.metadata.labels = {};
      expectTypeOf(await client.find(Site, site)).toEqualTypeOf<ResourceObject<typeof Site> | undefined>();
      expectTypeOf(await client.get("demo.dev/v1/Site", "hello")).toEqualTypeOf<UntypedObject>();
      const { items } = await client.list(Namespace, { labelSelector: "a=b" });
      expectTypeOf(items).toEqualTypeOf<readonly ObjectOf<typeof Namespace>[]>();
      for await (const { spec } of client.each(Site)) expectTypeOf(spec.pages).toEqualTypeOf<number>();
      for await (const { object } of client.watch(ConfigMap)) {
        expectTypeOf(object).toEqualTypeOf<ObjectOf<typeof ConfigMap>>();
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

  test("a part of an object is enough to apply", () => {
    compiled(async (client) => {
      const metadata = { name: "a" };
      expectTypeOf(await client.apply(Site, { metadata, spec: { pages: 3 } })).toEqualTypeOf<
        ResourceObject<typeof Site>
      >();
      await client.apply(Site, { metadata });
      await client.apply(Deployment, { metadata, spec: { replicas: 3 } });
      const containers = [{ name: "a", image: "b" }] as const;
      await client.apply(Deployment, { metadata, spec: { template: { spec: { containers } } } });
      await client.applyStatus(Deployment, { metadata, status: { readyReplicas: 1 } });
      await client.apply("apps/v1/Deployment", { metadata, anything: { goes: true } });
      // @ts-expect-error there is no such field
      await client.apply(Site, { metadata, spec: { pagess: 3 } });
      // @ts-expect-error a number is needed
      await client.apply(Deployment, { metadata, spec: { replicas: "3" } });
      // @ts-expect-error what stands in a list is whole
      await client.apply(Deployment, { metadata, spec: { template: { spec: { containers: [{}] } } } });
      // @ts-expect-error to apply is not to take away
      await client.apply(Site, { metadata, spec: { pages: null } });
      // @ts-expect-error it has to be said whose they are
      await client.apply(Site, { spec: { pages: 3 } });
    });
  });

  test("what is wrong is told where it is", () => {
    compiled(async (client) => {
      const metadata = { name: "a" };
      await client.create(Site, {
        metadata,
        // @ts-expect-error here, and not at the kind
        spec: { title: "A", page: 3 },
      });
      await client.apply(Site, {
        metadata,
        // @ts-expect-error here
        spec: { page: 3 },
      });
      await client.update(Site, {
        metadata,
        // @ts-expect-error here
        spec: { title: "A", page: 3 },
      });
      await client.updateStatus(Site, {
        metadata,
        // @ts-expect-error here
        status: { publishd: 3 },
      });
      await client.patch(Site, "a", {
        metadata,
        // @ts-expect-error here
        spec: { page: 3 },
      });
    });
  });

  test("patches are checked", () => {
    compiled(async (client) => {
      expectTypeOf(await client.patch(Site, "a", { spec: { pages: 3 } })).toEqualTypeOf<
        ResourceObject<typeof Site>
      >();
      await client.patch(Site, "a", { metadata: { labels: { a: "b", c: null }, finalizers: null } });
      await client.patch(Site, "a", { metadata: { resourceVersion: "1" }, spec: { pages: null } });
      await client.patch(Site, "a", [{ op: "replace", path: "/spec/pages", value: 3 }]);
      await client.patchStatus(Site, "a", { status: { published: 3, conditions: null } });
      await client.patchStatus(Deployment, "a", { status: { readyReplicas: 1 } });
      await client.patch(ConfigMap, "a", { data: { k: null, l: "v" } }, { type: "merge" });
      // @ts-expect-error there is no such field
      await client.patch(Site, "a", { spec: { pagess: 3 } });
      // @ts-expect-error a number is needed
      await client.patch(Site, "a", { spec: { pages: "three" } });
      // @ts-expect-error there is no such field in metadata
      await client.patch(Site, "a", { metadata: { label: {} } });
      // @ts-expect-error nor in the status
      await client.patchStatus(Site, "a", { status: { publishd: 3 } });
      // @ts-expect-error nor in Kubernetes' kinds
      await client.patch(Deployment, "a", { spec: { replica: 3 } }, { dryRun: true });
      // @ts-expect-error there is no such operation
      await client.patch(Site, "a", [{ op: "swap", path: "/spec/pages", value: 3 }]);
    });
  });

  test("patches of what is untyped, and those with directives, are not", () => {
    compiled(async (client) => {
      await client.patch("demo.dev/v1/Site", "a", { anything: { goes: true } });
      await client.patchStatus({ apiVersion: "demo.dev/v1", kind: "Site" }, "a", { status: { any: 1 } });
      const containers = [{ name: "a", $patch: "delete" }];
      const patch = { spec: { template: { spec: { containers } }, strategy: { $retainKeys: ["type"] } } };
      expectTypeOf(await client.patch(Deployment, "a", patch, { type: "strategic" })).toEqualTypeOf<
        ObjectOf<typeof Deployment>
      >();
      await client.patchStatus(Deployment, "a", { status: { $patch: "replace" } }, { type: "strategic" });
    });
  });

  test("only metadata, where nothing else is asked for", () => {
    compiled(async (client) => {
      const metadataOnly = true;
      expectTypeOf(await client.get(Site, "a", { metadataOnly })).toEqualTypeOf<ObjectHeader>();
      expectTypeOf(await client.find(Site, "a", { metadataOnly })).toEqualTypeOf<ObjectHeader | undefined>();
      const { items } = await client.list(Site, { metadataOnly, labelSelector: "a=b" });
      expectTypeOf(items).toEqualTypeOf<readonly ObjectHeader[]>();
      for await (const one of client.each(Site, { metadataOnly }))
        expectTypeOf(one).toEqualTypeOf<ObjectHeader>();
      for await (const { object } of client.watch(Site, { metadataOnly })) {
        expectTypeOf(object).toEqualTypeOf<ObjectHeader>();
      }
      const options = { metadataOnly: false };
      expectTypeOf(await client.get(Site, "a", options)).toEqualTypeOf<ResourceObject<typeof Site>>();
    });
  });

  test("what is changed stays what it is", () => {
    compiled(async (client) => {
      const site = await client.get(Site, "hello");
      expectTypeOf(await client.update({ ...site, spec: { ...site.spec, pages: 2 } })).toExtend<KubeObject>();
      const changed = await client.modify(Site, "hello", (old) => {
        expectTypeOf(old).toEqualTypeOf<ResourceObject<typeof Site>>();
        return { ...old, spec: { ...old.spec, theme: "dark" } };
      });
      expectTypeOf(changed).toEqualTypeOf<ResourceObject<typeof Site>>();
      await client.modify(Site, "hello", (old) => old);
      await client.modify(ConfigMap, "a", (old) => ({ ...old, data: { ...old.data, k: "v" } }));
      await client.modify("v1/ConfigMap", "a", (old) => ({ ...old, data: { k: "v" } }));
      // @ts-expect-error there are two themes
      await client.modify(Site, "hello", (old) => ({ ...old, spec: { ...old.spec, theme: "pink" } }));
      await client.modify(Site, "hello", (old) => old, { subresource: "status" });
      // @ts-expect-error a scale is no object of the kind
      await client.modify(Deployment, "web", (old) => old, { subresource: "scale" });
      const { object, outcome } = await client.createOrUpdate(Site, "hello", () => ({
        metadata: {},
        spec: { title: "A", theme: "dark" },
      }));
      expectTypeOf(object).toEqualTypeOf<ResourceObject<typeof Site>>();
      expectTypeOf(outcome).toEqualTypeOf<"created" | "updated" | "unchanged">();
    });
  });

  test("what replaces an object is checked when its kind is said", () => {
    compiled(async (client) => {
      const site = await client.get(Site, "hello");
      expectTypeOf(await client.update(Site, site)).toEqualTypeOf<ResourceObject<typeof Site>>();
      await client.update(Site, { ...site, spec: { title: "A" } }, { dryRun: true });
      await client.updateStatus(Site, { ...site, status: { published: 3 } });
      await client.updateStatus(Site, { metadata: { name: "hello" }, status: { published: 3 } });
      const deployment = await client.get(Deployment, "web");
      await client.update(Deployment, deployment);
      await client.updateStatus(Deployment, { ...deployment, status: { replicas: 3 } });
      await client.update("demo.dev/v1/Site", { ...site, anything: { goes: true } });
      await client.updateStatus("demo.dev/v1/Site", { ...site, status: { anything: 3 } });
      // @ts-expect-error there is no such field
      await client.update(Site, { ...site, spec: { ...site.spec, titel: "A" } });
      // @ts-expect-error a title is needed
      await client.update(Site, { ...site, spec: {} });
      // @ts-expect-error there is no such field in the status
      await client.updateStatus(Site, { ...site, status: { publishd: 3 } });
      // @ts-expect-error a number is needed
      await client.updateStatus(Deployment, { ...deployment, status: { replicas: "3" } });
    });
  });
});
