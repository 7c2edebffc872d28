import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { runCommandLine } from "../../src/cli/program.js";
import { EventRejected, subscription } from "../../src/events/index.js";
import { resource } from "../../src/model/index.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import { controller } from "../../src/runtime/controller/controller.js";
import type { HealthChange } from "../../src/runtime/health/health-monitor.js";

const Lamp = resource("home.dev/v1", "Lamp", {
  spec: z.object({ on: z.boolean(), isRestless: z.boolean().default(false) }),
  status: z.object({ count: z.number() }),
});

let folder: string;
let plane: ControlPlane;
let changes: HealthChange[];
let onChange: () => void = () => {};
let isBroken = false;
let onAlert: () => void = () => {};
const alerted = new Promise<void>((resolve) => (onAlert = resolve));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fettle-operations-"));
  changes = [];
  const lamps = controller({
    for: Lamp,
    resync: false,
    reconcile(lamp, { report, requeue, fail }) {
      if (!lamp.spec.on) return fail("Off", "it is switched off");
      if (!lamp.spec.isRestless) return undefined;
      report({ count: (lamp.status?.count ?? 0) + 1 });
      return (lamp.status?.count ?? 0) < 30 ? requeue("0s", "again") : undefined;
    },
  });
  const refuser = subscription({
    name: "refuser",
    on: "home.alarm",
    handle() {
      throw new EventRejected("no alarms, please");
    },
  });
  plane = await controlPlane({
    controllers: [lamps],
    subscriptions: [refuser],
    store: "memory",
    data: join(folder, "plane"),
    listen: { port: 0 },
    performance: { thresholds: { memory_usage: { max: 1, alert: true, for: 0 } } },
    monitoring: {
      every: "50ms",
      onHealthChange(change) {
        changes.push(change);
        onChange();
      },
      onAlert: () => onAlert(),
    },
  });
  plane.controllers.health.check("lamp-shop", () => ({ ok: !isBroken, message: "closed on Sundays" }));
});

beforeEach(() => void (onChange = () => {}));

afterAll(async () => {
  await plane.stop();
  await rm(folder, { recursive: true, force: true });
});

async function fettle(line: string, options: readonly string[] = []) {
  const terminal = recordingTerminal({ cwd: folder });
  const words = [...line.split(" "), ...options, "--kubeconfig", plane.kubeconfig ?? ""];
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.out(), err: terminal.err() };
}

/** Resolves when the newest change of health matches. */
async function changed(matches: (change: HealthChange) => boolean): Promise<HealthChange> {
  for (;;) {
    const last = changes.at(-1);
    if (last !== undefined && matches(last)) return last;
    await new Promise<void>((resolve) => (onChange = resolve));
  }
}

const lamp = (name: string, spec: object) =>
  plane.apply({ apiVersion: "home.dev/v1", kind: "Lamp", metadata: { name }, spec });

describe("health", () => {
  test("shows all checks, and fails when a critical one does", async () => {
    const { code, out } = await fettle("health");
    expect(code).toBe(0);
    expect(out).toMatch(/^(healthy|degraded)\n\nCHECK +STATUS +TOOK +MESSAGE\n/);
    for (const check of ["controllers", "informers", "queues", "store", "event-loop", "lamp-shop"])
      expect(out).toMatch(new RegExp(`^${check} +(healthy|degraded) +\\d+ms`, "m"));
    isBroken = true;
    expect(await changed(({ status }) => status === "unhealthy")).toMatchObject({
      checks: expect.arrayContaining([
        { name: "lamp-shop", status: "unhealthy", previous: "healthy", message: "closed on Sundays" },
      ]) as unknown,
    });
    const failed = await fettle("health");
    expect(failed).toMatchObject({ code: 1, err: "fettle: the control plane is unhealthy\n" });
    expect(failed.out).toMatch(/^lamp-shop +unhealthy +\d+ms +closed on Sundays$/m);
    expect((await fettle("top --once")).out).toContain("unhealthy: lamp-shop: closed on Sundays");
    isBroken = false;
    await changed(({ status }) => status !== "unhealthy");
  });

  test("is degraded while there are dead letters", async () => {
    await lamp("off", { on: false });
    await changed(({ checks }) =>
      checks.some(({ name, status }) => name === "queues" && status === "degraded"),
    );
    const { code, out } = await fettle("health");
    expect([code, out.slice(0, 8)]).toEqual([0, "degraded"]);
    expect(out).toContain("lamps.home.dev: 1 object was given up");
    await plane.client.delete(Lamp, "off");
  });

  test("is a metric for each check, and overall", async () => {
    await plane.monitoring.health.check();
    const samples = plane.monitoring
      .families()
      .flatMap(({ name, samples: all }) =>
        Array.from(all, ({ labels, value }) => `${name} ${Object.values(labels).join()} ${value}`),
      );
    expect(samples).toEqual(
      expect.arrayContaining(["fettle_health_check lamp-shop 1", "fettle_health_status unhealthy 0"]),
    );
  });
});

test("alerts are listed, and shown by top", async () => {
  await alerted;
  expect((await fettle("alerts")).out).toMatch(
    /^ALERT +STATE +RAISED +RESOLVED +MESSAGE\nmemory_usage\.max +raised +\d+s ago +memory_usage max is [\d.]+ MB, above its limit of 1 B\n$/,
  );
  expect(JSON.parse((await fettle("alerts -o json")).out)).toMatchObject({
    configured: true,
    alerts: [{ name: "memory_usage.max", state: "raised", unit: "bytes" }],
  });
  expect((await fettle("top --once")).out).toContain("alert: memory_usage max is");
});

test("dead events are retried by their id, and an unknown id is an error", async () => {
  await plane.events.emit({ type: "home.alarm", id: "alarm-1", source: "/test" });
  while ((await plane.events.dead()).length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await fettle("subscriptions retry refuser --id alarm-2")).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      "refuser has no dead event with the id alarm-2; fettle subscriptions dead refuser lists them",
    ),
  });
  const retried = await fettle("subscriptions retry refuser --id alarm-1");
  expect(retried.out).toBe("1 event will be delivered to refuser again\n");
});

test("findings say which controllers loop, and what to do", async () => {
  expect((await fettle("findings")).out).toBe(
    "no hot loops and no fights over fields within the last hour\n",
  );
  const found = new Promise<void>((resolve) => {
    plane.controllers.runs.follow(() => {
      if (plane.controllers.findings().length > 0) resolve();
    });
  });
  await lamp("restless", { on: true, isRestless: true });
  await found;
  const { out } = await fettle("findings");
  expect(out).toMatch(/^Lamp default\/restless is in a hot loop: \d+ runs in .*, kept going by /);
  expect(out).toMatch(/^ {2}to do +requeue after a delay, or wait for a change; fettle why lamp\/restless/m);
  expect((await fettle("why lamp/restless --limit 1")).out).toContain("is in a hot loop");
  expect((await fettle("top --once")).out).toContain("Lamp default/restless is in a hot loop");
});

describe("debug", () => {
  test("traces the components of a control loop", async () => {
    await lamp("hall", { on: true });
    await plane.controllers.idle();
    expect((await fettle("debug trace --component control_loop --tail 100")).out).toMatch(
      /Lamp default\/hall {2}it was created → lamps\.home\.dev: done in \d+ms \(run /,
    );
    expect((await fettle("debug trace --component state_store --tail 100")).out).toMatch(
      /^ +\d+ {2}\S+Z {2}create {2}Lamp default\/hall by /m,
    );
    expect((await fettle("debug trace --component reconciler --tail 100")).out).toContain(
      "Lamp default/hall",
    );
    expect((await fettle("debug trace --component state-store")).err).toContain("did you mean state_store?");
  });

  test.each([
    ["--heap --duration 1", "allocations.heapprofile", ["head", "samples"]],
    ["--snapshot", "all.heapsnapshot", ["snapshot", "nodes", "edges"]],
  ])("profiles the heap: %s", async (options, file, keys) => {
    const { code, out, err } = await fettle(`debug profile ${options}`, ["--output", file]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`wrote ${file}: open it in Chrome's DevTools (Memory`);
    const path = join(folder, file);
    expect(Object.keys(JSON.parse(await readFile(path, "utf8")) as object)).toEqual(
      expect.arrayContaining(keys),
    );
    if (options === "--snapshot") expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["--heap --snapshot", "--heap cannot be combined with --snapshot"],
    ["--snapshot --duration 5", "--snapshot takes no --duration"],
    ["--snapshot --output none/such.heapsnapshot", "does not exist"],
  ])("%s is refused", async (options, message) => {
    expect(await fettle(`debug profile ${options}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message) as unknown,
    });
  });
});
