import { expect, test } from "vitest";
import { MemoryStore, type StoreEvent } from "../../../store/index.js";
import { pastEvents, type PastEventsOptions } from "./past-events.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function read(store: MemoryStore, range: Partial<PastEventsOptions>): Promise<readonly StoreEvent[]> {
  const { floor: from, revision: until } = await store.status();
  const { signal } = new AbortController();
  const events: StoreEvent[] = [];
  for await (const event of pastEvents(store, { prefix: "/a", from, until, signal, ...range }))
    events.push(event);
  return events;
}

test("ends at the last revision, also when the last changes are of other keys or there are none", async () => {
  await using store = new MemoryStore();
  expect(await read(store, {})).toEqual([]);
  for (let turn = 0; turn < 1500; turn++) {
    await store.commit([{ type: "put", key: turn % 100 === 0 ? "/a" : "/b", value: bytes(String(turn)) }]);
  }
  await store.commit([{ type: "delete", key: "/a" }]);
  await store.commit([{ type: "put", key: "/b", value: bytes("last") }]);
  const events = await read(store, {});
  expect(events.map(({ type }) => type)).toEqual([...Array.from({ length: 15 }, () => "put"), "delete"]);
  expect(events.map(({ revision }) => revision)).toEqual([
    ...Array.from({ length: 15 }, (_, at) => at * 100 + 1),
    1501,
  ]);
  expect(await read(store, { prefix: "/none" })).toEqual([]);
  expect(await read(store, { until: 101 })).toHaveLength(2);
  expect(await read(store, { from: 101, until: 202 })).toHaveLength(1);
});

test("fails with the store's error when a revision has been compacted", async () => {
  await using store = new MemoryStore();
  for (let turn = 0; turn < 5; turn++)
    await store.commit([{ type: "put", key: "/a", value: bytes(String(turn)) }]);
  await store.compact(4);
  await expect(read(store, { from: 1 })).rejects.toThrow("revision 1 has been compacted");
});
