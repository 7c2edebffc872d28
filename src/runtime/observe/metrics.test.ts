import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { systemClock } from "../../model/core.js";
import { breakers } from "../breaker/breakers.js";
import { kindOf, runOf, writeOf } from "../runs/fixtures/sample-run.js";
import type { RunOutcome, StepRecord } from "../runs/run.js";
import { controllerMetrics, type Metrics } from "./metrics.js";
import type { Watched } from "./metrics/computed-families.js";

const step = (outcome: StepRecord["outcome"]): StepRecord => ({
  name: "publish",
  startedAt: 0,
  duration: 0,
  attempts: 1,
  outcome,
});

/** The lines of a metric that are not 0. */
async function lines(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.text();
  return text.split("\n").filter((line) => line.startsWith(name) && !line.endsWith(" 0"));
}

test("runs are counted by result, as in controller-runtime", async () => {
  const metrics = controllerMetrics();
  const outcomes: RunOutcome[] = [
    { type: "done" },
    { type: "gone" },
    { type: "wait", reason: "NoPages", message: "" },
    { type: "wait", reason: "NoPages", message: "", after: 5 },
    { type: "requeue", after: 5, reason: "" },
    { type: "error", reason: "Requeue", message: "asked to be tried again" },
    { type: "error", reason: "Timeout", message: "the server took too long" },
    { type: "fail", reason: "NoTitle", message: "" },
    { type: "cancelled", message: "" },
  ];
  for (const outcome of outcomes) metrics.observer.ended?.(runOf({ outcome, duration: 250 }), runFacts);
  metrics.observer.ended?.(
    runOf({ outcome: { type: "error", reason: "Timeout", message: "" }, timedOut: true, duration: 60_001 }),
    runFacts,
  );
  expect(await lines(metrics, "controller_runtime_reconcile_total")).toEqual([
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="success"} 3',
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="error"} 3',
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="requeue"} 1',
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="requeue_after"} 2',
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="cancelled"} 1',
  ]);
  const text = await metrics.text();
  for (const line of [
    'controller_runtime_reconcile_errors_total{controller="sites.demo.dev"} 3',
    'controller_runtime_terminal_reconcile_errors_total{controller="sites.demo.dev"} 1',
    'controller_runtime_reconcile_timeouts_total{controller="sites.demo.dev"} 1',
    'controller_runtime_reconcile_time_seconds_bucket{controller="sites.demo.dev",le="0.2"} 0',
    'controller_runtime_reconcile_time_seconds_bucket{controller="sites.demo.dev",le="0.25"} 9',
    'controller_runtime_reconcile_time_seconds_bucket{controller="sites.demo.dev",le="60"} 9',
    'controller_runtime_reconcile_time_seconds_bucket{controller="sites.demo.dev",le="+Inf"} 10',
    'controller_runtime_reconcile_time_seconds_count{controller="sites.demo.dev"} 10',
    'fettle_reconciliations_total{controller="sites.demo.dev"} 10',
    'fettle_reconciliations_successful_total{controller="sites.demo.dev"} 5',
    'fettle_reconciliations_failed_total{controller="sites.demo.dev"} 3',
    'fettle_reconciliations_requeued_total{controller="sites.demo.dev"} 3',
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("steps and writes are counted", async () => {
  const metrics = controllerMetrics();
  const page = { kind: kindOf("Page"), name: "hello-1" };
  metrics.observer.ended?.(
    runOf({
      steps: [{ ...step("done"), undo: { ok: true } }, step("failed"), step("skipped"), step("done")],
      writes: [writeOf(page), writeOf(page), writeOf({ ...page, verb: "patch", error: "forbidden" })],
    }),
    runFacts,
  );
  expect(await lines(metrics, "fettle_steps")).toEqual([
    'fettle_steps_total{controller="sites.demo.dev",outcome="done"} 2',
    'fettle_steps_total{controller="sites.demo.dev",outcome="skipped"} 1',
    'fettle_steps_total{controller="sites.demo.dev",outcome="failed"} 1',
    'fettle_steps_undone_total{controller="sites.demo.dev",result="success"} 1',
  ]);
  expect(await lines(metrics, "fettle_writes")).toEqual([
    'fettle_writes_total{controller="sites.demo.dev",verb="patch",result="error"} 1',
    'fettle_writes_total{controller="sites.demo.dev",verb="apply",result="success"} 2',
  ]);
});

test("requests, schedules, breakers and pollers have metrics", async () => {
  const metrics = controllerMetrics();
  metrics.onRequest({ verb: "get", method: "GET", host: "api:6443", code: 200, duration: 30, waited: 0 });
  metrics.onRequest({
    verb: "get",
    method: "GET",
    host: "api:6443",
    code: "<error>",
    duration: 3,
    waited: 0,
  });
  metrics.scheduleObserver.passed?.({
    name: "expire",
    due: 0,
    started: 0,
    duration: 5200,
    processed: 9,
    failed: 1,
    transitions: 4,
    cleanups: 2,
    stopped: false,
  });
  metrics.scheduleObserver.skipped?.("expire", 0);
  const shared = breakers({ defaults: { failures: 1 } });
  const forget = metrics.watch(watching({ breakers: shared }));
  await shared
    .get("gateway")
    .run(() => Promise.reject(new Error("down")))
    .catch(() => {});
  metrics.poller({
    name: "machines",
    stats: () => ({
      iterations: 4,
      changesDetected: 3,
      eventsPublished: { CREATED: 2, UPDATED: 1, STATUS_UPDATED: 0, DELETED: 0 },
      cacheHitRatio: 0.95,
      averageDuration: 150,
      lastDuration: 10,
      errors: 1,
      consecutiveErrors: 0,
    }),
  });
  const text = (await metrics.text()).split("\n");
  for (const line of [
    'rest_client_requests_total{code="200",method="GET",host="api:6443"} 1',
    'rest_client_requests_total{code="<error>",method="GET",host="api:6443"} 1',
    'fettle_scheduler_loop_iterations_total{schedule="expire"} 1',
    'fettle_scheduler_resources_processed_total{schedule="expire"} 9',
    'fettle_scheduler_state_transitions_total{schedule="expire"} 4',
    'fettle_scheduler_cleanup_operations_total{schedule="expire"} 2',
    'fettle_scheduler_loops_skipped_total{schedule="expire"} 1',
    'fettle_scheduler_average_loop_duration_seconds{schedule="expire"} 5.2',
    'fettle_breaker_state{breaker="gateway",state="open"} 1',
    'fettle_breaker_state{breaker="gateway",state="closed"} 0',
    'fettle_breaker_calls_total{breaker="gateway",outcome="failure"} 1',
    'fettle_watch_loop_iterations_total{source="machines"} 4',
    'fettle_watch_changes_detected_total{source="machines"} 3',
    'fettle_watch_events_published_total{source="machines",type="CREATED"} 2',
    'fettle_watch_cache_hit_ratio{source="machines"} 0.95',
    'fettle_watch_average_poll_duration_seconds{source="machines"} 0.15',
    'fettle_watch_poll_seconds_total{source="machines"} 0.6',
  ]) {
    expect(text).toContain(line);
  }
  forget();
  expect(await lines(metrics, "fettle_breaker_state")).toEqual([]);
});

test("the metrics can share a registry with others, also as OpenMetrics", async () => {
  const registry = new Registry();
  const metrics = controllerMetrics({ registry });
  metrics.observer.ended?.(runOf(), runFacts);
  expect(await metrics.registry()).toBe(registry);
  expect(await registry.metrics()).toContain(
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="success"} 1',
  );
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  const text = await registry.metrics();
  expect(text).toContain("# TYPE controller_runtime_reconcile counter");
  expect(text).toContain(
    'controller_runtime_reconcile_total{controller="sites.demo.dev",result="success"} 1',
  );
});

test("two caches of the same kind share a series, and no metric is listed twice", async () => {
  const state = {
    kind: kindOf("Site"),
    scope: {},
    users: 1,
    size: 3,
    resourceVersion: "7",
    phase: "watching",
    lists: 2,
    watches: 5,
    errors: 0,
  } as const;
  const metrics = controllerMetrics();
  const informers = {
    states: () => [
      { ...state, synced: true },
      { ...state, synced: false },
    ],
  } as unknown as Watched["informers"];
  const election = { name: "sites", election: { isLeader: true } };
  metrics.watch(watching({ informers, election }));
  const text = (await metrics.text()).split("\n");
  const labels = '{kind="demo.dev/v1/Site",namespace="",selector=""}';
  expect(text).toContain(`fettle_informer_objects${labels} 6`);
  expect(text).toContain(`fettle_informer_synced${labels} 0`);
  expect(text).toContain('leader_election_master_status{name="sites"} 1');
  expect(text).toContain(`fettle_informer_relists_total${labels} 2`);
  const names = metrics.families().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

const runFacts = { controller: "sites.demo.dev", kind: "Site", key: "default/hello", runId: "4f1c2a9e" };

function watching(part: Partial<Watched>): Watched {
  const informers = { states: () => [] } as unknown as Watched["informers"];
  return { clock: systemClock, controllers: [], informers, breakers: breakers(), ...part };
}
