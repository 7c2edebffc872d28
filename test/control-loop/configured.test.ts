import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { resource, sleep, VirtualClock } from "../../src/model/index.js";
import type { LoadedConfig } from "../../src/plane/config/config.js";
import { configureControllers } from "../../src/plane/config/configure-controllers.js";
import { eventOptions, logSettings } from "../../src/plane/config/control-loop.js";
import { loadConfig } from "../../src/plane/config/load-config.js";
import { controller, type Controller } from "../../src/runtime/controller/controller.js";
import { changed } from "../../src/runtime/controller/predicates.js";
import { strategies } from "../../src/runtime/controller/strategies.js";
import { testPlane, type TestPlane } from "../../src/testing/index.js";

const Site = resource("demo.dev/v1", "Site", { spec: z.object({ title: z.string().optional() }) });

async function load(yaml: string, env: Readonly<Record<string, string>> = {}): Promise<LoadedConfig> {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-control-loop-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "fettle.yaml"), yaml);
  return loadConfig({ cwd, env });
}

type Options = Partial<Omit<Parameters<typeof controller<typeof Site>>[0], "for">>;

const sitesWith = (options: Options = {}): Controller =>
  controller({ for: Site, reconcile() {}, ...options });

/** Starts a plane in virtual time, from midnight UTC, with a controller that is configured by YAML. */
async function planeWith(yaml: string, sites = sitesWith()): Promise<TestPlane> {
  const { config, origins } = await load(yaml);
  const plane = await testPlane({ controllers: configureControllers([sites], config, origins) });
  onTestFinished(() => plane[Symbol.asyncDispose]());
  return plane;
}

interface Annotated {
  readonly priority?: string;
  readonly change?: string;
}

function annotations({ priority, change }: Annotated): Record<string, string> {
  return {
    ...(priority !== undefined && { "fettle.dev/priority": priority }),
    ...(change !== undefined && { "fettle.dev/change-type": change }),
  };
}

async function create(plane: TestPlane, name: string, given: Annotated = {}): Promise<void> {
  await plane.client.create(Site, { metadata: { name, annotations: annotations(given) }, spec: {} });
  await plane.settled();
}

const runs = async (plane: TestPlane, name = "a"): Promise<number> => (await plane.runs(Site, name)).length;

const held = (plane: TestPlane) => plane.controllers.get(Site).loop?.queue.inspect("default/a")?.hold;

describe("each key of control_loop changes behaviour", () => {
  test.each([
    ["reconcile_interval: 30", 2],
    ["reconcile_interval: 1m", 1],
    ["", 2],
  ])("%s: runs within 35 s", async (setting, count) => {
    const plane = await planeWith(`control_loop:\n  ${setting}\n`);
    await create(plane, "a");
    await plane.advance("35s");
    expect(await runs(plane)).toBe(count);
  });

  test.each([
    ["max_retry_attempts: 0", 1],
    ["max_retry_attempts: 1", 2],
    ["", 4],
  ])("%s: runs until an object is a dead letter", async (setting, count) => {
    const broken = sitesWith({ reconcile: () => Promise.reject(new Error("broken")) });
    const plane = await planeWith(`control_loop:\n  ${setting}\n`, broken);
    await create(plane, "a");
    await plane.advance("1h");
    expect(await runs(plane)).toBe(count);
    expect(plane.controllers.get(Site).dead()).toHaveLength(1);
  });

  test.each([
    ["worker_pool_size: 1", 1],
    ["worker_pool_size: 3", 3],
    ["", 10],
  ])("%s: concurrent runs", async (setting, count) => {
    let active = 0;
    let most = 0;
    let ended = 0;
    const clock = new VirtualClock();
    const slow = sitesWith({
      async reconcile() {
        most = Math.max(most, ++active);
        await sleep(clock, 1000);
        active--;
        ended++;
      },
    });
    const plane = await planeWith(`control_loop:\n  ${setting}\n`, slow);
    for (let index = 0; index < 12; index++)
      await plane.client.create(Site, { metadata: { name: `a${index}` }, spec: {} });
    while (ended < 12) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1000);
    }
    await plane.settled();
    expect(most).toBe(count);
  });

  test("code goes first, and the settings of the controller before it", async () => {
    const { config } = await load(
      "control_loop:\ncontrollers: { sites.demo.dev: { concurrency: 7, backoff: { maxRetries: 9 } } }\n",
    );
    const own = sitesWith({ resync: "5m", concurrency: 2, backoff: { base: "1s", maxRetries: 1 } });
    const [configured] = configureControllers([own], config);
    expect(configured?.options).toMatchObject({
      resync: "5m",
      concurrency: 7,
      backoff: { base: "1s", maxRetries: 9 },
    });
    const [plain] = configureControllers([sitesWith()], { controllers: {} });
    expect(plain?.options).not.toHaveProperty("resync");
  });
});

describe("each key of a strategy changes behaviour", () => {
  const strategy = (text: string): string => `reconciliation:\n  strategies: [{ ${text} }]\n`;

  test.each([
    ["name: batched", 0],
    ["name: immediate", 1],
    ["name: mine, type: batched", 0],
    ["name: batched, type: immediate", 1],
    ["name: batched, batch_size: 1", 1],
    ["name: batched, batch_size: 2", 0],
  ])("%s: runs at once", async (text, count) => {
    const plane = await planeWith(strategy(text));
    await create(plane, "a");
    expect(await runs(plane)).toBe(count);
  });

  test.each([
    ["name: batched", 0, 1],
    ["name: batched, batch_timeout: 10", 1, 1],
    ["name: batched, batch_timeout: 1m", 0, 0],
  ])("%s: runs after 15 and 30 s", async (text, early, late) => {
    const plane = await planeWith(strategy(text));
    await create(plane, "a");
    await plane.advance("15s");
    expect(await runs(plane)).toBe(early);
    await plane.advance("15s");
    expect(await runs(plane)).toBe(late);
  });

  test("ten objects are a batch by default", async () => {
    const plane = await planeWith(strategy("name: batched"));
    for (let index = 0; index < 9; index++) await create(plane, `a${index}`);
    expect(await runs(plane, "a0")).toBe(0);
    await create(plane, "a9");
    expect(await runs(plane, "a0")).toBe(1);
  });

  test.each([
    // The object is created at midnight UTC; these windows open at two and at one.
    ['schedule: "0 2 * * *"', 0],
    ['schedule: "0 1 * * *"', 1],
    ['schedule: "0 2 * * *", time_zone: Europe/Berlin', 1],
  ])("%s: runs until half past one", async (text, count) => {
    const plane = await planeWith(strategy(`name: scheduled, ${text}`));
    await create(plane, "a");
    await plane.advance("90m");
    expect(await runs(plane)).toBe(count);
  });

  test.each([
    ["", 1],
    [", window: 30m", 0],
    [", window: 2h", 1],
  ])("a window from two o'clock%s: runs of an object created at a quarter to three", async (text, count) => {
    const plane = await planeWith(strategy(`name: scheduled, schedule: "0 2 * * *"${text}`));
    await plane.advance("165m");
    await create(plane, "a");
    expect(await runs(plane)).toBe(count);
  });

  test.each<[string, Annotated, number]>([
    ["priority: low", { priority: "low" }, 0],
    ["priority: low", { priority: "high" }, 1],
    ["priority: 5", { priority: "5" }, 0],
    ["priority: 6", { priority: "5" }, 1],
    ["type: rollout", { change: "rollout" }, 0],
    ["type: rollout", { change: "other" }, 1],
  ])("conditions: [{ %s }] and %j: runs at once", async (condition, given, count) => {
    const plane = await planeWith(strategy(`name: batched, conditions: [{ ${condition} }]`));
    await create(plane, "a", given);
    expect(await runs(plane)).toBe(count);
  });

  test.each([
    ["batched", 0],
    ["immediate", 1],
    ["nightly", 0],
  ])("controllers.NAME.strategy: %s overrides the code", async (name, count) => {
    const nightly = strategy('name: nightly, type: scheduled, schedule: "0 2 * * *", conditions: []');
    const own = sitesWith({ strategy: strategies.batched({ size: 1, timeout: "1s" }) });
    const plane = await planeWith(`${nightly}controllers: { sites.demo.dev: { strategy: ${name} } }\n`, own);
    await create(plane, "a");
    expect(await runs(plane)).toBe(count);
  });

  test("a strategy in the code is kept", async () => {
    const own = sitesWith({ strategy: strategies.immediate });
    const plane = await planeWith(strategy("name: batched"), own);
    await create(plane, "a");
    expect(await runs(plane)).toBe(1);
  });
});

describe("an annotation", () => {
  const nightly =
    'reconciliation:\n  strategies:\n    - { name: scheduled, schedule: "0 2 * * *", conditions: [{ priority: low }] }\n';

  test.each([
    ["", sitesWith()],
    [" of a controller that ignores annotations", sitesWith({ where: changed.generation })],
  ])("that becomes urgent releases what is held%s", async (_, sites) => {
    const plane = await planeWith(nightly, sites);
    await create(plane, "a", { priority: "low" });
    expect(held(plane)).toMatchObject({ type: "scheduled", keys: 1, closes: expect.any(Number) });
    await plane.client.patch(Site, "a", { metadata: { annotations: annotations({ priority: "critical" }) } });
    await plane.settled();
    expect(await runs(plane)).toBe(1);
  });

  test("counts for the run that it triggers", async () => {
    const plane = await planeWith(nightly);
    await create(plane, "a");
    expect(await runs(plane)).toBe(1);
    await plane.client.patch(Site, "a", {
      metadata: { annotations: annotations({ priority: "low" }) },
      spec: { title: "changed" },
    });
    await plane.settled();
    expect(await runs(plane)).toBe(1);
    await plane.advance("2h");
    expect(await runs(plane)).toBe(2);
  });

  test("does not hold back the cleanup of a deleted object, unless a condition says so", async () => {
    const tidy = sitesWith({ cleanup() {} });
    const plane = await planeWith(nightly, tidy);
    await create(plane, "a", { priority: "low" });
    await plane.advance("2h");
    await plane.advance("2h");
    await plane.client.delete(Site, "a");
    await plane.settled();
    expect(await plane.client.find(Site, "a")).toBeUndefined();

    const patient = await planeWith(nightly.replace("priority: low", "type: deletion"), tidy);
    await create(patient, "a");
    await patient.client.delete(Site, "a");
    await patient.settled();
    expect(await patient.client.find(Site, "a")).toBeDefined();
    await patient.advance("2h");
    expect(await patient.client.find(Site, "a")).toBeUndefined();
  });

  test("does not hold back what a person requests", async () => {
    const plane = await planeWith(nightly);
    await create(plane, "a", { priority: "low" });
    plane.controllers.enqueue(Site, "a", { reason: "now" });
    await plane.settled();
    expect(await runs(plane)).toBe(1);
  });

  test("that is no priority is reported, and the object is not held", async () => {
    const { config } = await load(nightly);
    const lines: string[] = [];
    const write = (fields: object, text: string): void =>
      void lines.push(`${text}: ${String((fields as { err?: unknown }).err)}`);
    const log = { debug() {}, info() {}, warn() {}, error: write, child: () => log };
    const plane = await testPlane({ controllers: configureControllers([sitesWith()], config), log });
    onTestFinished(() => plane[Symbol.asyncDispose]());
    await create(plane, "a", { priority: "lwo" });
    expect(await runs(plane)).toBe(1);
    expect(lines.join("\n")).toContain('the strategy failed: RangeError: "lwo" is not a priority');
  });
});

test("critical objects are taken first", async () => {
  const order: string[] = [];
  const one = sitesWith({ concurrency: 1, reconcile: ({ name }) => void order.push(name) });
  const plane = await planeWith(
    "reconciliation: { strategies: [{ name: scheduled, schedule: '0 2 * * *' }] }\n",
    one,
  );
  for (const [name, priority] of [
    ["low", "low"],
    ["plain", ""],
    ["urgent", "critical"],
  ] as const)
    await create(plane, name, { priority });
  await plane.advance("2h");
  expect(order).toEqual(["urgent", "plain", "low"]);
});

describe("each key of events changes behaviour", () => {
  /** Starts a plane whose events are configured by YAML; it serves sites. */
  async function eventPlane(yaml: string): Promise<TestPlane> {
    const { config } = await load(yaml);
    const plane = await testPlane({ kinds: [Site], events: eventOptions(config) });
    onTestFinished(() => plane[Symbol.asyncDispose]());
    return plane;
  }

  /** Emits events to a handler that waits until it is released. */
  async function flood(yaml: string, count: number) {
    const plane = await eventPlane(yaml);
    let active = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const subscribed = plane.cloudEvents.subscribe("flood.**", () => {
      active++;
      return released;
    });
    onTestFinished(release);
    for (let index = 0; index < count; index++)
      await plane.cloudEvents.emit({ type: "flood.rises", subject: `drop-${index}` });
    return { active: () => active, waiting: () => subscribed.state().waiting };
  }

  test.each([
    ["event_buffer_size: 3", 3],
    ["event_buffer_size: 7", 7],
  ])("control_loop.%s: events that wait for a handler", async (setting, count) => {
    const flooded = await flood(`control_loop: { ${setting}, worker_pool_size: 1 }\n`, 20);
    await vi.waitFor(() => expect(flooded.waiting()).toBeGreaterThanOrEqual(count));
    expect(flooded.waiting()).toBeLessThanOrEqual(count + 1);
  });

  test.each([
    ["worker_pool_size: 1", 1],
    ["worker_pool_size: 4", 4],
    ["", 10],
  ])("control_loop: { %s }: events handled at the same time", async (setting, count) => {
    const flooded = await flood(`control_loop: { ${setting} }\n`, 15);
    await vi.waitFor(() => expect(flooded.active() + flooded.waiting()).toBeGreaterThanOrEqual(15));
    expect(flooded.active()).toBe(count);
  });

  test.each([
    ["{}", "/fettle", "dev.demo.site.created"],
    ["{ source: https://fettle.example }", "https://fettle.example", "dev.demo.site.created"],
    ["{ types: { Site.demo.dev: io.example.site } }", "/fettle", "io.example.site.created"],
  ])("events: %s", async (text, source, type) => {
    const plane = await eventPlane(`events: ${text}\n`);
    const seen: unknown[] = [];
    plane.cloudEvents.subscribe("**.created", (event) => void seen.push([event.source, event.type]));
    await plane.client.create(Site, { metadata: { name: "a" }, spec: {} });
    await plane.settled();
    expect(seen).toContainEqual([source, type]);
  });

  test.each([
    ["", 1],
    ["ttl: 10m", 2],
  ])("events: { %s }: an id is new again after eleven minutes", async (text, count) => {
    const plane = await eventPlane(`events: { ${text} }\n`);
    const seen: unknown[] = [];
    plane.cloudEvents.subscribe("once", (event) => void seen.push(event));
    await plane.cloudEvents.emit({ id: "1", type: "once" });
    await plane.advance("11m");
    await plane.cloudEvents.emit({ id: "1", type: "once" });
    await plane.settled();
    expect(seen).toHaveLength(count);
  });

  test("events: { maxSize: 1Ki }", async () => {
    const large = { type: "large", data: "x".repeat(2000) };
    await (await eventPlane("events: {}\n")).cloudEvents.emit(large);
    const plane = await eventPlane("events: { maxSize: 1Ki }\n");
    await expect(plane.cloudEvents.emit(large)).rejects.toThrow("at most 1024 are allowed");
  });

  test("types of the configuration replace those of modules", () => {
    const [first, last] = eventOptions({ events: { types: { Site: "b" } } }, [
      { apiVersion: "v1", kind: "Site", prefix: "a" },
    ]).kinds;
    expect([first?.prefix, last?.prefix, last?.apiVersion]).toEqual(["a", "b", "v1"]);
  });
});

test.each([
  ["debug: { level: DEBUG }", {}, "debug"],
  ["debug: { level: ERROR }\nlog: { level: warn }", {}, "error"],
  ["debug: { level: DEBUG, enabled: false }", {}, "info"],
  ["debug: {}\nlog: { level: warn }", {}, "warn"],
  ["debug: { level: DEBUG }", { FETTLE_LOG_LEVEL: "warn" }, "warn"],
])("%s with %j: log level", async (yaml, env: Record<string, string>, level) => {
  expect(logSettings(await load(yaml, env)).level).toBe(level);
});
