import { beforeEach, describe, expect, test } from "vitest";
import { ConnectionError } from "../../client/transport/transport.js";
import { failures, fromStatus, VirtualClock } from "../../model/core.js";
import {
  eventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type UnrecordedEvent,
} from "./event-recorder.js";
import type { EventClient } from "./event-sender.js";

const resource = { group: "", resource: "events" };
const notFound = failures.notFound(resource, "e");

interface Call {
  readonly verb: "create" | "patch";
  readonly namespace: string;
  readonly name: string;
  readonly body: Record<string, unknown>;
}

let clock: VirtualClock;
let calls: Call[];
let errors: unknown[];
let unrecorded: UnrecordedEvent[];
/** What the next calls throw, or wait for; nothing when they succeed. */
let faults: (Error | Promise<unknown> | undefined)[];

beforeEach(() => {
  clock = new VirtualClock("2026-01-01T00:00:00Z");
  calls = [];
  errors = [];
  unrecorded = [];
  faults = [];
});

async function receive(call: Call): Promise<void> {
  calls.push(call);
  const fault = faults.shift();
  if (fault instanceof Error) throw fault;
  await fault;
}

const client = {
  create: (_: unknown, draft: { metadata: { name: string; namespace: string } }) =>
    receive({ verb: "create", ...draft.metadata, body: { ...draft } }),
  patch: (_: unknown, which: { name: string; namespace: string }, body: Record<string, unknown>) =>
    receive({ verb: "patch", ...which, body }),
} as unknown as EventClient;

function recorder(options: Partial<EventRecorderOptions> = {}): EventRecorder {
  let seed = 0;
  const random = { bytes: (length: number) => new Uint8Array(length).fill(seed++) };
  return eventRecorder({
    client,
    component: "sites",
    clock,
    random,
    onError(error, event) {
      errors.push(error);
      unrecorded.push(event);
    },
    ...options,
  });
}

const site = {
  apiVersion: "demo.dev/v1",
  kind: "Site",
  metadata: { name: "hello", namespace: "n", uid: "u", resourceVersion: "7", labels: { a: "b" } },
};
const published = { reason: "Published", message: "Published 3 pages" };
const summary = () => calls.map(({ verb, body }) => `${verb} ${String(body["count"])}`);

test("creates an event in the namespace of the object", async () => {
  const events = recorder({ instance: "host-1" });
  const related = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } };
  events.event(site, { ...published, type: "Warning", action: "Publish", related });
  expect(await events.flush()).toBe(true);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ verb: "create", namespace: "n" });
  expect(calls[0]?.name).toMatch(/^hello\.[0-9a-f]{16}$/);
  expect(calls[0]?.body).toEqual({
    metadata: { name: calls[0]?.name, namespace: "n" },
    involvedObject: {
      apiVersion: "demo.dev/v1",
      kind: "Site",
      namespace: "n",
      name: "hello",
      uid: "u",
      resourceVersion: "7",
    },
    type: "Warning",
    reason: "Published",
    message: "Published 3 pages",
    action: "Publish",
    related: { apiVersion: "v1", kind: "Node", name: "node-1" },
    count: 1,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    source: { component: "sites", host: "host-1" },
    reportingComponent: "sites",
    reportingInstance: "host-1",
  });
});

test("an object without a namespace has its events in default", async () => {
  const events = recorder();
  events.event({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } }, published);
  await events.flush();
  expect(calls[0]).toMatchObject({ namespace: "default", body: { involvedObject: { name: "node-1" } } });
});

test("the same again is a patch of the count", async () => {
  const events = recorder();
  events.event(site, published);
  await events.flush();
  await clock.advance(60_000);
  events.event(site, published);
  await events.flush();
  const name = calls[0]?.name;
  expect(calls[1]).toEqual({
    verb: "patch",
    namespace: "n",
    name,
    body: { count: 2, lastTimestamp: "2026-01-01T00:01:00Z", message: "Published 3 pages" },
  });
});

test("what waits is sent once, as it is when its turn comes", async () => {
  const events = recorder();
  for (let time = 0; time < 5; time++) events.event(site, published);
  await events.flush();
  expect(summary()).toEqual(["create 5"]);

  let answer: (value?: unknown) => void = () => {};
  faults.push(new Promise((resolve) => (answer = resolve)));
  events.event(site, published);
  await clock.advance(0);
  for (let time = 0; time < 5; time++) events.event(site, published);
  answer();
  await events.flush();
  expect(summary()).toEqual(["create 5", "patch 6", "patch 11"]);
});

test("an event that the server has forgotten is created anew", async () => {
  const events = recorder();
  events.event(site, published);
  await events.flush();
  faults.push(notFound);
  events.event(site, published);
  await events.flush();
  expect(summary()).toEqual(["create 1", "patch 2", "create 2"]);
  events.event(site, published);
  await events.flush();
  expect(summary()[3]).toBe("patch 3");
});

describe("failures", () => {
  test.each([
    failures.serviceUnavailable("no"),
    failures.tooManyRequests("slow down", 1),
    new ConnectionError("refused"),
    failures.serverTimeout(resource, "create", 1),
  ])("that pass are tried again, later and later: $message", async (fault) => {
    const events = recorder();
    faults.push(fault, fault);
    events.event(site, published);
    await clock.advance(0);
    expect(calls).toHaveLength(1);
    await clock.advance(1000);
    expect(calls).toHaveLength(2);
    await clock.advance(2000);
    expect(summary()).toEqual(["create 1", "create 1", "create 1"]);
    expect(await events.flush()).toBe(true);
    expect(errors).toEqual([]);
  });

  test("do not go on for ever, and the next event is sent", async () => {
    const events = recorder();
    const down = failures.serviceUnavailable("no");
    faults.push(...Array.from({ length: 12 }, () => down));
    events.event(site, published);
    events.event(site, { ...published, reason: "Other" });
    await clock.advance(600_000);
    expect(calls).toHaveLength(13);
    expect(errors).toEqual([down]);
  });

  test("an answer that was lost does not make two events", async () => {
    const events = recorder();
    faults.push(new ConnectionError("reset"), failures.alreadyExists(resource, "e"));
    events.event(site, published);
    await clock.advance(1000);
    expect(summary()).toEqual(["create 1", "create 1", "patch 1"]);
    expect(new Set(calls.map(({ name }) => name)).size).toBe(1);
  });

  test("a name that is taken is replaced", async () => {
    const events = recorder();
    faults.push(failures.alreadyExists(resource, "e"));
    events.event(site, published);
    await events.flush();
    expect(summary()).toEqual(["create 1", "create 1"]);
    expect(new Set(calls.map(({ name }) => name)).size).toBe(2);
  });

  const terminating = fromStatus({
    code: 403,
    reason: "Forbidden",
    message: "namespace is being terminated",
    details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
  });
  test.each([
    ["is being deleted", terminating],
    ["is gone", notFound],
    ["is in conflict", failures.conflict(resource, "e", "deleted")],
  ])("nothing is said about a namespace that %s", async (_, fault) => {
    const events = recorder();
    faults.push(fault);
    events.event(site, published);
    await events.flush();
    expect(calls).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  test("that trying again cannot help are told", async () => {
    const events = recorder();
    const forbidden = failures.forbidden(resource, "e", "no role allows it");
    faults.push(forbidden);
    events.event(site, published);
    await events.flush();
    expect(calls).toHaveLength(1);
    expect(errors).toEqual([forbidden]);
  });

  test("tell which object and run they are about, which is no part of an event", async () => {
    const events = recorder();
    faults.push(failures.forbidden(resource, "e", "no"), undefined);
    events.event(site, { ...published, run: "4f1c2a9e" });
    events.event({ ...site, metadata: {} }, { ...published, run: "5e2d" });
    expect(await events.flush()).toBe(true);
    expect(unrecorded).toEqual([
      { object: "Site ", reason: "Published", run: "5e2d" },
      { object: "Site n/hello", reason: "Published", run: "4f1c2a9e" },
    ]);
    expect(JSON.stringify(calls)).not.toContain("4f1c2a9e");
  });

  test("never reach the caller, whatever is recorded and whatever becomes of the error", async () => {
    const events = recorder({
      onError: () => {
        throw new Error("the log is full");
      },
    });
    expect(() => events.event({ ...site, metadata: {} }, published)).not.toThrow();
    expect(() => events.event(site, { ...published, reason: "" })).not.toThrow();
    expect(() => events.event(undefined as never, undefined as never)).not.toThrow();
    expect(await events.flush()).toBe(true);
  });
});

test("a line that is full drops what is new, and says so once", async () => {
  const events = recorder({ queueLimit: 2 });
  faults.push(new Promise(() => {}));
  for (let number = 0; number < 9; number++) events.event(site, { ...published, reason: `R${number}` });
  expect(events.dropped).toBe(7);
  expect(errors).toHaveLength(1);
  expect(String(errors[0])).toContain("2 events wait to be sent: new ones are dropped");
});

describe("the end", () => {
  test("waits for what is to be sent, and takes no more", async () => {
    const events = recorder();
    faults.push(failures.serviceUnavailable("no"));
    events.event(site, published);
    const closed = events.close("5s");
    events.event(site, { ...published, reason: "TooLate" });
    await clock.advance(1000);
    expect(await closed).toBe(true);
    expect(summary()).toEqual(["create 1", "create 1"]);
    expect(clock.timers).toBe(0);
  });

  test("comes when the time is up, whatever hangs", async () => {
    const events = recorder();
    faults.push(new Promise(() => {}));
    events.event(site, published);
    const closed = events.close("5s");
    await clock.advance(5000);
    expect(await closed).toBe(false);
    expect(clock.timers).toBe(0);
    expect(errors).toEqual([]);
  });
});
