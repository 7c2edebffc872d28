import * as otel from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { runOf } from "../runs/fixtures/sample-run.js";
import { AsyncContexts, SeeingProvider } from "./fixtures/tracer-provider.js";
import { observers, type Observer } from "./observer.js";
import { isTraced, traces } from "./traces.js";

const facts = { controller: "sites.demo.dev", kind: "Site", key: "default/hello", runId: "4f1c2a9e" };
const write = { verb: "apply", kind: "Page", namespace: "default", name: "hello-1" } as const;

afterEach(() => {
  otel.trace.disable();
  otel.context.disable();
});

/** A run with a step that writes, as the loop tells it. */
async function work(observer: Observer): Promise<string | undefined> {
  let told: string | undefined;
  await observer.around?.(facts, async (traceId) => {
    told = traceId;
    await observer.aroundStep?.(facts, "publish", async () => {
      await observer.aroundWrite?.(facts, write, () => Promise.resolve(1));
    });
    await observer.aroundStep?.(facts, "warm", () => Promise.reject(new Error("cold"))).catch(() => {});
  });
  const triggers = [{ type: "child", text: "updated", by: "Page default/hello-1", at: 0 }] as const;
  observer.ended?.(
    runOf({ triggers, outcome: { type: "error", reason: "StepFailed", message: "cold" } }),
    facts,
  );
  return told;
}

test("a run is a span, with its steps and writes below it", async () => {
  const provider = new SeeingProvider();
  otel.trace.setGlobalTracerProvider(provider);
  otel.context.setGlobalContextManager(new AsyncContexts());
  const traceId = await work(await traces());
  expect(provider.spans.map(({ name, parent, status, ended }) => ({ name, parent, status, ended }))).toEqual([
    { name: "reconcile sites.demo.dev", parent: undefined, status: "StepFailed: cold", ended: 1 },
    { name: "step publish", parent: "reconcile sites.demo.dev", status: undefined, ended: 1 },
    { name: "apply Page", parent: "step publish", status: undefined, ended: 1 },
    { name: "step warm", parent: "reconcile sites.demo.dev", status: "cold", ended: 1 },
  ]);
  expect(new Set(provider.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(provider.spans[0]?.attributes).toEqual({
    "fettle.controller": "sites.demo.dev",
    "fettle.kind": "Site",
    "fettle.namespace": "default",
    "fettle.name": "hello",
    "fettle.run": "4f1c2a9e",
    "fettle.outcome": "error",
    "fettle.reason": "StepFailed",
    "fettle.triggers": ["Page default/hello-1 was updated"],
    "fettle.triggers_dropped": 0,
    "fettle.wait_ms": 0,
    "fettle.failures": 0,
    "fettle.generation": 1,
  });
});

test("steps are children of their run also without a context manager", async () => {
  const provider = new SeeingProvider();
  const trace = Object.create(otel.trace, {
    getTracer: { value: () => provider.getTracer() },
  }) as typeof otel.trace;
  await work(await traces({ api: { ...otel, trace } }));
  expect(provider.spans.map(({ name, parent }) => [name, parent])).toEqual([
    ["reconcile sites.demo.dev", undefined],
    ["step publish", "reconcile sites.demo.dev"],
    ["apply Page", "reconcile sites.demo.dev"],
    ["step warm", "reconcile sites.demo.dev"],
  ]);
});

test("without an SDK nothing is recorded, and runs have no trace", async () => {
  expect(isTraced()).toBe(false);
  expect(await work(await traces())).toBeUndefined();
  otel.trace.setGlobalTracerProvider(new SeeingProvider());
  expect(isTraced()).toBe(true);
});

test("observers wrap each other, and one that throws does not affect the others", async () => {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const wrap = (name: string): Observer => ({
    async around(_, inner) {
      seen.push(`${name} before`);
      const result = await inner(name === "b" ? undefined : name);
      seen.push(`${name} after`);
      return result;
    },
    ended: () => void seen.push(`${name} ended`),
  });
  const broken: Observer = {
    ended() {
      throw new Error("broken");
    },
  };
  const all = observers([wrap("b"), broken, wrap("a")], (...told) => errors.push(told));
  const result = await all.around?.(facts, async (traceId) => `work with ${traceId}`);
  all.ended?.(runOf(), facts);
  expect(result).toBe("work with a");
  expect(seen).toEqual(["b before", "a before", "a after", "b after", "b ended", "a ended"]);
  expect(errors).toEqual([[new Error("broken"), facts]]);
  expect("aroundStep" in all).toBe(false);
});
