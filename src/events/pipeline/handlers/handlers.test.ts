import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failures, VirtualClock, type KubeObject } from "../../../model/core.js";
import type { CloudEvent, EventInput } from "../../../model/cloud-events/cloud-event.js";
import { recordingContext, recordingLog, sampleEvent } from "../../fixtures/deliver.js";
import { memoryState } from "../../state/memory-state.js";
import { openState } from "../../state/open-state.js";
import { eventType } from "../../types/event-type.js";
import { EventTypes } from "../../types/event-types.js";
import type { PipelineParts } from "../pipeline-handler.js";
import type { Pipeline } from "../pipeline.js";
import { startPipeline } from "../start-pipeline.js";

const start = (
  name: string,
  { options, ...parts }: Partial<PipelineParts> & { readonly options?: unknown } = {},
): Promise<Pipeline> =>
  startPipeline(
    { stages: [{ name: "only", handlers: [{ name, options }] }] },
    { clock: new VirtualClock("2026-03-01T12:00:00Z"), log: recordingLog().log, ...parts },
  );

const handle = (pipeline: Pipeline, event: CloudEvent): Promise<CloudEvent> =>
  pipeline.handle(event, recordingContext());

describe("SchemaValidator", () => {
  const types = new EventTypes([eventType("device.started", z.object({ serial: z.string() }))]);

  test("rejects data that violate the schema of the type, with the field", async () => {
    const pipeline = await start("SchemaValidator", { types });
    await handle(pipeline, sampleEvent({ type: "device.started", data: { serial: "A-17" } }));
    await handle(pipeline, sampleEvent({ type: "unknown.type", data: 5 }));
    await expect(
      handle(pipeline, sampleEvent({ type: "device.started", data: { serial: 17 } })),
    ).rejects.toThrow(
      "SchemaValidator (stage only): data.serial: Invalid input: expected string, received number",
    );
    await expect(handle(pipeline, sampleEvent({ type: "system.error", data: {} }))).rejects.toThrow(
      "data.component",
    );
  });

  test("rejects what is no CloudEvent", async () => {
    const pipeline = await start("SchemaValidator");
    await expect(handle(pipeline, sampleEvent({ type: "a.b", id: "" }))).rejects.toThrow(
      "id must be text that is not empty",
    );
    await expect(handle(pipeline, sampleEvent({ type: "a.b", list: [1] }))).rejects.toThrow("attribute list");
  });

  test("can require schemas, except for events about objects", async () => {
    const pipeline = await start("SchemaValidator", { options: { requireSchema: true } });
    await expect(handle(pipeline, sampleEvent({ type: "a.b" }))).rejects.toThrow(
      "there is no schema for events of type a.b",
    );
    await handle(pipeline, sampleEvent({ type: "dev.demo.site.created", objectuid: "1" }));
  });
});

describe("SecurityValidator", () => {
  test.each<[string, Partial<CloudEvent>, string]>([
    ["large data", { data: { text: "x".repeat(2 ** 20) } }, "it has more than 1048576 bytes"],
    [
      "10 MB of data",
      { data: Array.from({ length: 1_000_000 }, () => "0123456789") },
      "it has more than 1048576 bytes",
    ],
    ["a large attribute", { subject: "x".repeat(2 ** 20) }, "it has more than 1048576 bytes"],
    ["control characters in an attribute", { subject: "a\u001B[2Jb" }, "its subject has control characters"],
    ["control characters in its data", { data: { note: "a\u0007b" } }, "data.note has control characters"],
    ["deep data", { data: nested(40) }, "its data is nested more than 32 levels deep"],
    [
      "a field __proto__",
      { data: JSON.parse('{"__proto__":{"admin":true}}') as unknown },
      "a field named __proto__",
    ],
  ])("rejects %s", async (_, change, message) => {
    const pipeline = await start("SecurityValidator");
    await expect(handle(pipeline, sampleEvent({ type: "a.b", ...change }))).rejects.toThrow(message);
  });

  test("hides secret values, also deep in the data", async () => {
    const pipeline = await start("SecurityValidator");
    const login = { user: "ann", password: "hunter2" };
    const data = { lines: "a\n\tb", deep: { a: { b: { c: { d: { e: { f: { g: { login } } } } } } } } };
    const { data: shown } = await handle(pipeline, sampleEvent({ type: "a.b", data }));
    expect(JSON.stringify(shown)).toContain('"user":"ann","password":"[hidden]"');
    expect(data.deep.a.b.c.d.e.f.g.login.password).toBe("hunter2");
  });

  test("has options", async () => {
    const options = { maxSize: "1Ki", maxDepth: 2, hideSecrets: false };
    const pipeline = await start("SecurityValidator", { options });
    const event = sampleEvent({ type: "a.b", data: { token: "t" } });
    expect(await handle(pipeline, event)).toBe(event);
    await expect(handle(pipeline, sampleEvent({ type: "a.b", data: nested(3) }))).rejects.toThrow(
      "2 levels deep",
    );
    await expect(handle(pipeline, sampleEvent({ type: "a.b", data: "x".repeat(1024) }))).rejects.toThrow(
      "1024 bytes",
    );
  });

  function nested(depth: number): unknown {
    return depth === 0 ? 1 : [nested(depth - 1)];
  }
});

test("MetadataEnricher adds host, version and time, and keeps those of the event", async () => {
  const pipeline = await start("MetadataEnricher", { host: "plane-1", version: "0.1.0" });
  expect(
    await handle(pipeline, sampleEvent({ type: "a.b", receivedtime: "2026-01-01T00:00:00Z" })),
  ).toMatchObject({
    host: "plane-1",
    planeversion: "0.1.0",
    receivedtime: "2026-01-01T00:00:00Z",
  });
  expect(await handle(pipeline, sampleEvent({ type: "a.b" }))).toMatchObject({
    receivedtime: "2026-03-01T12:00:00Z",
  });
});

describe("ContextBuilder", () => {
  const web: KubeObject = {
    apiVersion: "demo.dev/v1",
    kind: "Page",
    metadata: {
      name: "web",
      namespace: "shop",
      labels: { tier: "front", app: "web" },
      ownerReferences: [
        { apiVersion: "demo.dev/v1", kind: "Site", name: "hello", uid: "1", controller: true },
      ],
    },
    status: { phase: "Running" },
  };
  const named = {
    objectapiversion: "demo.dev/v1",
    objectkind: "Page",
    objectname: "web",
    objectnamespace: "shop",
  };
  const finding = (find: (which: unknown) => Promise<unknown>): PipelineParts["client"] =>
    ({ find: (_: unknown, which: unknown) => find(which) }) as unknown as PipelineParts["client"];

  test("adds labels, phase and owner of the object that the event names", async () => {
    const asked: unknown[] = [];
    const client = finding(async (which) => {
      asked.push(which);
      return web;
    });
    const pipeline = await start("ContextBuilder", { client });
    expect(await handle(pipeline, sampleEvent({ type: "a.b", ...named }))).toMatchObject({
      objectlabels: "app=web,tier=front",
      objectphase: "Running",
      objectowner: "Site/hello",
    });
    expect(asked).toEqual([{ name: "web", namespace: "shop" }]);
  });

  test("leaves other events as they are: those without an object, and those of an object or kind that does not exist", async () => {
    const notFound = finding(() =>
      Promise.reject(failures.notFound({ group: "demo.dev", resource: "pages" }, "web")),
    );
    for (const client of [notFound, finding(async () => undefined)]) {
      const pipeline = await start("ContextBuilder", { client });
      for (const event of [sampleEvent({ type: "a.b" }), sampleEvent({ type: "a.b", ...named })]) {
        expect(await handle(pipeline, event)).toBe(event);
      }
    }
  });

  test("fails when the API cannot be reached, so that the event is tried again", async () => {
    const client = finding(() => Promise.reject(new Error("no connection")));
    const pipeline = await start("ContextBuilder", { client });
    await expect(handle(pipeline, sampleEvent({ type: "a.b", ...named }))).rejects.toThrow("no connection");
  });
});

test("EventLogger writes a line per event", async () => {
  const { log, lines } = recordingLog();
  await handle(
    await start("EventLogger", { log }),
    sampleEvent({ type: "a.b", id: "1", subject: "x", data: { a: 1 } }),
  );
  const options = { level: "debug", data: true };
  await handle(
    await start("EventLogger", { log, options }),
    sampleEvent({ type: "a.b", id: "2", data: { a: 1 } }),
  );
  expect(lines).toMatchObject([
    { level: "info", text: "a.b", fields: { event: { id: "1", type: "a.b", metadata: { subject: "x" } } } },
    { level: "debug", text: "a.b", fields: { event: { id: "2", data: { a: 1 } } } },
  ]);
  expect(lines[0]?.fields).not.toHaveProperty("event.data");
});

test("MetricsCollector counts and times events by outcome, and bounds the number of series", async () => {
  const clock = new VirtualClock();
  const slow = { name: "slow", handle: () => new Promise<void>((resolve) => clock.after(70, resolve)) };
  const pipeline = await startPipeline(
    { stages: [{ name: "only", handlers: ["SchemaValidator", slow, "MetricsCollector"] }] },
    { clock, log: recordingLog().log },
  );
  const handled = handle(pipeline, sampleEvent({ type: "a.b" }));
  // The validator loads before the timer of the slow handler is set.
  while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(70);
  await handled;
  await expect(handle(pipeline, sampleEvent({ type: "system.error", data: 1 }))).rejects.toThrow("data");
  const samples = pipeline.families().flatMap((family) => Array.from(family.samples()));
  const bucket = (le: number): number | undefined =>
    samples.find(({ name, labels }) => name === "event_processing_time_bucket" && labels["le"] === le)?.value;
  expect([bucket(0.01), bucket(0.05), bucket(0.1)]).toEqual([1, 1, 2]);
  expect(samples.filter(({ labels }) => "outcome" in labels)).toMatchObject([
    { labels: { type: "a.b", outcome: "processed" }, value: 1 },
    { labels: { type: "system.error", outcome: "rejected" }, value: 1 },
  ]);

  const many = await start("MetricsCollector");
  for (let index = 0; index < 300; index++) await handle(many, sampleEvent({ type: `t.n${index}` }));
  const counts = many.families().find(({ name }) => name === "events_processed_total");
  expect([...(counts?.samples() ?? [])]).toHaveLength(201);
});

describe("AlertingHandler", () => {
  const health = (status: string): CloudEvent =>
    sampleEvent({ type: "backend.health.changed", data: { backend: "b1", status, reason: "no answer" } });

  async function alerting(parts: Partial<PipelineParts> & { readonly options?: unknown } = {}) {
    const clock = new VirtualClock("2026-03-01T12:00:00Z");
    const emitted: EventInput[] = [];
    const emit = async (event: EventInput): Promise<CloudEvent> => {
      emitted.push(event);
      return sampleEvent({ ...event });
    };
    const pipeline = await start("AlertingHandler", { clock, emit, ...parts });
    return {
      clock,
      emitted,
      pipeline,
      shown: () => emitted.map(({ type, data }) => `${type} ${(data as { title: string }).title}`),
      send: (event: CloudEvent) => pipeline.handle(event, recordingContext({ emit })),
    };
  }

  test("raises one alert per problem, and resolves it when the problem is over for a while", async () => {
    const { send, clock, shown, emitted } = await alerting();
    await send(health("unhealthy"));
    await send(health("unhealthy"));
    expect(shown()).toEqual(["alert.raised Backend b1 is unhealthy"]);
    await send(health("healthy"));
    await clock.advance(30_000);
    // It comes and goes: still the same alert.
    await send(health("unhealthy"));
    await clock.advance(600_000);
    expect(shown()).toHaveLength(1);
    await send(health("healthy"));
    await clock.advance(60_000);
    expect(shown()).toEqual([
      "alert.raised Backend b1 is unhealthy",
      "alert.resolved Backend b1 is unhealthy",
    ]);
    expect(emitted[1]?.data).toMatchObject({
      key: "backend.health/b1",
      count: 3,
      since: "2026-03-01T12:00:00Z",
    });
    await send(health("healthy"));
    await clock.advance(60_000);
    expect(shown()).toHaveLength(2);
  });

  test("raises again when a problem gets worse", async () => {
    const { send, shown } = await alerting();
    await send(health("degraded"));
    await send(health("unhealthy"));
    await send(health("degraded"));
    expect(shown()).toEqual(["alert.raised Backend b1 is degraded", "alert.raised Backend b1 is unhealthy"]);
  });

  test("resolves problems whose end causes no event after a quiet time", async () => {
    const { send, clock, shown } = await alerting({ options: { quietAfter: "5m" } });
    const failed = (): CloudEvent =>
      sampleEvent({ type: "system.error", data: { component: "store", message: "disk full" } });
    await send(failed());
    await clock.advance(240_000);
    await send(failed());
    await clock.advance(240_000);
    expect(shown()).toEqual(["alert.raised Error in store"]);
    await clock.advance(60_000);
    expect(shown()).toEqual(["alert.raised Error in store", "alert.resolved Error in store"]);
  });

  test("raises one alert for events that are handled at the same time, and again if it could not be emitted", async () => {
    const { send, shown, pipeline } = await alerting();
    const failing = recordingContext({ emit: () => Promise.reject(new Error("the store is full")) });
    await expect(pipeline.handle(health("unhealthy"), failing)).rejects.toThrow("the store is full");
    await Promise.all([send(health("unhealthy")), send(health("unhealthy"))]);
    expect(shown()).toHaveLength(1);
  });

  test("remembers active alerts after a restart, and resolves them", async () => {
    const clock = new VirtualClock("2026-03-01T12:00:00Z");
    const state = openState({ backend: memoryState({ clock }), clock });
    const first = await alerting({ state });
    await first.send(health("unhealthy"));
    await first.send(
      sampleEvent({
        type: "certificate.expiring",
        data: { certificate: "web", expires: "2026-03-05T00:00:00Z" },
      }),
    );
    await first.pipeline.stop();
    await first.clock.advance(604_800_000);
    expect(first.shown()).toHaveLength(2);

    const second = await alerting({ state });
    await second.send(health("unhealthy"));
    expect(second.shown()).toEqual([]);
    await second.send(health("healthy"));
    await second.clock.advance(60_000);
    expect(second.shown()).toEqual(["alert.resolved Backend b1 is unhealthy"]);
    await second.clock.advance(172_800_000);
    expect(second.shown()[1]).toBe("alert.resolved Certificate web expires");
    expect(await state.keys("alerts/*")).toEqual([]);
  });

  test("does not alert about alerts, or about events of other types", async () => {
    const { send, shown } = await alerting();
    await send(sampleEvent({ type: "alert.raised", data: {} }));
    await send(sampleEvent({ type: "config.updated", data: { configuration: {} } }));
    await send(sampleEvent({ type: "system.error", data: "malformed" }));
    expect(shown()).toEqual([]);
  });
});
