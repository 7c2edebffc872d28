import { expect, test } from "vitest";
import { isExpired } from "../../../model/core.js";
import { MemoryStore } from "../../../store/index.js";
import { followChanges } from "./changes.js";

async function storeWith(...names: readonly string[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (const name of names) {
    const value = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "d" } });
    await store.commit([{ type: "put", key: `/core/configmaps/d/${name}`, value: Buffer.from(value) }]);
  }
  return store;
}

const options = { tail: 0, reveal: false, signal: new AbortController().signal };

test("returns all changes after a revision", async () => {
  const store = await storeWith("a", "b", "c");
  const { revision } = await store.status();
  const seen: (string | undefined)[] = [];
  for await (const change of followChanges(store, { ...options, after: revision - 2 })) {
    if ("object" in change) seen.push(change.object.metadata.name);
    if (change.revision === revision) break;
  }
  expect(seen).toEqual(["b", "c"]);
});

test("responds 410 to a revision that the store has not reached", async () => {
  const store = await storeWith("a");
  const { revision } = await store.status();
  const changes = followChanges(store, { ...options, after: revision + 1 });
  const error: unknown = await changes.next().catch((problem: unknown) => problem);
  expect(isExpired(error)).toBe(true);
});
