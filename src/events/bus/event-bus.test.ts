import { expect, onTestFinished, test, vi } from "vitest";
import { VirtualClock } from "../../model/core.js";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { createEvent } from "../create-event.js";
import type { DeadEvent } from "../log/event-log.js";
import { eventBus, type EventBusOptions } from "./event-bus.js";

let count = 0;
function event(type: string, subject?: string, data?: unknown): CloudEvent {
  return createEvent({ type, subject, data, id: String(++count) });
}

function busWith(options: EventBusOptions = {}) {
  const bus = eventBus(options);
  onTestFinished(() => bus.stop(0));
  return bus;
}

test("delivers events to all handlers whose patterns match, each once", async () => {
  const bus = busWith();
  const seen: string[] = [];
  bus.subscribe(["io.example.device.**", "**.created"], ({ type }) => void seen.push(`devices ${type}`));
  bus.subscribe("*.created", ({ type }) => void seen.push(`short ${type}`));
  for (const type of ["io.example.device.created", "lab.created", "lab.deleted"])
    await bus.publish(event(type));
  await bus.idle();
  expect(seen).toEqual(["devices io.example.device.created", "devices lab.created", "short lab.created"]);
});

test("handles events of one subject in order, those of others at the same time", async () => {
  const bus = busWith();
  const seen: string[] = [];
  const release = new Map<string, () => void>();
  bus.subscribe("**", async ({ subject, data }) => {
    seen.push(`${subject}${String(data)}`);
    await new Promise<void>((resolve) => release.set(`${subject}${String(data)}`, resolve));
  });
  for (const [subject, data] of [
    ["a", 1],
    ["a", 2],
    ["b", 1],
  ] as const)
    await bus.publish(event("x", subject, data));
  expect(seen).toEqual(["a1", "b1"]);
  release.get("a1")?.();
  await vi.waitFor(() => expect(seen).toEqual(["a1", "b1", "a2"]));
  for (const each of release.values()) each();
});

test("an event that a handler emits for the same subject while it runs waits for its end", async () => {
  const bus = busWith();
  const seen: string[] = [];
  bus.subscribe("step.*", async (handled, { emit }) => {
    seen.push(`begin ${handled.type}`);
    if (handled.type === "step.one") void emit({ type: "step.two", subject: "s" });
    await Promise.resolve();
    seen.push(`end ${handled.type}`);
  });
  await bus.publish(event("step.one", "s"));
  await vi.waitFor(() =>
    expect(seen).toEqual(["begin step.one", "end step.one", "begin step.two", "end step.two"]),
  );
});

test("calls no more handlers at the same time than there are workers", async () => {
  const bus = busWith({ workers: 3 });
  let active = 0;
  let most = 0;
  bus.subscribe("**", async () => {
    most = Math.max(most, ++active);
    await new Promise(setImmediate);
    active--;
  });
  for (let index = 0; index < 20; index++) await bus.publish(event("x", String(index)));
  await bus.idle();
  expect(most).toBe(3);
});

test("a publisher waits while a buffer is full", async () => {
  const bus = busWith({ buffer: 2, workers: 1 });
  const releases: (() => void)[] = [];
  bus.subscribe("**", () => new Promise<void>((resolve) => void releases.push(resolve)));
  expect(bus.publish(event("x", "1"))).toBe(undefined);
  const full = bus.publish(event("x", "2"));
  let hasRoom = false;
  void full?.then(() => (hasRoom = true));
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  releases.shift()?.();
  await full;
  expect(bus.size).toBe(1);
  await vi.waitFor(() => expect(releases.length).toBe(1));
  releases.shift()?.();
  await bus.idle();
});

test("a handler that never ends holds up others for the stall timeout only; its events become dead letters", async () => {
  const clock = new VirtualClock();
  const bus = busWith({ buffer: 2, workers: 1, clock });
  const seen: string[] = [];
  bus.subscribe({ name: "stuck", timeout: "1h", handle: () => new Promise(() => {}) });
  bus.subscribe({ name: "other", handle: ({ subject }) => void seen.push(subject ?? "") });
  await bus.publish(event("x", "1"));
  const full = bus.publish(event("x", "2"));
  await clock.advance(30_000);
  await full;
  await bus.publish(event("x", "3"));
  expect(seen).toEqual(["1", "2", "3"]);
  expect(bus.dead()).toMatchObject([{ subscription: "stuck", event: { subject: "3" }, attempts: 0 }]);
  expect(bus.subscriptions.map((each) => each.state().state)).toEqual(["stalled", "running"]);
});

test("a failing handler is called again with growing delays, then its event is a dead letter, and the next one follows", async () => {
  const clock = new VirtualClock();
  const letters: DeadEvent[] = [];
  const bus = busWith({ clock, onDead: (letter) => letters.push(letter) });
  const attempts: [string, number, number][] = [];
  bus.subscribe({
    name: "failing",
    retries: 2,
    retryDelay: "1s",
    handle({ data }, { attempt }) {
      attempts.push([String(data), attempt, clock.now()]);
      if (data === "bad") throw new Error("no connection");
    },
  });
  const start = clock.now();
  await bus.publish(event("x", "one", "bad"));
  await bus.publish(event("x", "one", "good"));
  await bus.publish(event("x", "two", "good"));
  expect(attempts.map(([data]) => data)).toEqual(["bad", "good"]);
  await clock.advance(1000);
  await clock.advance(2000);
  expect(attempts).toEqual([
    ["bad", 1, start],
    ["good", 1, start],
    ["bad", 2, start + 1000],
    ["bad", 3, start + 3000],
    ["good", 1, start + 3000],
  ]);
  expect(letters).toMatchObject([{ subscription: "failing", reason: "no connection", attempts: 3 }]);
});

test("aborts a handler that takes too long, and counts that as a failure", async () => {
  const clock = new VirtualClock();
  const bus = busWith({ clock });
  let signal: AbortSignal | undefined;
  bus.subscribe({
    name: "slow",
    timeout: "5s",
    retries: 0,
    handle: (_, context) => {
      ({ signal } = context);
      return new Promise(() => {});
    },
  });
  await bus.publish(event("x"));
  await clock.advance(5000);
  await bus.idle();
  expect(signal?.aborted).toBe(true);
  expect(bus.dead()[0]?.reason).toBe("handler slow took longer than 5s and was aborted");
});

test("stops a cycle of events that handlers emit for each other", async () => {
  const bus = busWith();
  let pings = 0;
  bus.subscribe({
    name: "ping",
    on: "ping",
    retries: 0,
    async handle(_, { emit }) {
      pings++;
      await emit({ type: "ping" });
    },
  });
  await bus.publish(event("ping"));
  await vi.waitFor(() => expect(bus.dead().length).toBe(1));
  expect(pings).toBe(17);
  expect(bus.dead()[0]?.reason).toContain("events that caused each other");
});

test("a subscription that ended gets no more events, and frees its name", async () => {
  const bus = busWith();
  const handle = vi.fn<() => void>();
  const one = bus.subscribe({ name: "one", handle });
  expect(() => bus.subscribe({ name: "one", handle })).toThrow("there is a subscription one already");
  await one.stop();
  await bus.publish(event("x"));
  expect(handle).not.toHaveBeenCalled();
  bus.subscribe({ name: "one", handle });
  expect(bus.hasSubscribers("x")).toBe(true);
});

test("refuses subscriptions that could not work", () => {
  const bus = busWith();
  expect(() => bus.subscribe("a b", () => {})).toThrow("is not a pattern");
  expect(() => bus.subscribe({ name: "A", handle() {} })).toThrow("is not a name for a subscription");
  expect(() => bus.subscribe({ name: "a", on: [], handle() {} })).toThrow("it would get no events");
  expect(() => bus.subscribe({ name: "a", concurrency: 0, handle() {} })).toThrow("concurrency");
  expect(() => bus.subscribe({ name: "a", retries: -1, handle() {} })).toThrow("retries");
});

test("a handler may be an instance of a class with canHandle", async () => {
  const bus = busWith();
  class ConfigHandler {
    readonly name = "config";
    readonly seen: string[] = [];
    canHandle({ type }: CloudEvent): boolean {
      return type === "config.updated" && this.seen.length < 1;
    }
    handle({ id }: CloudEvent): void {
      this.seen.push(id);
    }
  }
  const handler = new ConfigHandler();
  bus.subscribe(handler);
  for (const type of ["config.created", "config.updated", "config.updated"]) await bus.publish(event(type));
  expect(handler.seen.length).toBe(1);
});

test("all publishers that wait for room go on, although fewer events are left than publishers", async () => {
  const bus = busWith({ buffer: 2, workers: 1 });
  const seen: unknown[] = [];
  bus.subscribe("**", async ({ data }) => void seen.push(data));
  const publish = async (index: number): Promise<void> => bus.publish(event("x", "a", index));
  await Promise.all(Array.from({ length: 15 }, (_, index) => publish(index)));
  await bus.idle();
  expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => index));
});

test("a handler that returns at once works off any number of waiting events", async () => {
  const bus = busWith({ buffer: 20_000 });
  let handled = 0;
  let release = (): void => {};
  bus.subscribe("**", () => {
    handled++;
    return handled === 1 ? new Promise<void>((resolve) => (release = resolve)) : undefined;
  });
  for (let index = 0; index < 15_000; index++) void bus.publish(event("x", "a"));
  release();
  await bus.idle();
  expect(handled).toBe(15_000);
  expect(bus.dead()).toEqual([]);
});

test("a handler that returns a thenable which throws has failed, and the next event follows", async () => {
  const dead: DeadEvent[] = [];
  const bus = busWith({ onDead: (letter) => void dead.push(letter), workers: 1 });
  const thenable = {
    // oxlint-disable-next-line unicorn/no-thenable
    then() {
      throw new Error("not a promise");
    },
  };
  const seen: string[] = [];
  bus.subscribe({
    name: "odd",
    retries: 0,
    handle: ({ type }) => (type === "bad" ? thenable : void seen.push(type)),
  });
  await bus.publish(event("bad"));
  await bus.publish(event("good"));
  await bus.idle();
  expect(dead.map(({ reason }) => reason)).toEqual(["not a promise"]);
  expect(seen).toEqual(["good"]);
});
