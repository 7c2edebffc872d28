import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import eventEmitter2 from "eventemitter2";
import { controlPlane, resource, type ControlPlane } from "fettle";
import { createEvent, eventBus, EventTypes, startPipeline, type CloudEvent } from "fettle/events";
import { WebSocket } from "ws";
import { z } from "zod";
import { median, printRecorded, record, round } from "./report.js";

/**
 * Benchmarks of events: throughput of the bus beside EventEmitter2 and of the pipeline, the time from a change of an object to its handler
 * beside a plain watch, and many clients of the WebSocket, which are in the same process.
 *
 *   npm run bench:events [-- --events 200000] [--changes 500] [--clients 1000] [--rounds 5] [--dir .]
 *                        [--only bus,pipeline,latency,websocket]
 */
const parts = ["bus", "pipeline", "latency", "websocket"];
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "200000" },
    changes: { type: "string", default: "500" },
    clients: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    dir: { type: "string", default: "." },
    only: { type: "string", default: parts.join(",") },
    json: { type: "boolean", default: false },
  },
});
const count = Number(values.events);
const changes = Number(values.changes);
const rounds = Number(values.rounds);
const only = values.only.split(",");
const base = mkdtempSync(join(values.dir, "fettle-bench-"));
process.on("exit", () => rmSync(base, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
console.log(
  `node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}, median of ${rounds} rounds`,
);

if (only.includes("bus")) await benchBus();
if (only.includes("pipeline")) await benchPipeline();
if (only.includes("latency")) await benchLatency();
if (only.includes("websocket")) await benchWebSockets();
printRecorded();

/** 20 handlers with wildcard patterns, of which two match each event; 1,000 objects. */
async function benchBus(): Promise<void> {
  const events: CloudEvent[] = Array.from({ length: 10_000 }, (_, index) =>
    createEvent({
      type: `io.example.kind${index % 10}.${index % 2 === 0 ? "created" : "updated"}`,
      subject: `object-${index % 1000}`,
      data: { index },
    }),
  );
  const contenders = [
    { name: "bus, synchronous handlers", run: () => throughBus(events, () => {}) },
    { name: "bus, asynchronous handlers", run: () => throughBus(events, async () => {}) },
    { name: "EventEmitter2, synchronous handlers", run: () => throughEmitter(events) },
  ];
  const results = new Map<string, number[]>();
  for (let turn = 0; turn < rounds; turn++) {
    for (const { name, run } of contenders) results.set(name, [...(results.get(name) ?? []), await run()]);
  }
  console.log("\nevents per second, each to two handlers");
  const emitter = median(results.get("EventEmitter2, synchronous handlers") ?? []);
  for (const [name, all] of results) {
    const value = median(all);
    console.log(
      `  ${name.padEnd(40)} ${round(value).padStart(10)}/s  ${(value / emitter).toFixed(2)} of EventEmitter2`,
    );
    record(name, value, "events/s");
  }
}

async function throughBus(events: readonly CloudEvent[], handle: () => unknown): Promise<number> {
  const bus = eventBus();
  for (let index = 0; index < 10; index++) {
    bus.subscribe(`io.example.kind${index}.**`, handle);
    bus.subscribe(`io.*.kind${index}.*`, handle);
  }
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const room = bus.publish(events[index % events.length] as CloudEvent);
    if (room !== undefined) await room;
  }
  await bus.idle();
  const seconds = (performance.now() - start) / 1000;
  await bus.stop();
  return count / seconds;
}

async function throughEmitter(events: readonly CloudEvent[]): Promise<number> {
  const emitter = new eventEmitter2.EventEmitter2({ wildcard: true, delimiter: "." });
  for (let index = 0; index < 10; index++) {
    emitter.on(`io.example.kind${index}.**`, () => {});
    emitter.on(`io.*.kind${index}.*`, () => {});
  }
  const start = performance.now();
  for (let index = 0; index < count; index++) {
    const event = events[index % events.length] as CloudEvent;
    emitter.emit(event.type, event);
  }
  return count / ((performance.now() - start) / 1000);
}

/** Changes one after the other, each timed from the response to its write until the handler or the watch has it. */
async function benchLatency(): Promise<void> {
  const Counter = resource("bench.dev/v1", "Counter", { spec: z.object({ count: z.int() }) });
  const data = join(base, "plane");
  const plane: ControlPlane = await controlPlane({ data, listen: false, kinds: [Counter] });
  const { client, events } = plane;
  const arrived = {
    handler: new Map<number, number>(),
    durable: new Map<number, number>(),
    watch: new Map<number, number>(),
  };
  const countIn = (event: CloudEvent): number =>
    (event.data as { object: { spec: { count: number } } }).object.spec.count;
  const live = events.subscribe({
    name: "live",
    on: "dev.bench.counter.*",
    handle: (event) => void arrived.handler.set(countIn(event), performance.now()),
  });
  const durable = events.subscribe({
    name: "durable",
    on: "dev.bench.counter.*",
    durable: true,
    handle: (event) => void arrived.durable.set(countIn(event), performance.now()),
  });
  await Promise.all([live.ready(), durable.ready()]);
  let counter = await client.create(Counter, { metadata: { name: "one" }, spec: { count: 0 } });
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { object } of client.watch(Counter, { signal: stop.signal }))
      arrived.watch.set(object.spec.count, performance.now());
  })().catch(() => {});
  const sent = new Map<number, number>();
  for (let index = 1; index <= changes; index++) {
    sent.set(index, performance.now());
    counter = await client.update(Counter, { ...counter, spec: { count: index } });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  while (!arrived.handler.has(changes) || !arrived.durable.has(changes) || !arrived.watch.has(changes)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  stop.abort();
  await watching;
  await plane.stop();
  console.log(
    `\nmilliseconds from the call that changes an object to its reader (${changes} changes, durable store)`,
  );
  const watchMedian = percentileOf(sent, arrived.watch, 0.5);
  for (const [name, times] of Object.entries(arrived)) {
    const p50 = percentileOf(sent, times, 0.5);
    const p99 = percentileOf(sent, times, 0.99);
    const text = `p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}  ${(p50 / watchMedian).toFixed(2)} of a watch`;
    console.log(`  ${(name === "durable" ? "durable subscription" : name).padEnd(24)} ${text}`);
    record(`change to ${name}, p50`, p50, "ms");
  }
}

function percentileOf(
  sent: ReadonlyMap<number, number>,
  arrived: ReadonlyMap<number, number>,
  share: number,
): number {
  const all = [...sent].map(([index, at]) => (arrived.get(index) ?? NaN) - at).toSorted((a, b) => a - b);
  return all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? NaN;
}

/** The stages of a pipeline without I/O: validation, enrichment and metrics. */
async function benchPipeline(): Promise<void> {
  const clock = { now: () => Date.now(), after: () => ({ cancel() {} }) };
  const silent = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    child: () => silent,
    isLevelEnabled: () => false,
  };
  const results: number[] = [];
  const total = Math.min(count, 100_000);
  for (let turn = 0; turn < rounds; turn++) {
    const bus = eventBus();
    const pipeline = await startPipeline(
      {
        stages: [
          { name: "validation", handlers: ["SchemaValidator", "SecurityValidator"] },
          { name: "enrichment", handlers: ["MetadataEnricher"] },
          { name: "persistence", handlers: ["MetricsCollector"] },
        ],
      },
      { clock, log: silent, emit: async (input) => createEvent(input), types: new EventTypes() },
    );
    bus.subscribe(pipeline.subscription);
    const start = performance.now();
    for (let index = 0; index < total; index++) {
      const event = createEvent({
        type: "system.error",
        subject: `s${index % 1000}`,
        data: { component: "bench", message: "none" },
      });
      const room = bus.publish(event);
      if (room !== undefined) await room;
    }
    await bus.idle();
    results.push(total / ((performance.now() - start) / 1000));
    await bus.stop();
    await pipeline.stop();
  }
  const value = median(results);
  console.log(
    "\nevents per second through a pipeline of four handlers, each event created and validated by its schema",
  );
  console.log(`  ${"pipeline".padEnd(40)} ${round(value).padStart(10)}/s`);
  record("pipeline", value, "events/s");
}

/** Changes of one object that all clients get: time until the last client has each, and memory per client. */
async function benchWebSockets(): Promise<void> {
  const Counter = resource("bench.dev/v1", "Counter", { spec: z.object({ count: z.int() }) });
  const total = Number(values.clients);
  const plane = await controlPlane({ store: "memory", listen: { port: 0, tls: false }, kinds: [Counter] });
  const [, token = ""] = /token: "?([^\s"]+)/.exec(readFileSync(plane.kubeconfig ?? "", "utf8")) ?? [];
  const headers = { authorization: `Bearer ${token}` };
  const url = `${plane.url?.replace("http", "ws") ?? ""}/ws`;
  const memory = (): number => {
    global.gc?.();
    return process.memoryUsage().rss;
  };
  const before = memory();
  const received = new Map<number, { count: number; last: number }>();
  const sockets = await Promise.all(
    Array.from({ length: total }, () => {
      const socket = new WebSocket(url, { headers });
      return new Promise<WebSocket>((resolve, reject) => {
        socket.once("error", reject);
        socket.once("open", () =>
          socket.send(JSON.stringify({ action: "subscribe", topics: ["dev.bench.counter.*"] })),
        );
        socket.on("message", (text: Buffer) => {
          const { type, payload } = JSON.parse(text.toString()) as {
            type: string;
            payload: { data?: { object: { spec: { count: number } } } };
          };
          if (type === "subscribed") resolve(socket);
          const index = payload.data?.object.spec.count;
          if (index === undefined) return;
          const entry = received.get(index) ?? { count: 0, last: 0 };
          received.set(index, { count: entry.count + 1, last: performance.now() });
        });
      });
    }),
  );
  const perClient = (memory() - before) / total;
  let counter = await plane.client.create(Counter, { metadata: { name: "one" }, spec: { count: 0 } });
  const times: number[] = [];
  for (let index = 1; index <= Math.min(changes, 100); index++) {
    const start = performance.now();
    counter = await plane.client.update(Counter, { ...counter, spec: { count: index } });
    while (received.get(index)?.count !== total) await new Promise(setImmediate);
    times.push((received.get(index)?.last ?? NaN) - start);
  }
  console.log(
    `\n${total} WebSocket clients in the same process, ${times.length} changes one after the other`,
  );
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `  change until the last client has it   p50 ${median(times).toFixed(1)} ms  p99 ${(sorted.at(-1) ?? NaN).toFixed(1)} ms`,
  );
  console.log(`  messages per second                   ${round(total / (median(times) / 1000))}`);
  console.log(`  memory of a client and its connection ${(perClient / 1024).toFixed(0)} KB`);
  record("change to the last of the WebSocket clients, p50", median(times), "ms");
  for (const socket of sockets) socket.terminate();
  await plane.stop();
}
