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

describe("the static types of a client", () => {
  test("objects are typed by their kind, and readonly", () => {
    compiled(async (client) => {
      const site = await client.get(Site, "hello");
      expectTypeOf(site).toEqualTypeOf<ResourceObject<typeof Site>>();
      // @ts-expect-error objects that were read are readonly
      site.spec.title = "x";
      const deployment = await client.get(Deployment, "web");
      expectTypeOf(deployment.spec?.replicas).toEqualTypeOf<number | undefined>();
      // @ts-expect-error readonly, too
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

  test("drafts are checked", () => {
    compiled(async (client) => {
      await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: "v" } });
      await client.create(Site, { metadata: { name: "a" }, spec: { title: "A", theme: "dark" } });
      await client.create(CustomResourceDefinition, customResourceDefinition(Site));
      await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: {} });
      await client.apply(Site, { metadata: { name: "a" }, spec: { title: "A" } }, { force: true });
      await client.apply(customResourceDefinition(Site));
      // @ts-expect-error unknown field
      await client.create(ConfigMap, { metadata: { name: "a" }, date: { k: "v" } });
      // @ts-expect-error values are strings
      await client.create(ConfigMap, { metadata: { name: "a" }, data: { k: 1 } });
      // @ts-expect-error the title is required
      await client.create(Site, { metadata: { name: "a" }, spec: {} });
      // @ts-expect-error not one of the themes
      await client.create(Site, { metadata: { name: "a" }, spec: { title: "A", theme: "pink" } });
      // @ts-expect-error a manifest needs apiVersion and kind
      await client.create({ metadata: { name: "a" } });
      // @ts-expect-error force is an option of apply only
      await client.create(ConfigMap, { metadata: { name: "a" } }, { force: true });
      await client.applyStatus(Site, { metadata: { name: "a" }, status: { published: 1 } });
      // @ts-expect-error must be a number
      await client.applyStatus(Site, { metadata: { name: "a" }, status: { published: "1" } });
    });
  });

  test("apply accepts a part of an object", () => {
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
      // @ts-expect-error unknown field
      await client.apply(Site, { metadata, spec: { pagess: 3 } });
      // @ts-expect-error must be a number
      await client.apply(Deployment, { metadata, spec: { replicas: "3" } });
      // @ts-expect-error items of a list must be complete
      await client.apply(Deployment, { metadata, spec: { template: { spec: { containers: [{}] } } } });
      // @ts-expect-error apply cannot remove a field by null
      await client.apply(Site, { metadata, spec: { pages: null } });
      // @ts-expect-error the name is required
      await client.apply(Site, { spec: { pages: 3 } });
    });
  });

  test("compile errors point at the wrong field", () => {
    compiled(async (client) => {
      const metadata = { name: "a" };
      await client.create(Site, {
        metadata,
        // @ts-expect-error reported here, not at the kind
        spec: { title: "A", page: 3 },
      });
      await client.apply(Site, {
        metadata,
        // @ts-expect-error reported here
        spec: { page: 3 },
      });
      await client.update(Site, {
        metadata,
        // @ts-expect-error reported here
        spec: { title: "A", page: 3 },
      });
      await client.updateStatus(Site, {
        metadata,
        // @ts-expect-error reported here
        status: { publishd: 3 },
      });
      await client.patch(Site, "a", {
        metadata,
        // @ts-expect-error reported here
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
      // @ts-expect-error unknown field
      await client.patch(Site, "a", { spec: { pagess: 3 } });
      // @ts-expect-error must be a number
      await client.patch(Site, "a", { spec: { pages: "three" } });
      // @ts-expect-error unknown field of metadata
      await client.patch(Site, "a", { metadata: { label: {} } });
      // @ts-expect-error unknown field of the status
      await client.patchStatus(Site, "a", { status: { publishd: 3 } });
      // @ts-expect-error unknown field of a kind of Kubernetes
      await client.patch(Deployment, "a", { spec: { replica: 3 } }, { dryRun: true });
      // @ts-expect-error unknown operation
      await client.patch(Site, "a", [{ op: "swap", path: "/spec/pages", value: 3 }]);
    });
  });

  test("untyped and strategic patches are not checked", () => {
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

  test("metadataOnly returns objects with nothing but metadata", () => {
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

  test("modify keeps the type of the object", () => {
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
      // @ts-expect-error not one of the themes
      await client.modify(Site, "hello", (old) => ({ ...old, spec: { ...old.spec, theme: "pink" } }));
      await client.modify(Site, "hello", (old) => old, { subresource: "status" });
      // @ts-expect-error the response is a Scale, not an object of the kind
      await client.modify(Deployment, "web", (old) => old, { subresource: "scale" });
      const { object, outcome } = await client.createOrUpdate(Site, "hello", () => ({
        metadata: {},
        spec: { title: "A", theme: "dark" },
      }));
      expectTypeOf(object).toEqualTypeOf<ResourceObject<typeof Site>>();
      expectTypeOf(outcome).toEqualTypeOf<"created" | "updated" | "unchanged">();
    });
  });

  test("update checks the object when the kind is given", () => {
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
      // @ts-expect-error unknown field
      await client.update(Site, { ...site, spec: { ...site.spec, titel: "A" } });
      // @ts-expect-error the title is required
      await client.update(Site, { ...site, spec: {} });
      // @ts-expect-error unknown field of the status
      await client.updateStatus(Site, { ...site, status: { publishd: 3 } });
      // @ts-expect-error must be a number
      await client.updateStatus(Deployment, { ...deployment, status: { replicas: "3" } });
    });
  });
});
