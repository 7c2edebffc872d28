import { describe, expect, test } from "vitest";
import { silent } from "../../runtime/log/log.js";
import { VirtualClock } from "../../model/core.js";
import { EventRejected } from "../event-rejected.js";
import { recordingContext, sampleEvent } from "../fixtures/deliver.js";
import type { BatchItem, PipelineHandler, PipelineParts } from "./pipeline-handler.js";
import type { Pipeline } from "./pipeline.js";
import type { EventPipelineOptions } from "./pipeline-options.js";
import { startPipeline } from "./start-pipeline.js";

const start = (options: EventPipelineOptions, parts: Partial<PipelineParts> = {}): Promise<Pipeline> =>
  startPipeline(options, { clock: new VirtualClock(), log: silent, ...parts });

/** A handler that records the events it gets. */
function recorder(name: string, seen: string[], change: Partial<PipelineHandler> = {}): PipelineHandler {
  return { name, handle: (event) => void seen.push(`${name} ${event.id}`), ...change };
}

/** Waits until the promises that are ready have run. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("an event in a pipeline", () => {
  test("passes the handlers of all stages in order, and may be changed on its way", async () => {
    const seen: string[] = [];
    const stages = [
      { name: "first", handlers: [recorder("a", seen), recorder("b", seen)] },
      { name: "second", handlers: ["c", { name: "d" }] },
    ];
    const enrich = recorder("c", seen, { handle: (event) => ({ ...event, region: "north", data: 2 }) });
    const last = recorder("d", seen, {
      handle: ({ region, data }) => void seen.push(`d ${String(region)} ${String(data)}`),
    });
    const pipeline = await start({ stages }, { handlers: [enrich, last] });
    const result = await pipeline.handle(sampleEvent({ type: "a.b", id: "1", data: 1 }), recordingContext());
    expect(seen).toEqual(["a 1", "b 1", "d north 2"]);
    expect(result).toMatchObject({ id: "1", region: "north", data: 2 });
  });

  test("skips handlers that cannot handle it, and ignores other results", async () => {
    const seen: string[] = [];
    const other = recorder("other", seen, { canHandle: ({ type }) => type === "other" });
    const counting = recorder("counting", seen, { handle: () => seen.push("counted") });
    const pipeline = await start({ stages: [{ name: "only", handlers: [other, counting] }] });
    const event = sampleEvent({ type: "a.b" });
    expect(await pipeline.handle(event, recordingContext())).toBe(event);
    expect(seen).toEqual(["counted"]);
  });

  test("that is rejected is not seen by later handlers, and the reason names handler and stage", async () => {
    const seen: string[] = [];
    const outcomes: string[] = [];
    const rejecting = recorder("Picky", seen, {
      handle() {
        throw new EventRejected("there is no port 70000");
      },
    });
    const after = recorder("after", seen, { settled: ({ outcome }) => void outcomes.push(outcome) });
    const pipeline = await start({ stages: [{ name: "validation", handlers: [rejecting, after] }] });
    const rejected = pipeline.handle(sampleEvent({ type: "a.b" }), recordingContext());
    await expect(rejected).rejects.toThrow("Picky (stage validation): there is no port 70000");
    await expect(rejected).rejects.toBeInstanceOf(EventRejected);
    expect(seen).toEqual([]);
    expect(outcomes).toEqual(["rejected"]);
  });

  test("whose handler throws is no rejection: the subscription tries it again", async () => {
    const failing = recorder("failing", [], {
      handle() {
        throw new TypeError("no connection");
      },
    });
    const pipeline = await start({ stages: [{ name: "processing", handlers: [failing] }] });
    const failed = pipeline.handle(sampleEvent({ type: "a.b" }), recordingContext());
    await expect(failed).rejects.toThrow("failing (stage processing): no connection");
    await expect(failed).rejects.not.toBeInstanceOf(EventRejected);
  });

  test("keeps its identity", async () => {
    const renaming = recorder("renaming", [], { handle: (event) => ({ ...event, type: "c.d" }) });
    const pipeline = await start({ stages: [{ name: "only", handlers: [renaming] }] });
    await expect(pipeline.handle(sampleEvent({ type: "a.b" }), recordingContext())).rejects.toThrow(
      'renaming (stage only): it changed the type of the event from "a.b" to "c.d"',
    );
  });

  test("ends with its signal even if a handler never returns", async () => {
    const hanging = recorder("hanging", [], { handle: () => new Promise(() => {}) });
    const pipeline = await start({ stages: [{ name: "only", handlers: [hanging] }] });
    const abort = new AbortController();
    const handled = pipeline.handle(sampleEvent({ type: "a.b" }), recordingContext({ signal: abort.signal }));
    abort.abort(new Error("time is up"));
    await expect(handled).rejects.toThrow("hanging (stage only): time is up");
  });
});

describe("events of the same type", () => {
  /** A handler whose batches end when the test says so. */
  function batching(change: Partial<PipelineHandler> = {}): {
    readonly handler: PipelineHandler;
    readonly batches: string[][];
    readonly finish: () => void;
  } {
    const batches: string[][] = [];
    let release: (() => void)[] = [];
    const wait = (): Promise<void> => new Promise((resolve) => release.push(resolve));
    return {
      batches,
      finish() {
        const all = release;
        release = [];
        for (const one of all) one();
      },
      handler: {
        name: "batching",
        handle({ id }) {
          batches.push([id]);
          return wait();
        },
        handleBatch(items) {
          batches.push(items.map(({ event }) => event.id));
          return wait();
        },
        ...change,
      },
    };
  }

  test("that wait are a batch; others do not wait for them", async () => {
    const { handler, batches, finish } = batching();
    const pipeline = await start({ stages: [{ name: "only", handlers: [handler] }] });
    const handle = (type: string, id: string): Promise<unknown> =>
      pipeline.handle(sampleEvent({ type, id, subject: id }), recordingContext());
    const all = [handle("a.b", "1"), handle("a.b", "2"), handle("c.d", "3")];
    await turn();
    expect(batches).toEqual([["1", "2"], ["3"]]);
    all.push(handle("a.b", "4"), handle("a.b", "5"), handle("a.b", "6"));
    await turn();
    expect(batches).toHaveLength(2);
    finish();
    await turn();
    expect(batches[2]).toEqual(["4", "5", "6"]);
    finish();
    await Promise.all(all);
    const sizes = pipeline.families().find(({ name }) => name === "event_batch_size");
    expect([...(sizes?.samples() ?? [])].find(({ name }) => name === "event_batch_size_count")?.value).toBe(
      3,
    );
  });

  test("come in batches of limited size", async () => {
    const { handler, batches, finish } = batching();
    const pipeline = await start({ stages: [{ name: "only", handlers: [handler] }], batchSize: 2 });
    const all = ["1", "2", "3"].map((id) =>
      pipeline.handle(sampleEvent({ type: "a.b", id }), recordingContext()),
    );
    await turn();
    finish();
    await turn();
    finish();
    await Promise.all(all);
    expect(batches).toEqual([["1", "2"], ["3"]]);
  });

  test("fail one by one: an error in the results fails one event, and a failed batch is handled event by event", async () => {
    const handleBatch = (items: readonly BatchItem[]): unknown =>
      items.map(({ event }) =>
        event.id === "2" ? new EventRejected("not this one") : { ...event, seen: true },
      );
    const { handler: some } = batching({ handleBatch });
    const pipeline = await start({ stages: [{ name: "only", handlers: [some] }] });
    const ids = ["1", "2", "3"];
    const results = await Promise.allSettled(
      ids.map((id) => pipeline.handle(sampleEvent({ type: "a.b", id }), recordingContext())),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[0]).toMatchObject({ value: { seen: true } });

    const handled: string[] = [];
    const { handler: none } = batching({
      handleBatch() {
        throw new Error("the whole batch failed");
      },
      handle({ id }) {
        if (id === "2") throw new Error("this one failed");
        handled.push(id);
      },
    });
    const second = await start({ stages: [{ name: "only", handlers: [none] }] });
    const again = await Promise.allSettled(
      ids.map((id) => second.handle(sampleEvent({ type: "a.b", id }), recordingContext())),
    );
    expect(again.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(handled).toEqual(["1", "3"]);
  });

  test("are not blocked for ever by a batch that never ends", async () => {
    const { handler, batches } = batching();
    const pipeline = await start({ stages: [{ name: "only", handlers: [handler] }] });
    const abort = new AbortController();
    const stuck = ["1", "2"].map((id) =>
      pipeline.handle(sampleEvent({ type: "a.b", id }), recordingContext({ signal: abort.signal })),
    );
    await turn();
    const waiting = new AbortController();
    const left = pipeline.handle(
      sampleEvent({ type: "a.b", id: "3" }),
      recordingContext({ signal: waiting.signal }),
    );
    void pipeline.handle(sampleEvent({ type: "a.b", id: "4" }), recordingContext());
    waiting.abort(new Error("too long"));
    await expect(left).rejects.toThrow("too long");
    abort.abort(new Error("time is up"));
    await Promise.allSettled(stuck);
    await turn();
    expect(batches).toEqual([["1", "2"], ["4"]]);
  });
});

describe("a pipeline is not started", () => {
  test("with unknown handlers, which are named together with those that exist", async () => {
    const stages = [
      { name: "validation", handlers: ["SchemaValidater"] },
      { name: "processing", handlers: ["ConfigUpdateHandler", "Mine"] },
    ];
    await expect(start({ stages }, { handlers: [recorder("Mine", [])] })).rejects.toThrow(
      'the pipeline has unknown handlers: "SchemaValidater" (stage validation), "ConfigUpdateHandler" (stage processing); the handlers are SchemaValidator, SecurityValidator, MetadataEnricher, ContextBuilder, AlertingHandler, EventLogger, MetricsCollector, Mine; ConfigUpdateHandler and HealthCheckHandler come with the proxy operator',
    );
  });

  test.each<[string, EventPipelineOptions, string]>([
    ["no stages", { stages: [] }, "the pipeline has no stages"],
    [
      "a stage without handlers",
      { stages: [{ name: "a", handlers: [] }] },
      'stage "a" of the pipeline has no handlers',
    ],
    [
      "a stage without a name",
      { stages: [{ name: "", handlers: ["EventLogger"] }] },
      "stage 1 of the pipeline has no name",
    ],
    [
      "two stages of the same name",
      { stages: ["a", "a"].map((name) => ({ name, handlers: ["EventLogger"] })) },
      'two stages named "a"',
    ],
    [
      "unknown options of a handler",
      { stages: [{ name: "a", handlers: [{ name: "SecurityValidator", options: { maxsize: 5 } }] }] },
      'the options of handler SecurityValidator are invalid: Unrecognized key: "maxsize"',
    ],
    [
      "invalid options of a handler",
      {
        stages: [{ name: "a", handlers: [{ name: "SecurityValidator", options: { maxSize: "5 apples" } }] }],
      },
      "the options of handler SecurityValidator are invalid: maxSize: use a number of bytes",
    ],
    [
      "an invalid pattern",
      { on: "a..b", stages: [{ name: "a", handlers: ["EventLogger"] }] },
      "is not a pattern for event types",
    ],
  ])("with %s", async (_, options, message) => {
    await expect(start(options)).rejects.toThrow(message);
  });

  test("with two handlers of the same name, or that of a built-in one", async () => {
    const stages = [{ name: "a", handlers: ["EventLogger"] }];
    await expect(start({ stages }, { handlers: [recorder("EventLogger", [])] })).rejects.toThrow(
      "EventLogger is a built-in handler: give yours another name",
    );
    await expect(start({ stages }, { handlers: [recorder("x", []), recorder("x", [])] })).rejects.toThrow(
      "there are two handlers named x",
    );
  });
});

test("the subscription of a pipeline has its patterns and options", async () => {
  const stages = [{ name: "a", handlers: ["EventLogger"] }];
  expect((await start({ stages })).subscription).toMatchObject({
    name: "pipeline",
    on: ["**"],
    durable: false,
    concurrency: 100,
  });
  const { subscription } = await start({
    stages,
    on: ["config.*"],
    durable: true,
    concurrency: 4,
    timeout: "5s",
  });
  expect(subscription).toMatchObject({ on: ["config.*"], durable: true, concurrency: 4, timeout: "5s" });
});
