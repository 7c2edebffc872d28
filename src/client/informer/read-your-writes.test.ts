import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { Transport } from "../transport/transport.js";
import { FakeServer, widgets } from "./fixtures/fake-server.js";
import { readYourWrites } from "./read-your-writes.js";

const target = { namespace: "default", name: "a" };
const written: KubeObject = { ...new FakeServer().update("a") };

function recording(answers: Partial<Transport>): { readonly transport: Transport; readonly calls: string[] } {
  const calls: string[] = [];
  const transport = readYourWrites(
    { ...new FakeServer().transport, ...answers },
    {
      wrote: (_kind, { metadata }) => void calls.push(`wrote ${metadata.name}@${metadata.resourceVersion}`),
      removed: (_kind, { namespace, name, uid }) =>
        void calls.push(`removed ${namespace}/${name} ${uid ?? ""}`),
      follows: ({ kind }) => kind === widgets.kind,
    },
  );
  return { transport, calls };
}

test("puts written objects into the caches", async () => {
  const answer = async (): Promise<KubeObject> => written;
  const { transport, calls } = recording({ create: answer, update: answer, patch: answer });
  expect(await transport.create(widgets, {}, {})).toBe(written);
  await transport.update(widgets, target, {}, { subresource: "status" });
  await transport.patch(widgets, target, { type: "merge", body: {} });
  expect(calls).toEqual(["wrote a@1", "wrote a@1", "wrote a@1"]);
});

test("removes a deleted object from the caches, or updates one that waits for finalizers", async () => {
  let left: KubeObject | undefined;
  const { transport, calls } = recording({ delete: async () => left });
  await transport.delete(widgets, target, { preconditions: { uid: "u" } });
  left = written;
  await transport.delete(widgets, target);
  expect(calls).toEqual(["removed default/a u", "wrote a@1"]);
});

test("removes an object whose last finalizer is removed", async () => {
  const deletedObject = (finalizers: string[]): KubeObject => ({
    ...written,
    metadata: { ...written.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers },
  });
  let left = ["one"];
  const { transport, calls } = recording({ patch: async () => deletedObject(left) });
  await transport.patch(widgets, target, { type: "merge", body: {} });
  left = [];
  await transport.patch(widgets, target, { type: "merge", body: {} });
  expect(calls).toEqual(["wrote a@1", `removed default/a ${written.metadata.uid}`]);
});

describe("deleteCollection", () => {
  const named = (name: string, uid: string, resourceVersion = "1"): KubeObject => ({
    ...written,
    metadata: { namespace: "default", name, uid, resourceVersion },
  });
  const deleted = [named("a", "1"), named("b", "2"), named("c", "3")];
  const deleteCollection = async (): Promise<readonly KubeObject[]> => deleted;

  test("lists the selection, to tell removed objects from those that wait for finalizers", async () => {
    const requested: unknown[] = [];
    // One waits for finalizers; one was replaced by another object of the same name.
    const left = [named("b", "2", "7"), named("c", "4", "8")];
    const { transport, calls } = recording({
      deleteCollection,
      list: async (_kind, scope, { labelSelector } = {}) => {
        requested.push({ scope, labelSelector });
        return { items: left, resourceVersion: "9" };
      },
    });
    const scope = { namespace: "default" };
    expect(await transport.deleteCollection(widgets, scope, { labelSelector: "a=b" })).toBe(deleted);
    expect(requested).toEqual([{ scope, labelSelector: "a=b" }]);
    expect(calls).toEqual(["removed default/a 1", "wrote b@7", "removed default/c 3"]);
  });

  test("makes no list if there is no cache of the kind or nothing was deleted", async () => {
    const { transport, calls } = recording({ deleteCollection, list: () => expect.unreachable() });
    const scope = { namespace: "default" };
    await transport.deleteCollection({ ...widgets, kind: "Gadget" }, scope);
    await transport.deleteCollection(widgets, scope, {}, { dryRun: true });
    expect(calls).toEqual([]);
  });

  test("removes all objects from the caches if the list fails", async () => {
    const { transport, calls } = recording({ deleteCollection, list: () => Promise.reject(new Error("no")) });
    expect(await transport.deleteCollection(widgets, { namespace: "default" })).toBe(deleted);
    expect(calls).toEqual([]);
  });
});

test("reads the scaled object if there is a cache of its kind", async () => {
  const scale: KubeObject = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { ...target } };
  const requested: unknown[] = [];
  const { transport, calls } = recording({
    update: async () => scale,
    patch: async () => scale,
    get: async (_kind, { namespace, name }) => {
      requested.push(`${namespace}/${name}`);
      return written;
    },
  });
  const options = { subresource: "scale" } as const;
  expect(await transport.update(widgets, target, {}, options)).toBe(scale);
  await transport.patch(widgets, target, { type: "merge", body: {} }, options);
  await transport.update({ ...widgets, kind: "Gadget" }, target, {}, options);
  expect([requested, calls]).toEqual([
    ["default/a", "default/a"],
    ["wrote a@1", "wrote a@1"],
  ]);
});

test("ignores dry runs and failed writes", async () => {
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "a", resourceVersion: "2" },
  };
  const { transport, calls } = recording({
    create: async () => written,
    update: async () => scale,
    patch: () => Promise.reject(new Error("conflict")),
    delete: async () => undefined,
  });
  await transport.create(widgets, {}, {}, { dryRun: true });
  await transport.update(widgets, target, {}, { subresource: "scale", dryRun: true });
  await expect(transport.patch(widgets, target, { type: "merge", body: {} })).rejects.toThrow("conflict");
  await transport.delete(widgets, target, { dryRun: true });
  expect(calls).toEqual([]);
});
