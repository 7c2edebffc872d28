import { context, trace } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { resource, type KubeObject } from "../../src/model/index.js";
import { controller } from "../../src/runtime/controller.js";
import { createLog } from "../../src/runtime/observe/create-log.js";
import { AsyncContexts, SeeingProvider } from "../../src/runtime/observe/fixtures/tracer-provider.js";
import { controllerMetrics } from "../../src/runtime/observe/metrics.js";
import { renderRun } from "../../src/runtime/runs/render-run.js";
import { schedule } from "../../src/runtime/schedule/schedule.js";
import { describeHomes } from "./homes/describe-homes.js";
import type { TestPlane } from "./test-plane.js";
import { eventually } from "./until.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(1).default(1) }),
  status: z.object({ looks: z.int() }),
});
const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

const sites = controller({
  for: Site,
  owns: [Page],
  async reconcile(site, { ensure, step, fail }) {
    if (site.spec.title === "") return fail("NoTitle", "a site needs a title");
    for (let page = 1; page <= site.spec.pages; page++) {
      ensure(Page, `${site.name}-${page}`, { html: `<h1>${site.spec.title} ${page}</h1>` });
    }
    await step("publish", () => Promise.resolve());
    return undefined;
  },
});

describeHomes(({ startTestPlane }) => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });

  /** As much of an event as is looked at. */
  interface CoreEvent extends KubeObject {
    readonly involvedObject: { readonly kind: string };
  }

  async function metricsOf({ controllers }: TestPlane): Promise<string[]> {
    return ((await controllers.metrics?.text()) ?? "").split("\n");
  }

  test("metrics tell what controllers did", async () => {
    const sweep = schedule({ name: "sweep", every: "1h", immediately: true, run: () => {} });
    await using plane = await startTestPlane([Site, Page], { controllers: [sites], schedules: [sweep] });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 2 } });
    await client.create(Site, { metadata: { name: "untitled" }, spec: { title: "", pages: 1 } });
    await eventually(async () => (await client.list(Page)).items.length === 2);
    await eventually(() => controllers.get(Site).dead().length === 1);
    controllers.get(Site).pause("hello");
    await controllers.idle();
    const text = await metricsOf(plane);
    const site = 'controller="sites.demo.dev"';
    const queue = `name="sites.demo.dev",${site}`;
    const informer = (kind: string): string => `{kind="demo.dev/v1/${kind}",namespace="",selector=""}`;
    for (const line of [
      `controller_runtime_terminal_reconcile_errors_total{${site}} 1`,
      `controller_runtime_max_concurrent_reconciles{${site}} 4`,
      `controller_runtime_active_workers{${site}} 0`,
      `workqueue_depth{${queue}} 0`,
      `workqueue_longest_running_processor_seconds{${queue}} 0`,
      `fettle_writes_total{${site},verb="apply",result="success"} 2`,
      `fettle_dead_letters{${site}} 1`,
      `fettle_paused_objects{${site}} 1`,
      `fettle_paused{${site}} 0`,
      `fettle_hot_loops_total{${site}} 0`,
      `fettle_informer_objects${informer("Site")} 2`,
      `fettle_informer_objects${informer("Page")} 2`,
      `fettle_informer_synced${informer("Site")} 1`,
      `fettle_scheduler_loop_iterations_total{schedule="sweep"} 1`,
    ]) {
      expect(text).toContain(line);
    }
    const value = (name: string): number =>
      Number(
        text
          .find((line) => line.startsWith(`${name}{`))
          ?.split(" ")
          .at(-1),
      );
    const runs = [...controllers.runs.all()].length;
    expect(value("controller_runtime_reconcile_time_seconds_count")).toBe(runs);
    expect(value("workqueue_work_duration_seconds_count")).toBe(runs);
    expect(value("workqueue_adds_total")).toBe(runs);
    expect(value("fettle_triggers_total")).toBeGreaterThanOrEqual(runs);
  });

  test("metrics can be left out, or shared", async () => {
    await using without = await startTestPlane([Site, Page], { controllers: [sites], metrics: false });
    expect(without.controllers.metrics).toBeUndefined();
    const metrics = controllerMetrics();
    await using shared = await startTestPlane([Site, Page], { controllers: [sites], metrics });
    expect(shared.controllers.metrics).toBe(metrics);
  });

  test("a run is a trace, and its record says which", async () => {
    const provider = new SeeingProvider();
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncContexts());
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    await eventually(() => plane.controllers.runs.size > 0);
    const [run] = plane.controllers.runs.of("Site", "default/hello");
    const spans = provider.spans.filter(({ traceId }) => traceId === run?.traceId);
    expect(spans.map(({ name, parent, ended }) => [name, parent, ended])).toEqual([
      ["reconcile sites.demo.dev", undefined, 1],
      ["step publish", "reconcile sites.demo.dev", 1],
      ["apply Page", "reconcile sites.demo.dev", 1],
      ["patch Site", "reconcile sites.demo.dev", 1],
    ]);
    expect(run && renderRun(run)).toContain(`trace ${run?.traceId}`);
  });

  test("a controller that keeps itself busy is found out", async () => {
    const busy = controller({
      for: Site,
      where: () => true,
      reconcile(site, { report }) {
        const looks = site.status?.looks ?? 0;
        if (looks < 30) report({ looks: looks + 1 });
      },
    });
    const lines: string[] = [];
    const log = createLog({ destination: { write: (line: string) => void lines.push(line) } });
    await using plane = await startTestPlane([Site, Page], { controllers: [busy], log });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    await eventually(async () => (await client.get(Site, "hello")).status?.looks === 30);
    await controllers.idle();
    expect(controllers.findings()).toMatchObject([
      { type: "hot-loop", object: "Site default/hello", causes: ["its own status writes"] },
    ]);
    expect(lines.filter((line) => line.includes("hot loop"))).toHaveLength(1);
    await eventually(async () => {
      const events = await client.list("v1/Event", { namespace: "default" });
      return events.items.some((event) => (event as { reason?: string }).reason === "HotLoop");
    });
    expect(await metricsOf(plane)).toContain('fettle_hot_loops_total{controller="sites.demo.dev"} 1');
  });

  test("managers who fight over a field are named", async () => {
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    const isOurs = async (): Promise<boolean> =>
      (await client.find(Page, "hello-1"))?.spec.html === "<h1>Hello 1</h1>";
    await eventually(isOurs);
    for (let time = 0; time < 4; time++) {
      await controllers.idle();
      await client.patch(
        Page,
        "hello-1",
        { spec: { html: `theirs ${time}` } },
        { fieldManager: "kubectl-edit" },
      );
      await eventually(isOurs);
    }
    await controllers.idle();
    const [finding] = controllers.findings();
    expect(finding).toMatchObject({
      type: "fight",
      object: "Page default/hello-1",
      paths: ["spec.html"],
      managers: ["kubectl-edit", "fettle/sites.demo.dev"],
      count: 4,
    });
    expect(finding?.message).toMatch(
      /^Page default\/hello-1: kubectl-edit and fettle\/sites\.demo\.dev fight over spec\.html \(4 times in .*\)$/,
    );
    await eventually(async () => {
      const { items } = await client.list("v1/Event", { namespace: "default" });
      const fights = items.filter((event) => (event as { reason?: string }).reason === "FieldFight");
      const about = new Set(fights.map((event) => (event as CoreEvent).involvedObject.kind));
      return about.has("Site") && about.has("Page");
    });
  });

  test("changing a spec often is nothing to look into", async () => {
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "0", pages: 1 } });
    for (let title = 1; title <= 20; title++) {
      await client.patch(Site, "hello", { spec: { title: String(title) } });
      await eventually(async () => (await client.find(Page, "hello-1"))?.spec.html === `<h1>${title} 1</h1>`);
    }
    await controllers.idle();
    expect(controllers.findings()).toEqual([]);
  });
});
