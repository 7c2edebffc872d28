import { context, trace } from "@opentelemetry/api";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { resource, type KubeObject } from "../../src/model/index.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { createLog } from "../../src/runtime/log/create-log.js";
import { AsyncContexts, SeeingProvider } from "../../src/runtime/observe/fixtures/tracer-provider.js";
import { controllerMetrics } from "../../src/runtime/observe/metrics.js";
import { MemoryRunStore } from "../../src/runtime/runs/memory-run-store.js";
import { renderRun } from "../../src/runtime/runs/render-run.js";
import type { Run } from "../../src/runtime/runs/run.js";
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

  /** The fields of an event that are tested. */
  interface CoreEvent extends KubeObject {
    readonly involvedObject: { readonly kind: string };
  }

  async function metricsOf({ controllers }: TestPlane): Promise<string[]> {
    return ((await controllers.metrics?.text()) ?? "").split("\n");
  }

  test("metrics count runs, writes and retries", async () => {
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
    const runs = (await controllers.runs.find()).length;
    expect(value("controller_runtime_reconcile_time_seconds_count")).toBe(runs);
    expect(value("workqueue_work_duration_seconds_count")).toBe(runs);
    expect(value("workqueue_adds_total")).toBe(runs);
    expect(value("fettle_triggers_total")).toBeGreaterThanOrEqual(runs);
  });

  test("metrics can be disabled or shared", async () => {
    await using without = await startTestPlane([Site, Page], { controllers: [sites], metrics: false });
    expect(without.controllers.metrics).toBeUndefined();
    const metrics = controllerMetrics();
    await using shared = await startTestPlane([Site, Page], { controllers: [sites], metrics });
    expect(shared.controllers.metrics).toBe(metrics);
  });

  test("a run is a trace, whose id is in its record", async () => {
    const provider = new SeeingProvider();
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new AsyncContexts());
    await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    await eventually(async () => (await plane.controllers.runs.find()).length > 0);
    const [run] = await plane.controllers.runs.find({ kind: "Site", key: "default/hello" });
    const spans = provider.spans.filter(({ traceId }) => traceId === run?.traceId);
    expect(spans.map(({ name, parent, ended }) => [name, parent, ended])).toEqual([
      ["reconcile sites.demo.dev", undefined, 1],
      ["step publish", "reconcile sites.demo.dev", 1],
      ["apply Page", "reconcile sites.demo.dev", 1],
      ["patch Site", "reconcile sites.demo.dev", 1],
    ]);
    expect(run && renderRun(run)).toContain(`trace ${run?.traceId}`);
  });

  describe("the writes of a run", () => {
    const changesOf = ({ writes }: Run) =>
      writes
        .filter(({ kind }) => kind.kind === "ConfigMap")
        .map(({ verb, before, after, sent }) => [verb, dataOf(before), dataOf(after), sent]);
    const dataOf = (object: KubeObject | undefined): unknown =>
      (object as { data?: unknown } | undefined)?.data;

    test("have the object before the write, also of kinds that are not watched", async () => {
      const mapping = controller({
        for: Site,
        async reconcile(_, { client }) {
          await client.patch(ConfigMap, "map", { data: { a: "2" } });
          await client.patch(ConfigMap, "map", { data: { a: "3" } });
          await client.get(ConfigMap, "other");
          await client.apply(ConfigMap, { metadata: { name: "other" }, data: { b: "1" } });
          await client.find(ConfigMap, "new");
          await client.apply(ConfigMap, { metadata: { name: "new" }, data: { c: "1" } });
          await client.list(ConfigMap, { labelSelector: "listed" });
          await client.patch(ConfigMap, "listed", { data: { d: "1" } });
          await client.patch(ConfigMap, "listed", { data: { e: "1" } }, { dryRun: true });
        },
      });
      await using plane = await startTestPlane([Site], { controllers: [mapping] });
      const { client } = plane;
      await client.create(ConfigMap, { metadata: { name: "map" }, data: { a: "1" } });
      await client.create(ConfigMap, { metadata: { name: "other" }, data: { a: "1" } });
      await client.create(ConfigMap, { metadata: { name: "listed", labels: { listed: "yes" } }, data: {} });
      await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
      const run = await plane.run();
      expect(run.outcome).toEqual({ type: "done" });
      expect(changesOf(run)).toEqual([
        // It was not cached yet.
        ["patch", undefined, { a: "2" }, { data: { a: "2" } }],
        ["patch", { a: "2" }, { a: "3" }, undefined],
        ["apply", { a: "1" }, { a: "1", b: "1" }, undefined],
        ["apply", undefined, { c: "1" }, undefined],
        ["patch", undefined, { d: "1" }, undefined],
      ]);
      const text = renderRun(run);
      expect(text).toContain("changed ConfigMap default/map (previous state unknown; this was sent)");
      expect(text).toContain("applied ConfigMap default/new\n");
    });

    test("are limited in number, and the rest is counted", async () => {
      const busy = controller({
        for: Site,
        async reconcile(_, { client, report }) {
          for (let map = 0; map < 210; map++)
            await client.create(ConfigMap, { metadata: { name: `map-${map}` } });
          report({ looks: 1 });
        },
      });
      await using plane = await startTestPlane([Site], { controllers: [busy] });
      await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
      const run = await plane.run();
      expect(run.writes).toHaveLength(200);
      expect(run.droppedWrites).toBe(11);
      expect(run.writes.at(-1)).toMatchObject({ subresource: "status", after: { status: { looks: 1 } } });
      expect(renderRun(run)).toContain("and 11 writes not recorded\n");
    });

    test("are distinguished by group for kinds of the same name", async () => {
      const Other = resource("other.dev/v1", "Site", { spec: z.object({}) });
      const controllers = [
        controller({ for: Site, reconcile() {} }),
        controller({ for: Other, reconcile() {} }),
      ];
      await using plane = await startTestPlane([Site, Other], {
        controllers,
        runs: new MemoryRunStore({ perObject: 1 }),
      });
      await plane.client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
      const first = await plane.run();
      await plane.client.create(Other, { metadata: { name: "hello" }, spec: {} });
      const second = await plane.run();
      const { runs } = plane.controllers;
      expect(await runs.find({ kind: Site, key: "default/hello" })).toEqual([first]);
      expect(await runs.find({ kind: Other, key: "default/hello" })).toEqual([second]);
      expect(await runs.find({ kind: "Site", key: "default/hello" })).toEqual([first, second]);
    });
  });

  test("detects a hot loop of a controller that triggers itself", async () => {
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

  test("detects nothing when detectors are off", async () => {
    const busy = controller({
      for: Site,
      where: () => true,
      reconcile(site, { report }) {
        const looks = site.status?.looks ?? 0;
        if (looks < 30) report({ looks: looks + 1 });
      },
    });
    await using plane = await startTestPlane([Site, Page], { controllers: [busy], detectors: false });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    await eventually(async () => (await client.get(Site, "hello")).status?.looks === 30);
    await controllers.idle();
    expect(controllers.findings()).toEqual([]);
  });

  test("names the managers that fight over a field", async () => {
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

  test("frequent changes of a spec are not a finding", async () => {
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

  test("names controllers that fight over the reconciled object, which are in a hot loop", async () => {
    let isOver = false;
    const stubborn = (name: string) =>
      controller({
        for: Site,
        name,
        async reconcile(site, { client }) {
          if (site.spec.title === name || isOver) return;
          await client.patch(Site, site.name, { spec: { title: name } }, { fieldManager: name });
        },
      });
    const lines: Record<string, unknown>[] = [];
    const log = createLog({
      destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
    const both = [stubborn("one"), stubborn("two")];
    await using plane = await startTestPlane([Site, Page], { controllers: both, log });
    const { client, controllers } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello", pages: 1 } });
    // One of them may run more often than the other: the fight goes on until both are found.
    await eventually(() => controllers.findings().length === 4);
    isOver = true;
    await controllers.idle();
    const object = "Site default/hello";
    const findings = controllers.findings();
    for (const [name, other] of [
      ["one", "two"],
      ["two", "one"],
    ]) {
      const mine = findings.filter((finding) => finding.controller === name);
      expect(mine.find(({ type }) => type === "hot-loop")?.object).toBe(object);
      expect(mine.find(({ type }) => type === "fight")).toMatchObject({
        object,
        paths: ["spec.title"],
        managers: [other, name],
      });
    }
    const findingLines = lines.filter(({ finding }) => finding !== undefined);
    expect(findingLines).toHaveLength(4);
    for (const line of findingLines)
      expect(line).toMatchObject({ object, run: expect.any(String) as string });
  });
});
