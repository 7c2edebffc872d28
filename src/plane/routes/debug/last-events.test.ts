import { expect, test } from "vitest";
import { createEvent } from "../../../events/create-event.js";
import { EventNaming } from "../../../events/object/event-naming.js";
import { systemClock } from "../../../model/core.js";
import { MemoryStore } from "../../../store/index.js";
import { StoreEventLog } from "../../events/store-event-log.js";
import { lastEvents } from "./last-events.js";

const { signal } = new AbortController();

async function logWith(count: number): Promise<{ readonly store: MemoryStore; readonly log: StoreEventLog }> {
  const store = new MemoryStore();
  const naming = new EventNaming();
  const log = new StoreEventLog(store, { naming, source: "/test", ttl: 3_600_000, clock: systemClock });
  for (let index = 1; index <= count; index++) {
    const type = index % 10 === 0 ? "rare.event" : "common.event";
    await log.append([createEvent({ type, id: String(index) })]);
  }
  return { store, log };
}

async function idsOf(log: StoreEventLog, pattern: string, limit: number): Promise<readonly string[]> {
  const { events } = await lastEvents(log, { pattern, limit, signal });
  return events.map(({ id }) => id);
}

test("finds the newest events, also rare ones far back", async () => {
  const { log } = await logWith(300);
  expect(await idsOf(log, "**", 3)).toEqual(["298", "299", "300"]);
  expect(await idsOf(log, "rare.*", 20)).toEqual(
    Array.from({ length: 20 }, (_, index) => String(110 + index * 10)),
  );
  expect(await idsOf(log, "none.*", 5)).toEqual([]);
  expect(await idsOf(log, "**", 0)).toEqual([]);
  expect(await idsOf(log, "**", 1000)).toHaveLength(300);
});

test("finds what is left of a compacted history", async () => {
  const { store, log } = await logWith(300);
  await store.compact(237);
  expect((await idsOf(log, "**", 1000)).at(0)).toBe("238");
  expect(await idsOf(log, "rare.*", 10)).toEqual(["240", "250", "260", "270", "280", "290", "300"]);
  await store.compact(300);
  expect(await idsOf(log, "**", 10)).toEqual([]);
});

test("an empty log has none", async () => {
  const { log } = await logWith(0);
  expect(await lastEvents(log, { pattern: "**", limit: 5, signal })).toEqual({ events: [], position: "0" });
});
