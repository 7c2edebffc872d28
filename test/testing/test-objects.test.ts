import { describe, expect, test } from "vitest";
import { ConfigMap, Namespace } from "fettle/kubernetes";
import { fakeClient, testPlane, type TestObject } from "fettle/testing";
import { FakeCdn, Page, Site, sites } from "./sites.js";

const given = "11111111-1111-1111-1111-111111111111";
const site: TestObject = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "a", namespace: "default", uid: given },
  spec: { title: "A", pages: 0 },
};
const page: TestObject = {
  apiVersion: "demo.dev/v1",
  kind: "Page",
  metadata: {
    name: "kept",
    namespace: "default",
    ownerReferences: [{ apiVersion: "demo.dev/v1", kind: "Site", name: "a", uid: given }],
  },
  spec: { html: "" },
};
const map = (metadata: TestObject["metadata"]): TestObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
});
const namespace = (metadata: TestObject["metadata"]): TestObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata,
});

describe("initial objects", () => {
  test.each([
    ["before", [site, page]],
    ["after", [page, site]],
  ])("get the uids of owners that are listed %s them", async (_, objects) => {
    await using plane = await testPlane({ kinds: [Site, Page], objects });
    await plane.settled();
    const { uid } = (await plane.client.get(Site, "a")).metadata;
    const kept = await plane.client.find(Page, "kept");
    expect(kept?.metadata.ownerReferences).toMatchObject([{ name: "a", uid }]);
    await plane.client.delete(Site, "a");
    await plane.settled();
    expect(await plane.client.find(Page, "kept")).toBeUndefined();
  });

  test("with a deletionTimestamp are being deleted and kept by their finalizers", async () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const held = map({ name: "held", deletionTimestamp, finalizers: ["demo.dev/held"] });
    await using client = await fakeClient({ objects: [held] });
    expect((await client.get(ConfigMap, "held")).metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ["demo.dev/held"],
    });
    await client.patch(ConfigMap, "held", { metadata: { finalizers: [] } });
    expect(await client.find(ConfigMap, "held")).toBeUndefined();
    await expect(fakeClient({ objects: [map({ name: "gone", deletionTimestamp })] })).rejects.toThrow(
      "ConfigMap gone has a deletionTimestamp but no finalizers",
    );
  });

  test("can be namespaces, also existing ones, in any order", async () => {
    await using client = await fakeClient({
      objects: [
        map({ name: "a", namespace: "team" }),
        namespace({ name: "team", labels: { of: "team" }, finalizers: ["demo.dev/held"] }),
        namespace({ name: "default", labels: { of: "all" } }),
        map({ name: "b", namespace: "other" }),
      ],
    });
    expect((await client.get(Namespace, "team")).metadata).toMatchObject({
      labels: { of: "team" },
      finalizers: ["demo.dev/held"],
    });
    expect((await client.get(Namespace, "default")).metadata.labels).toMatchObject({ of: "all" });
    expect(await client.find(ConfigMap, "team/a")).toBeDefined();
    expect(await client.find(ConfigMap, "other/b")).toBeDefined();
  });
});

test("until() fails when the plane is closed", async () => {
  const plane = await testPlane({ controllers: [sites(new FakeCdn())] });
  const waiting = plane.until(Site, "nobody", Boolean);
  await plane.client.list(Site);
  const closed = "the plane was closed while waiting for Site default/nobody";
  await Promise.all([expect(waiting).rejects.toThrow(closed), plane[Symbol.asyncDispose]()]);
});
