import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../model/core.js";
import type { Transport } from "../transport/transport.js";
import { FakeServer, widgets } from "./fixtures/fake-server.js";
import { readYourWrites } from "./read-your-writes.js";

const target = { namespace: "default", name: "a" };
const written: KubeObject = { ...new FakeServer().update("a") };

function recording(answers: Partial<Transport>): { readonly transport: Transport; readonly told: string[] } {
  const told: string[] = [];
  const transport = readYourWrites(
    { ...new FakeServer().transport, ...answers },
    {
      wrote: (_kind, { metadata }) => void told.push(`wrote ${metadata.name}@${metadata.resourceVersion}`),
      removed: (_kind, { namespace, name, uid }) =>
        void told.push(`removed ${namespace}/${name} ${uid ?? ""}`),
      follows: ({ kind }) => kind === widgets.kind,
    },
  );
  return { transport, told };
}

test("what is written is told", async () => {
  const answer = async (): Promise<KubeObject> => written;
  const { transport, told } = recording({ create: answer, update: answer, patch: answer });
  expect(await transport.create(widgets, {}, {})).toBe(written);
  await transport.update(widgets, target, {}, { subresource: "status" });
  await transport.patch(widgets, target, { type: "merge", body: {} });
  expect(told).toEqual(["wrote a@1", "wrote a@1", "wrote a@1"]);
});

test("what is deleted is told, or that it waits for its finalizers", async () => {
  let left: KubeObject | undefined;
  const { transport, told } = recording({ delete: async () => left });
  await transport.delete(widgets, target, { preconditions: { uid: "u" } });
  left = written;
  await transport.delete(widgets, target);
  expect(told).toEqual(["removed default/a u", "wrote a@1"]);
});

test("what takes the last finalizer from one that is to be deleted is its end", async () => {
  const leaving = (finalizers: string[]): KubeObject => ({
    ...written,
    metadata: { ...written.metadata, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers },
  });
  let left = ["one"];
  const { transport, told } = recording({ patch: async () => leaving(left) });
  await transport.patch(widgets, target, { type: "merge", body: {} });
  left = [];
  await transport.patch(widgets, target, { type: "merge", body: {} });
  expect(told).toEqual(["wrote a@1", `removed default/a ${written.metadata.uid}`]);
});

describe("of all that are deleted at once", () => {
  const named = (name: string, uid: string, resourceVersion = "1"): KubeObject => ({
    ...written,
    metadata: { namespace: "default", name, uid, resourceVersion },
  });
  const deleted = [named("a", "1"), named("b", "2"), named("c", "3")];
  const deleteCollection = async (): Promise<readonly KubeObject[]> => deleted;

  test("it is told which are gone and which wait, by a look at the same selection", async () => {
    const asked: unknown[] = [];
    // One waits for its finalizers, and there is already another of a name.
    const left = [named("b", "2", "7"), named("c", "4", "8")];
    const { transport, told } = recording({
      deleteCollection,
      list: async (_kind, scope, { labelSelector } = {}) => {
        asked.push({ scope, labelSelector });
        return { items: left, resourceVersion: "9" };
      },
    });
    const scope = { namespace: "default" };
    expect(await transport.deleteCollection(widgets, scope, { labelSelector: "a=b" })).toBe(deleted);
    expect(asked).toEqual([{ scope, labelSelector: "a=b" }]);
    expect(told).toEqual(["removed default/a 1", "wrote b@7", "removed default/c 3"]);
  });

  test("nobody looks where nobody reads, and none was deleted", async () => {
    const { transport, told } = recording({ deleteCollection, list: () => expect.unreachable() });
    const scope = { namespace: "default" };
    await transport.deleteCollection({ ...widgets, kind: "Gadget" }, scope);
    await transport.deleteCollection(widgets, scope, {}, { dryRun: true });
    expect(told).toEqual([]);
  });

  test("they are deleted also when that look fails", async () => {
    const { transport, told } = recording({ deleteCollection, list: () => Promise.reject(new Error("no")) });
    expect(await transport.deleteCollection(widgets, { namespace: "default" })).toBe(deleted);
    expect(told).toEqual([]);
  });
});

test("a scale is answered by another kind: what it changed is looked at, where somebody reads it", async () => {
  const scale: KubeObject = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { ...target } };
  const asked: unknown[] = [];
  const { transport, told } = recording({
    update: async () => scale,
    patch: async () => scale,
    get: async (_kind, { namespace, name }) => {
      asked.push(`${namespace}/${name}`);
      return written;
    },
  });
  const options = { subresource: "scale" } as const;
  expect(await transport.update(widgets, target, {}, options)).toBe(scale);
  await transport.patch(widgets, target, { type: "merge", body: {} }, options);
  await transport.update({ ...widgets, kind: "Gadget" }, target, {}, options);
  expect([asked, told]).toEqual([
    ["default/a", "default/a"],
    ["wrote a@1", "wrote a@1"],
  ]);
});

test("dry runs and failures are not told", async () => {
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "a", resourceVersion: "2" },
  };
  const { transport, told } = recording({
    create: async () => written,
    update: async () => scale,
    patch: () => Promise.reject(new Error("conflict")),
    delete: async () => undefined,
  });
  await transport.create(widgets, {}, {}, { dryRun: true });
  await transport.update(widgets, target, {}, { subresource: "scale", dryRun: true });
  await expect(transport.patch(widgets, target, { type: "merge", body: {} })).rejects.toThrow("conflict");
  await transport.delete(widgets, target, { dryRun: true });
  expect(told).toEqual([]);
});
