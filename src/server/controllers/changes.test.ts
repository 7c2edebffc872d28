import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { Compacted, MemoryStore, SlowWatcher } from "../../store/index.js";
import { Changes } from "./changes.js";
import { Gate, PacedStore } from "./fixtures/paced-store.js";

let store: PacedStore;
let clock: VirtualClock;
let changes: Changes;
let received: string[];
let errors: unknown[];

beforeEach(() => {
  clock = new VirtualClock();
  store = new PacedStore({ clock });
  received = [];
  errors = [];
  changes = new Changes({ store, clock, onError: (error) => errors.push(error) });
  changes.add({
    changed: ({ type, key }) => received.push(`${type} ${key}`),
    present: ({ key }) => received.push(`present ${key}`),
    complete: () => received.push("complete"),
    missed: () => received.push("missed"),
  });
});
afterEach(() => changes.stop());

async function put(...keys: string[]): Promise<number> {
  let revision = 0;
  for (const key of keys) {
    ({ revision } = await store.commit([{ type: "put", key, value: Buffer.from("{}") }]));
  }
  return revision;
}

async function start(): Promise<void> {
  changes.start((await store.status()).revision);
  await changes.complete();
}

test("reports existing objects once, then every change in order", async () => {
  await put("/a", "/b");
  await start();
  expect(received.splice(0)).toEqual(["present /a", "present /b", "complete"]);
  await put("/c", "/a");
  const { revision } = await store.commit([{ type: "delete", key: "/b" }]);
  await changes.reached(revision);
  expect(received).toEqual(["put /c", "put /a", "delete /b"]);
});

test("reads a large store in pages and yields to the event loop between them", async () => {
  for (let index = 0; index < 1700; index++) await put(`/k-${index}`);
  const reading = start();
  await new Promise((resolve) => setImmediate(resolve));
  expect(received.length).toBeLessThan(1700);
  await reading;
  expect(new Set(received).size).toBe(1701);
  expect(received.at(-1)).toBe("complete");
});

test("reports an object that changes during a page read only as changed", async () => {
  await put("/a", "/b", "/c");
  const gate = new Gate();
  store.pace = (moment) => (moment === "ranged /" ? gate.pass() : undefined);
  const reading = start();
  await gate.reached;
  const revision = await put("/b");
  await changes.reached(revision);
  gate.open();
  await reading;
  expect(received).toEqual(["put /b", "present /a", "present /c", "complete"]);
});

test("does not wait for a revision that was reached already", async () => {
  await start();
  await changes.reached(0);
  const revision = await put("/a");
  await Promise.all([changes.reached(revision), changes.reached(revision)]);
  await expect(changes.reached(revision)).resolves.toBeUndefined();
});

test("resumes at the last revision after being too slow", async () => {
  await start();
  let slow = true;
  store.pace = (moment) => {
    if (!moment.startsWith("deliver") || !slow) return;
    slow = false;
    throw new SlowWatcher(0, "too many");
  };
  const revision = await put("/a", "/b");
  await changes.reached(revision);
  expect(received.slice(1)).toEqual(["put /a", "put /b"]);
  expect(errors).toEqual([]);
});

test("reports everything again when changes were compacted", async () => {
  await put("/a");
  await start();
  let lost = true;
  store.pace = (moment) => {
    if (!moment.startsWith("deliver") || !lost) return;
    lost = false;
    throw new Compacted(1, 2);
  };
  const revision = await put("/b");
  await changes.reached(revision);
  await changes.complete();
  expect(received).toEqual(["present /a", "complete", "missed", "present /a", "present /b", "complete"]);
  await changes.reached(await put("/c"));
  expect(received.at(-1)).toBe("put /c");
});

test("abandons a read when changes are lost during it, and completes the new one", async () => {
  await put("/a");
  const gate = new Gate();
  let pages = 0;
  store.pace = (moment) => {
    if (moment === "ranged /" && pages++ === 0) return gate.pass();
    if (moment === "deliver 1") throw new Compacted(1, 2);
  };
  changes.start((await store.status()).revision);
  await gate.reached;
  await changes.reached(await put("/b"));
  gate.open();
  await changes.complete();
  expect(received).toEqual(["missed", "present /a", "present /b", "complete"]);
});

test("retries a failing store after a second", async () => {
  await put("/a");
  let failing = true;
  store.pace = (moment) => {
    if (failing && (moment === "range /" || moment.startsWith("deliver"))) throw new Error("on fire");
  };
  changes.start((await store.status()).revision);
  const revision = await put("/b");
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual([]);
  expect(errors).toEqual([new Error("on fire"), new Error("on fire")]);
  failing = false;
  await clock.advance(1000);
  await changes.reached(revision);
  await changes.complete();
  expect(received.toSorted()).toEqual(["complete", "present /a", "present /b", "put /b"].toSorted());
});

test("calls all listeners when one of them fails", async () => {
  const others: string[] = [];
  const failing = (): never => {
    throw new Error("cannot read that");
  };
  changes.add({ changed: failing, present: failing, complete: failing });
  changes.add({ changed: ({ key }) => others.push(key) });
  await start();
  await changes.reached(await put("/a", "/b"));
  expect(others).toEqual(["/a", "/b"]);
  expect(errors.length).toBe(3);
});

test("resolves waiters when stopped or when the store closes", async () => {
  await start();
  const waiting = changes.reached(1000);
  await changes.stop();
  await waiting;
  await changes.reached(1000);

  const closing = new MemoryStore({ clock });
  const others = new Changes({ store: closing, clock, onError: (error) => errors.push(error) });
  others.start(0);
  await others.complete();
  const more = others.reached(1000);
  await closing.close();
  await more;
  await others.stop();
  expect(errors).toEqual([]);
});

test("reports no keys that are not objects", async () => {
  await put("/claims/a", "/fettle/state/b", "/core/c");
  await start();
  await changes.reached(await put("/claims/d", "/fettle/state/e", "/core/f"));
  expect(received).toEqual(["present /core/c", "complete", "put /core/f"]);
});
