import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { definePlugin, eventType, type EventPipelineOptions } from "../../events/index.js";
import { httpReceiver } from "../../events/fixtures/http-receiver.js";
import { resource } from "../../model/index.js";
import { controlPlane, type ControlPlaneOptions } from "../control-plane.js";
import { defineOperator } from "../operators/define-operator.js";

const Device = resource("racks.dev/v1", "Device", { spec: z.object({ desired: z.string() }) });

const memory = { store: "memory", listen: false, kinds: [Device] } as const;
const start = (options: ControlPlaneOptions) => controlPlane({ ...memory, ...options });
const device = (name: string) => ({ metadata: { name, labels: { rack: "r1" } }, spec: { desired: "on" } });

const stages = (...handlers: EventPipelineOptions["stages"][number]["handlers"]): EventPipelineOptions => ({
  stages: [{ name: "only", handlers }],
});

test("changes of objects pass the pipeline, with the context of the object", async () => {
  const seen: unknown[] = [];
  const recorder = { name: "Recorder", handle: (event: unknown) => void seen.push(event) };
  const operator = defineOperator({ name: "racks", setup: () => ({ handlers: [recorder] }) });
  await using plane = await start({
    operators: [operator],
    pipeline: {
      on: "dev.racks.device.*",
      ...stages(
        "SchemaValidator",
        "SecurityValidator",
        "MetadataEnricher",
        "ContextBuilder",
        "Recorder",
        "MetricsCollector",
      ),
    },
  });
  await plane.client.create(Device, device("one"));
  await vi.waitFor(() => expect(seen).toHaveLength(1));
  expect(seen[0]).toMatchObject({
    objectname: "one",
    objectlabels: "rack=r1",
    host: expect.any(String) as string,
  });
  await vi.waitFor(async () =>
    expect(await plane.controllers.metrics?.text()).toContain(
      'events_processed_total{type="dev.racks.device.created",outcome="processed"} 1',
    ),
  );
});

test("a rejected event is a dead letter with the reason, at once", async () => {
  const Started = eventType("io.example.device.started", z.object({ serial: z.string() }));
  await using plane = await start({ eventTypes: [Started], pipeline: stages("SchemaValidator") });
  await plane.events.emit({ type: "io.example.device.started", data: { serial: 17 } });
  await vi.waitFor(async () =>
    expect(await plane.events.dead()).toMatchObject([
      {
        subscription: "pipeline",
        attempts: 1,
        reason: "SchemaValidator (stage only): data.serial: Invalid input: expected string, received number",
      },
    ]),
  );
});

test("an error becomes an alert, which a sink sends", async () => {
  await using server = await httpReceiver();
  const sinks = [{ type: "slack", name: "team", on: "alert.*", url: server.url }] as const;
  await using plane = await start({ sinks, pipeline: stages("AlertingHandler") });
  const data = { component: "store", message: "disk full" };
  await plane.events.emit({ type: "system.error", data });
  await plane.events.emit({ type: "system.error", data });
  const [request] = await server.received(1);
  expect(JSON.parse(request?.body ?? "")).toEqual({ text: ":red_circle: *Error in store*\ndisk full" });
});

test("a plugin gets events and emits others, and shows its health", async () => {
  let isBroken = false;
  const plugin = definePlugin({
    name: "greeter",
    version: "1.0.0",
    on: "dev.racks.device.created",
    retries: 0,
    onEvent({ objectname }) {
      if (isBroken) throw new Error("no voice");
      return { type: "io.example.greeted", data: { name: objectname } };
    },
  });
  await using plane = await start({ plugins: [plugin] });
  const greeted: unknown[] = [];
  plane.events.subscribe("io.example.greeted", ({ data, hops }) => void greeted.push({ data, hops }));
  await plane.client.create(Device, device("one"));
  await vi.waitFor(() => expect(greeted).toEqual([{ data: { name: "one" }, hops: 1 }]));
  isBroken = true;
  await plane.client.create(Device, device("two"));
  await vi.waitFor(async () => {
    const { status, checks } = await plane.controllers.health.report();
    expect(status).toBe("degraded");
    expect(checks.find(({ name }) => name === "plugin-greeter")?.message).toBe(
      "the last call of onEvent failed: no voice",
    );
  });
});

test("a plane does not start with an unknown handler, an invalid sink, or a plugin that fails", async () => {
  await expect(start({ pipeline: stages("Nope") })).rejects.toThrow('unknown handlers: "Nope" (stage only)');
  await expect(start({ sinks: [{ type: "http", name: "x", url: "nowhere" }] })).rejects.toThrow(
    'sink "x" is invalid: url',
  );
  const failing = definePlugin({
    name: "failing",
    version: "1",
    setup: () => Promise.reject(new Error("no licence")),
  });
  await expect(start({ plugins: [failing] })).rejects.toThrow(
    "plugin failing could not be set up: no licence",
  );
  const installed = [{ name: "p", config: { url: "${FETTLE_TEST_MISSING}" } }];
  await expect(start({ plugins: { installed } })).rejects.toThrow(
    "plugin p was not found as the npm package p",
  );
});

test("a durable sink sends after a restart what its receiver missed, in order", async () => {
  const data = await mkdtemp(join(tmpdir(), "fettle-sinks-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  await using server = await httpReceiver();
  server.respond = () => 503;
  const path = join(data, "events.jsonl");
  const options: ControlPlaneOptions = {
    data,
    store: undefined,
    sinks: [
      { type: "http", name: "audit", on: "io.example.tick", url: server.url },
      { type: "file", name: "copy", on: "io.example.tick", path },
    ],
  };
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  {
    await using plane = await start(options);
    for (const number of numbers)
      await plane.events.emit({ type: "io.example.tick", subject: "clock", data: { number } });
    await server.received(1);
    // The other sink does not wait for the one that fails.
    await vi.waitFor(async () =>
      expect((await readFile(path, "utf8")).trimEnd().split("\n")).toHaveLength(20),
    );
  }
  server.respond = () => 200;
  const failed = server.requests.length;
  await using _plane = await start(options);
  await server.received(failed + 20);
  const sent = server.requests
    .slice(failed)
    .map(({ body }) => (JSON.parse(body) as { data: { number: number } }).data.number);
  expect(sent).toEqual(numbers);
});
