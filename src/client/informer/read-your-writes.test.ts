import { expect, test } from "vitest";
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

test("dry runs, failures and scales are not told", async () => {
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
  await transport.update(widgets, target, {}, { subresource: "scale" });
  await expect(transport.patch(widgets, target, { type: "merge", body: {} })).rejects.toThrow("conflict");
  await transport.delete(widgets, target, { dryRun: true });
  expect(told).toEqual([]);
});
