import { loadYaml, PatchStrategy, setHeaderOptions, type V1ConfigMap } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { widget } from "../widgets.js";
import { clientsFor, failureOf, widgets, type Widget } from "./clients.js";

const clients = clientsFor("objects");

test("creates, lists, scales and deletes custom objects, and updates their status", async () => {
  const place = { ...widgets, namespace: "objects" };
  const body = loadYaml<Widget>(widget("plain", "red"));
  const made = (await clients.custom.createNamespacedCustomObject({ ...place, body })) as Widget;
  expect(made).toMatchObject({
    metadata: { generation: 1 },
    spec: { color: "red", size: "medium", replicas: 1 },
  });
  const name = "plain";
  const status = { ...made, spec: { color: "blue" }, status: { replicas: 1 } };
  const after = (await clients.custom.replaceNamespacedCustomObjectStatus({
    ...place,
    name,
    body: status,
  })) as Widget;
  expect(after).toMatchObject({
    metadata: { generation: 1 },
    spec: { color: "red" },
    status: { replicas: 1 },
  });
  const scale = await clients.custom.patchNamespacedCustomObjectScale(
    { ...place, name, body: { spec: { replicas: 4 } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
  expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 4 }, status: { replicas: 1 } });
  const wrong = { ...body, metadata: { name: "wrong" }, spec: { color: "pink" } };
  expect(
    await failureOf(clients.custom.createNamespacedCustomObject({ ...place, body: wrong })),
  ).toMatchObject({
    code: 422,
    status: { reason: "Invalid", details: { causes: [{ field: "spec.color" }] } },
  });
  const list = (await clients.custom.listClusterCustomObject(widgets)) as { kind: string; items: Widget[] };
  expect(list).toMatchObject({ kind: "WidgetList", items: [{ spec: { replicas: 4 } }] });
  await clients.custom.deleteNamespacedCustomObject({ ...place, name });
  const gone = await failureOf(clients.custom.getNamespacedCustomObject({ ...place, name }));
  expect(gone).toMatchObject({ code: 404, status: { message: 'widgets.demo.dev "plain" not found' } });
});

describe("the generic client", () => {
  const header = {
    apiVersion: "demo.dev/v1",
    kind: "Widget",
    metadata: { name: "any", namespace: "objects" },
  };
  const patch = (change: object, strategy: PatchStrategy, force?: boolean): Promise<Widget> => {
    return clients.generic.patch({ ...header, ...change }, undefined, undefined, "me", force, strategy);
  };

  test("creates and reads", async () => {
    const spec: Widget["spec"] = { color: "red", ports: [{ name: "web", port: 80 }] };
    await clients.generic.create<Widget>({ ...header, spec });
    const read = await clients.generic.read<Widget>(header);
    expect(read.spec).toEqual({ ...spec, size: "medium", replicas: 1 });
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date);
  });

  test("create with dryRun stores nothing", async () => {
    const other = { ...header, metadata: { ...header.metadata, name: "dry" }, spec: { color: "red" } };
    expect((await clients.generic.create<Widget>(other, undefined, "All")).metadata?.uid).toBeTruthy();
    expect((await failureOf(clients.generic.read(other))).code).toBe(404);
  });

  test("merge patch", async () => {
    const { spec } = await patch({ spec: { size: "big", replicas: 2 } }, PatchStrategy.MergePatch);
    expect(spec).toMatchObject({ color: "red", size: "big", replicas: 2 });
  });

  test("json patch, through another client", async () => {
    const body = [
      { op: "test", path: "/spec/replicas", value: 2 },
      { op: "replace", path: "/spec/replicas", value: 3 },
    ];
    const place = { ...widgets, namespace: "objects", name: "any" };
    const options = setHeaderOptions("Content-Type", PatchStrategy.JsonPatch);
    const after = (await clients.custom.patchNamespacedCustomObject({ ...place, body }, options)) as Widget;
    expect(after.spec?.replicas).toBe(3);
    expect(
      await failureOf(clients.custom.patchNamespacedCustomObject({ ...place, body }, options)),
    ).toMatchObject({
      code: 422,
      status: { reason: "Invalid" },
    });
  });

  test("strategic merge patch is accepted for built-in kinds and refused for others", async () => {
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "merged", namespace: "objects" },
    };
    await clients.generic.create<V1ConfigMap>({ ...config, data: { a: "1", b: "2" } });
    // The default.
    const patched = await clients.generic.patch<V1ConfigMap>({ ...config, data: { b: "3" } });
    expect(patched.data).toEqual({ a: "1", b: "3" });
    const refused = await failureOf(patch({ spec: { size: "small" } }, PatchStrategy.StrategicMergePatch));
    expect(refused).toMatchObject({ code: 415, status: { reason: "UnsupportedMediaType" } });
  });

  test("server-side apply creates, conflicts, forces, and removes fields that are no longer applied", async () => {
    const metadata = { ...header.metadata, name: "applied" };
    const apply = (spec: object, manager: string, force?: boolean): Promise<Widget> => {
      return clients.generic.patch(
        { ...header, metadata, spec } as Widget,
        undefined,
        undefined,
        manager,
        force,
        PatchStrategy.ServerSideApply,
      );
    };
    const web = { name: "web", port: 80 };
    const ssh = { name: "ssh", port: 22 };
    await apply({ color: "red", ports: [web] }, "first");
    await apply({ ports: [ssh] }, "second");
    const conflict = await failureOf(apply({ color: "blue", ports: [ssh] }, "second"));
    expect(conflict).toMatchObject({
      code: 409,
      status: {
        reason: "Conflict",
        details: { causes: [{ reason: "FieldManagerConflict", field: ".spec.color" }] },
      },
    });
    await apply({ color: "blue", ports: [ssh] }, "second", true);
    // The first manager releases all its fields; the color belongs to the second one now.
    const after = await apply({}, "first");
    expect(after.spec).toMatchObject({ color: "blue", ports: [ssh] });
    expect(
      after.metadata?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`),
    ).toContain("second Apply");
  });

  test("replace, and list", async () => {
    const before = await clients.generic.read<Widget>(header);
    const spec: Widget["spec"] = { color: "green" };
    const after = await clients.generic.replace<Widget>({ ...before, spec });
    expect(after.spec).toEqual({ color: "green", size: "medium", replicas: 1 });
    expect((await failureOf(clients.generic.replace<Widget>({ ...before, spec }))).code).toBe(409);
    // The client writes milliseconds; the server keeps seconds, as Kubernetes does.
    const place = { ...widgets, namespace: "objects", name: "any" };
    const text = JSON.stringify(await clients.custom.getNamespacedCustomObject(place));
    expect(text.match(/\d\d:\d\d:\d\d[^"]*/g)?.filter((time) => !/^[\d:]+Z$/.test(time))).toEqual([]);
    const list = await clients.generic.list<Widget>("demo.dev/v1", "Widget", "objects");
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(["any", "applied"]);
  });

  test("delete", async () => {
    await clients.generic.delete(header, undefined, undefined, undefined, undefined, "Foreground");
    await expect.poll(async () => failureOf(clients.generic.read(header)).then(({ code }) => code)).toBe(404);
  });
});
