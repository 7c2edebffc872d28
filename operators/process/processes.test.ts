import { testPlane, type TestPlane } from "fettle/testing";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { afterEach, beforeEach, expect, test } from "vitest";
import { memoryDriver, type MemoryDriver } from "./driver/memory/memory-driver.js";
import { Process, processOperator, reloadedAt, restartedAt, type ProcessObject } from "./index.js";
import type { SpecInput } from "fettle";

let driver: MemoryDriver;
let plane: TestPlane;

const task: SpecInput<typeof Process> = { command: ["task"], restart: { policy: "OnFailure" } };

beforeEach(async () => {
  plane = await testPlane({
    operators: [
      processOperator({
        openDriver: async ({ clock }) => {
          driver = memoryDriver({ clock, programs: { task: (process) => process.exit(0) } });
          return driver;
        },
      }),
    ],
  });
});
afterEach(() => plane[Symbol.asyncDispose]());

async function create(name: string, spec: SpecInput<typeof Process>): Promise<string> {
  const { metadata } = await plane.client.create(Process, { metadata: { name }, spec });
  await plane.settled();
  return metadata.uid ?? "";
}

async function statusOf(name: string): Promise<NonNullable<ProcessObject["status"]>> {
  return (await plane.client.get(Process, name)).status ?? {};
}

async function readyOf(name: string): Promise<string> {
  const ready = (await statusOf(name)).conditions?.find(({ type }) => type === "Ready");
  return `${ready?.status} ${ready?.reason}`;
}

test("a process is started, and its status says so", async () => {
  await create("web", { command: ["server"] });
  expect(await statusOf("web")).toMatchObject({
    state: "Running",
    attempt: 1,
    pid: expect.any(Number),
    bootId: "boot-1",
    restarts: 0,
    adopted: false,
    tracking: "Cgroup",
  });
  expect(await readyOf("web")).toBe("True Running");
});

test("a process that crashes is restarted at once, then after a delay", async () => {
  const uid = await create("web", { command: ["server"] });
  driver.exit(uid, 1);
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({
    state: "Running",
    attempt: 2,
    restarts: 1,
    lastExit: { code: 1, message: "exited with code 1" },
  });
  driver.exit(uid, 2);
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Backoff", lastExit: { code: 2 } });
  expect(await readyOf("web")).toBe("False Backoff");
  await plane.advance("1s");
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 3, restarts: 2 });
});

test("a restarted process has the reason of its exit in the record of runs", async () => {
  const uid = await create("web", { command: ["server"] });
  driver.exit(uid, 1);
  await plane.settled();
  const runs = await plane.runs(Process, "web");
  expect(runs.flatMap(({ triggers }) => triggers.map((each) => JSON.stringify(each))).join()).toMatch(
    /exited with code 1/,
  );
});

test("a changed command replaces the process; a changed probe does not", async () => {
  await create("web", { command: ["server"] });
  await plane.client.patch(Process, "web", { spec: { readinessProbe: { tcp: { port: 80 } } } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ attempt: 1 });
  await plane.client.patch(Process, "web", { spec: { args: ["--verbose"] } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 2, restarts: 0 });
});

test("a process can be suspended, resumed, restarted and reloaded", async () => {
  const uid = await create("web", { command: ["server"], reload: {} });
  await plane.client.patch(Process, "web", { spec: { suspend: true } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Stopped", lastExit: { signal: "SIGTERM" } });
  expect(await readyOf("web")).toBe("False Suspended");
  await plane.client.patch(Process, "web", { spec: { suspend: false } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 2 });
  await plane.client.patch(Process, "web", {
    metadata: { annotations: { [restartedAt]: "2026-01-01T00:00:00Z" } },
  });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 3, restarts: 0 });
  driver.ignoreSignal(uid, "SIGHUP");
  await plane.client.patch(Process, "web", {
    metadata: { annotations: { [reloadedAt]: "2026-01-01T00:00:00Z" } },
  });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ attempt: 3, reloadedAt: "2026-01-01T00:00:00Z" });
  expect((await plane.events()).map(({ reason }) => reason)).toContain("Reloaded");
});

test("a process that ignores SIGTERM is killed after its grace period", async () => {
  const uid = await create("web", { command: ["server"], stop: { grace: "30s" } });
  driver.ignoreSignal(uid);
  await plane.client.patch(Process, "web", { spec: { suspend: true } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Stopping" });
  await plane.advance("31s");
  expect(await statusOf("web")).toMatchObject({ state: "Stopped", lastExit: { signal: "SIGKILL" } });
});

test("a task completes, and is not started again", async () => {
  await create("migrate", task);
  expect(await statusOf("migrate")).toMatchObject({ state: "Completed", attempt: 1, lastExit: { code: 0 } });
  await plane.advance("1h");
  expect(await statusOf("migrate")).toMatchObject({ attempt: 1 });
});

test.each([
  ["CommandNotFound", { command: ["nothing"] }],
  ["UnknownUser", { command: ["server"], user: "ghost" }],
  ["InvalidWorkingDir", { command: ["server"], workingDir: "/none" }],
])("%s is a condition, and repeated until it works", async (reason, spec) => {
  driver.missing.commands.add("nothing");
  driver.missing.users.add("ghost");
  driver.missing.folders.add("/none");
  await create("web", spec);
  expect(await readyOf("web")).toBe(`False ${reason}`);
  driver.missing.commands.clear();
  driver.missing.users.clear();
  driver.missing.folders.clear();
  await plane.advance("5m");
  expect(await readyOf("web")).toBe("True Running");
});

test("a process that fails too often is given up until it is restarted by hand", async () => {
  const restart = { startLimit: { burst: 2, interval: "10m" as const } };
  const uid = await create("web", { command: ["server"], restart });
  for (let failures = 0; failures < 3; failures++) {
    driver.exit(uid, 1);
    await plane.advance("10s");
  }
  expect(await statusOf("web")).toMatchObject({ state: "Failed", restarts: 2 });
  expect(await readyOf("web")).toBe("False StartLimitReached");
  await plane.client.patch(Process, "web", { metadata: { annotations: { [restartedAt]: "now" } } });
  await plane.settled();
  expect(await readyOf("web")).toBe("True Running");
});

test("ports are allocated once, kept, and not given twice", async () => {
  const uid = await create("web", { command: ["server"], ports: [{ name: "http" }] });
  await create("api", { command: ["server"], ports: [{ name: "http" }] });
  const port = (await statusOf("web")).ports?.["http"];
  expect(port).toEqual(expect.any(Number));
  expect((await statusOf("api")).ports?.["http"]).not.toBe(port);
  driver.exit(uid, 1);
  await plane.settled();
  expect((await statusOf("web")).ports).toEqual({ http: port });
  expect(driver.running(uid)?.launch.env["PORT"]).toBe(String(port));
});

test("a port that another program uses is waited for", async () => {
  driver.portsInUse.add(8080);
  await create("web", { command: ["server"], ports: [{ name: "http", port: 8080 }] });
  expect(await readyOf("web")).toBe("False PortInUse");
  driver.portsInUse.clear();
  await plane.advance("5s");
  expect(await readyOf("web")).toBe("True Running");
});

test("values of ConfigMaps and Secrets are waited for, and a change restarts the process", async () => {
  const { client } = plane;
  await create("web", {
    command: ["server"],
    env: [
      { name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
    ],
  });
  expect(await readyOf("web")).toBe("False MissingReference");
  await client.create(ConfigMap, { metadata: { name: "settings" }, data: { color: "blue" } });
  await client.create(Secret, { metadata: { name: "keys" }, stringData: { token: "s3cret" } });
  await plane.settled();
  expect(await readyOf("web")).toBe("True Running");
  const uid = (await client.get(Process, "web")).metadata.uid ?? "";
  expect(driver.running(uid)?.launch.env).toMatchObject({ COLOR: "blue", TOKEN: "s3cret" });
  await client.patch(ConfigMap, "settings", { data: { color: "red" } });
  await plane.settled();
  expect(driver.running(uid)?.launch.env).toMatchObject({ COLOR: "red" });
  await client.delete(Secret, "keys");
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 2 });
});

test("a process starts after what it depends on", async () => {
  await create("app", {
    command: ["server"],
    dependsOn: [{ name: "db" }, { name: "migrate", condition: "Completed" }],
  });
  expect(await readyOf("app")).toBe("False WaitingForDependency");
  await create("db", { command: ["server"] });
  expect(await readyOf("app")).toBe("False WaitingForDependency");
  await create("migrate", task);
  expect(await readyOf("app")).toBe("True Running");
});

test("processes that wait for each other are told so", async () => {
  await create("a", { command: ["server"], dependsOn: [{ name: "b" }] });
  await create("b", { command: ["server"], dependsOn: [{ name: "a" }] });
  await plane.client.patch(Process, "a", { metadata: { labels: { seen: "again" } } });
  await plane.settled();
  expect(await readyOf("a")).toBe("False DependencyCycle");
});

test("readiness decides about Ready, a failed startup or liveness probe restarts", async () => {
  const probe = { tcp: { port: 80 }, period: "1s", failureThreshold: 2 } as const;
  const uid = await create("web", {
    command: ["server"],
    readinessProbe: probe,
    livenessProbe: { ...probe, period: "10s" },
  });
  await plane.advance("1s");
  expect(await readyOf("web")).toBe("True Running");
  driver.failProbes(uid, "connection refused");
  await plane.advance("2s");
  expect(await readyOf("web")).toBe("False NotReady");
  expect(await statusOf("web")).toMatchObject({ attempt: 1 });
  await plane.advance("20s");
  expect((await statusOf("web")).attempt).toBeGreaterThan(1);
  driver.failProbes(uid, undefined);
  await plane.advance("5m");
  expect(await readyOf("web")).toBe("True Running");
});

test("a log line and a notification make a process ready", async () => {
  const logged = await create("db", {
    command: ["server"],
    readinessProbe: { log: { pattern: "ready to accept" } },
  });
  const notified = await create("web", { command: ["server"], startupProbe: { notify: {} } });
  await plane.advance("1s");
  expect([await readyOf("db"), await readyOf("web")]).toEqual(["False NotReady", "False Starting"]);
  driver.print(logged, "database is ready to accept connections");
  driver.notify(notified);
  await plane.advance("1s");
  expect([await readyOf("db"), await readyOf("web")]).toEqual(["True Running", "True Running"]);
  expect(driver.running(notified)?.launch.env["NOTIFY_FD"]).toBe("3");
});

test("a scheduled task runs at its times", async () => {
  await create("nightly", { ...task, schedule: { cron: "0 2 * * *" } });
  expect(await statusOf("nightly")).toMatchObject({
    state: "Pending",
    nextRun: expect.stringContaining("T02:00:00"),
  });
  await plane.advance("1d");
  expect(await statusOf("nightly")).toMatchObject({ attempt: 1, lastExit: { code: 0 } });
  await plane.advance("1d");
  expect(await statusOf("nightly")).toMatchObject({ attempt: 2 });
});

test("a deleted process is stopped, and nothing of it is left", async () => {
  await create("web", { command: ["server"] });
  await plane.client.delete(Process, "web");
  await plane.settled();
  await plane.until(Process, "web", (found) => found === undefined);
  expect(driver.snapshot()).toEqual([]);
});

test("a process whose object was removed by force is stopped and removed", async () => {
  await create("web", { command: ["server"] });
  await plane.client.patch(Process, "web", { metadata: { finalizers: null } });
  await plane.client.delete(Process, "web");
  await plane.advance("11m");
  expect(driver.snapshot()).toEqual([]);
});

test("after a reboot all processes are started again", async () => {
  await create("web", { command: ["server"] });
  driver.reboot();
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({
    state: "Running",
    attempt: 2,
    bootId: "boot-2",
    restarts: 0,
  });
});

test("a process without a shim is replaced", async () => {
  const uid = await create("web", { command: ["server"] });
  driver.loseShim(uid);
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 2 });
});

test("a full disk is reported, and the process is started when there is room", async () => {
  driver.diskFull = true;
  await create("web", { command: ["server"] });
  expect(await readyOf("web")).toBe("False DiskFull");
  driver.diskFull = false;
  await plane.advance("1m");
  expect(await readyOf("web")).toBe("True Running");
});

test("a plan shows what would be started and stopped, and does nothing", async () => {
  await create("web", { command: ["server"] });
  const web = await plane.client.get(Process, "web");
  const handle = plane.controllers.get(Process);
  const { steps } = await handle.plan({ ...web, spec: { ...web.spec, args: ["--new"] } });
  expect(steps.map(({ name }) => name)).toEqual(["check that it is current", "stop attempt 1 (Changed)"]);
  const created = await handle.plan({ ...web, metadata: { name: "other", namespace: "default", uid: "u9" } });
  expect(created.steps.map(({ name }) => name)).toContain("start attempt 1 (Created)");
  expect(driver.snapshot()).toHaveLength(1);
  expect(await statusOf("web")).toMatchObject({ attempt: 1 });
});

test("values of Secrets are in no event, status or record of a run", async () => {
  const encode = (text: string | Buffer): string => Buffer.from(text).toString("base64");
  await plane.client.create(Secret, {
    metadata: { name: "keys" },
    data: { token: encode("hunter2"), nul: encode("hunter2\0"), bytes: encode(Buffer.from([65, 255])) },
  });
  for (const key of ["token", "nul", "bytes"]) {
    await create(key, {
      command: ["server", "--token=$(TOKEN)"],
      env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key } } }],
    });
  }
  expect(await readyOf("token")).toBe("True Running");
  expect(await readyOf("nul")).toBe("False InvalidSpec");
  expect(await readyOf("bytes")).toBe("False InvalidSpec");
  const events = await plane.events();
  expect(events.map(({ message }) => message)).toContain("attempt 1: server --token=$(TOKEN)");
  const objects = await plane.client.list(Process);
  const runs = await Promise.all(["token", "nul", "bytes"].map((name) => plane.runs(Process, name)));
  expect(JSON.stringify([events, objects, runs])).not.toContain("hunter2");
  // With the rest of a launch known, a hash of it would tell whether a guess of the value is right.
  expect(await statusOf("token")).not.toHaveProperty("hash");
});

test.each([
  ["abc", "UTC", "is not a cron expression"],
  ["* * * * *", "Mars/Phobos", "is not a known time zone"],
  ["0 0 30 2 *", "UTC", "never occurs"],
])("the schedule %j in %s is invalid", async (cron, timeZone, text) => {
  await create("task", { command: ["task"], schedule: { cron, timeZone } });
  const { state, conditions } = await statusOf("task");
  const ready = conditions?.find(({ type }) => type === "Ready");
  expect([state, ready?.reason, ready?.message]).toEqual([
    "Pending",
    "InvalidSpec",
    expect.stringContaining(text),
  ]);
  await plane.client.patch(Process, "task", { spec: { schedule: null } });
  await plane.settled();
  expect(await statusOf("task")).toMatchObject({ attempt: expect.any(Number) });
});

test("a process that runs goes on when its schedule becomes invalid, and can be stopped", async () => {
  await create("web", { command: ["server"] });
  await plane.client.patch(Process, "web", { spec: { schedule: { cron: "abc" } } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 1 });
  await plane.client.patch(Process, "web", { spec: { suspend: true } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Stopped", attempt: 1 });
});

test("a probe that cannot be run is refused before the start", async () => {
  await create("web", {
    command: ["server"],
    ports: [{ name: "http" }],
    readinessProbe: { http: { port: "htpp" }, period: "1s" },
  });
  await create("none", { command: ["server"], readinessProbe: { tcp: {}, period: "1s" } });
  const message = async (name: string) =>
    (await statusOf(name)).conditions?.find(({ type }) => type === "Ready")?.message;
  expect(await message("web")).toContain("htpp is neither a port of spec.ports nor a number");
  expect(await message("none")).toContain("the probe has no port");
  await create("log", { command: ["server"], startupProbe: { log: { pattern: "[" } } });
  expect(await message("log")).toContain("the pattern [ is invalid");
  expect(await readyOf("log")).toBe("False InvalidSpec");
  await plane.client.patch(Process, "web", { spec: { readinessProbe: { http: { port: "http" } } } });
  await plane.settled();
  expect(await statusOf("web")).toMatchObject({ state: "Running", attempt: 1 });
});

test("lines that were lost on a full disk are reported, also when the process has ended", async () => {
  const uid = await create("web", { command: ["server"], restart: { policy: "Never" } });
  driver.diskFull = true;
  driver.running(uid)?.print("a\nb");
  driver.exit(uid, 0);
  await plane.settled();
  const { conditions } = await statusOf("web");
  expect(conditions?.find(({ type }) => type === "LogsComplete")).toMatchObject({
    status: "False",
    reason: "LinesLost",
    message: expect.stringContaining("2 lines were lost") as string,
  });
});
