import { expect, test } from "vitest";
import { decide, type Situation } from "./decide.js";
import type { Attempt, AttemptRecord, ExitRecord } from "./driver/driver.js";
import type { ProcessSpec } from "./kinds.js";

const second = 1000;
const minute = 60 * second;
const start = Date.UTC(2026, 0, 1, 8);

const spec: ProcessSpec = {
  command: ["server"],
  args: [],
  env: [],
  ports: [],
  limits: {},
  restart: {
    policy: "Always",
    backoff: { initial: "1s", max: "5m", resetAfter: "10m" },
    startLimit: { burst: 0, interval: "1m" },
    successExitCodes: [0],
  },
  stop: { signal: "SIGTERM", grace: "10s" },
  dependsOn: [],
  logs: { maxSize: "10Mi", maxFiles: 5, history: 5 },
  suspend: false,
};

function specWith({
  restart,
  ...more
}: Partial<Omit<ProcessSpec, "restart">> & { restart?: object } = {}): ProcessSpec {
  return { ...spec, ...more, restart: { ...spec.restart, ...restart } };
}

function attempt(more: Partial<Omit<Attempt, "record">> & { record?: Partial<AttemptRecord> } = {}): Attempt {
  const { record, ...rest } = more;
  return {
    number: 1,
    state: rest.exit === undefined ? "running" : "exited",
    startedAt: start,
    notified: false,
    adopted: false,
    tracking: "cgroup",
    limitProblems: [],
    lostLines: { count: 0 },
    ...rest,
    record: {
      namespace: "default",
      name: "web",
      reason: "Created",
      hash: "h1",
      restarts: 0,
      failures: 0,
      recentStarts: [],
      ports: {},
      ...record,
    },
  };
}

function exit(more: Partial<ExitRecord> = {}): ExitRecord {
  return { cause: "Exited", code: 1, oomKilled: false, leftovers: 0, at: start + second, ...more };
}

function situation(more: Partial<Situation> = {}): Situation {
  return { spec, createdAt: start, hash: "h1", attempts: [], now: start + second, ...more };
}

test("a new process is started, unless it is suspended", () => {
  expect(decide(situation())).toMatchObject({ type: "start", attempt: 1, record: { reason: "Created" } });
  expect(decide(situation({ spec: specWith({ suspend: true }) }))).toMatchObject({
    type: "rest",
    state: "Stopped",
  });
});

test("a process that runs as it should is kept", () => {
  expect(decide(situation({ attempts: [attempt()] }))).toMatchObject({ type: "keep" });
  // A missing Secret does not stop what runs.
  expect(decide(situation({ hash: undefined, attempts: [attempt()] }))).toMatchObject({ type: "keep" });
});

test.each([
  ["a changed launch", { hash: "h2" }, "Changed"],
  ["a suspended process", { spec: specWith({ suspend: true }) }, "Suspended"],
  ["a requested restart", { restartedAt: "now" }, "Requested"],
  ["a failed probe", { probeFailure: "no answer" }, "ProbeFailed"],
  ["a lost shim", { attempts: [attempt({ state: "orphaned" })] }, "Orphaned"],
] as const)("%s stops a running process", (_, more, reason) => {
  expect(decide(situation({ attempts: [attempt()], ...more }))).toMatchObject({ type: "stop", reason });
});

test("a stop is requested once, and its end is awaited", () => {
  const attempts = [attempt({ stopReason: "Changed" })];
  expect(decide(situation({ hash: "h3", attempts }))).toMatchObject({ type: "await-exit" });
});

test.each([
  ["Changed", { hash: "h2" }, "Changed"],
  ["Requested", { restartedAt: "now" }, "Requested"],
  ["Suspended", {}, "Resumed"],
] as const)("after a stop because of %s, it is started again at once", (stopReason, more, reason) => {
  const ended = attempt({
    stopReason,
    exit: exit({ cause: "Signaled", signal: "SIGTERM" }),
    record: { failures: 7 },
  });
  expect(decide(situation({ attempts: [ended], ...more }))).toMatchObject({
    type: "start",
    attempt: 2,
    record: { reason, restarts: 0, failures: 0 },
  });
});

test("the first failure is repeated at once, later ones after a delay that doubles up to its maximum", () => {
  const after = (failures: number, now: number) =>
    decide(
      situation({ attempts: [attempt({ exit: exit(), record: { failures, restarts: failures } })], now }),
    );
  expect(after(0, start + second)).toMatchObject({
    type: "start",
    record: { reason: "Exited", failures: 1, restarts: 1 },
  });
  const delays = [1, 2, 3, 9, 10, 60].map((failures) => {
    const decision = after(failures, start + second);
    return decision.type === "delay" ? (decision.until - start) / second - 1 : decision.type;
  });
  expect(delays).toEqual([1, 2, 4, 256, 300, 300]);
  expect(after(1, start + 2 * second)).toMatchObject({ type: "start", record: { failures: 2, restarts: 2 } });
});

test("a process that ran long enough begins with the shortest delay again", () => {
  const ended = attempt({ exit: exit({ at: start + 10 * minute }), record: { failures: 9 } });
  const now = start + 10 * minute;
  expect(decide(situation({ attempts: [ended], now }))).toMatchObject({
    type: "start",
    record: { failures: 1 },
  });
});

test("restarts from before the clock was set back do not count for the start limit", () => {
  const spec = specWith({ restart: { startLimit: { burst: 2, interval: "1m" } } });
  const recentStarts = [start + 365 * 24 * 60 * minute, start + 365 * 24 * 60 * minute + second];
  const crashed = attempt({ record: { recentStarts }, exit: exit() });
  expect(decide(situation({ spec, attempts: [crashed] }))).toMatchObject({
    type: "start",
    record: { recentStarts: [start + second] },
  });
});

test("after the clock was set back, nobody waits for it to catch up", () => {
  const later = start + 1000 * minute;
  const ended = attempt({ startedAt: later, exit: exit({ at: later + second }), record: { failures: 3 } });
  expect(decide(situation({ attempts: [ended], now: start }))).toMatchObject({ type: "start" });
});

test.each([
  ["Never", 0, "Completed"],
  ["Never", 1, "Failed"],
  ["OnFailure", 0, "Completed"],
  ["OnFailure", 3, "Completed"],
] as const)("with the policy %s and exit code %d it is %s", (policy, code, state) => {
  const spec = specWith({ restart: { policy, successExitCodes: [0, 3] } });
  const attempts = [attempt({ exit: exit({ code }) })];
  expect(decide(situation({ spec, attempts }))).toMatchObject({ type: "rest", state });
});

test("a process whose probe failed is no success, whatever its exit code", () => {
  const spec = specWith({ restart: { policy: "OnFailure" } });
  const attempts = [attempt({ stopReason: "ProbeFailed", exit: exit({ code: 0 }) })];
  expect(decide(situation({ spec, attempts }))).toMatchObject({
    type: "start",
    record: { reason: "ProbeFailed" },
  });
});

test("after too many restarts within the interval it is given up, until a restart is requested", () => {
  const spec = specWith({ restart: { startLimit: { burst: 2, interval: "1m" } } });
  const failed = (recentStarts: readonly number[]) => [
    attempt({ exit: exit(), record: { recentStarts, restarts: 2 } }),
  ];
  expect(decide(situation({ spec, attempts: failed([start]) }))).toMatchObject({
    type: "start",
    record: { recentStarts: [start, start + second] },
  });
  expect(decide(situation({ spec, attempts: failed([start - 61 * second, start]) }))).toMatchObject({
    type: "start",
  });
  const often = failed([start - second, start]);
  expect(decide(situation({ spec, attempts: often }))).toMatchObject({ type: "give-up" });
  expect(decide(situation({ spec, attempts: often, restartedAt: "now" }))).toMatchObject({
    type: "start",
    record: { reason: "Requested", recentStarts: [] },
  });
});

test("after a reboot it is started again without a delay and without counting as a failure", () => {
  const attempts = [attempt({ exit: exit({ cause: "Rebooted" }), record: { failures: 5, restarts: 5 } })];
  expect(decide(situation({ attempts }))).toMatchObject({
    type: "start",
    record: { reason: "Rebooted", failures: 0, restarts: 5 },
  });
});

const everyHour = { cron: "0 * * * *", timeZone: "UTC" };

test("a task waits for its time, runs once, and waits for the next one", () => {
  const spec = specWith({ schedule: everyHour });
  const created = situation({ spec, createdAt: start + minute, now: start + minute });
  expect(decide(created)).toMatchObject({ type: "delay", state: "Pending", until: start + 60 * minute });
  const due = start + 60 * minute;
  expect(decide({ ...created, now: due })).toMatchObject({
    type: "start",
    record: { reason: "Scheduled", due },
  });
  const done = attempt({ record: { due }, exit: exit({ code: 0, at: due + second }) });
  expect(decide({ ...created, attempts: [done], now: due + second })).toMatchObject({
    until: due + 60 * minute,
  });
});

test("a task that still runs at its next time is not started twice, and the missed time is not made up for", () => {
  const spec = specWith({ schedule: everyHour });
  const running = attempt({ record: { due: start } });
  const now = start + 90 * minute;
  expect(decide(situation({ spec, attempts: [running], now }))).toMatchObject({ type: "keep" });
  const ended = attempt({ record: { due: start }, exit: exit({ code: 0, at: now }) });
  expect(decide(situation({ spec, attempts: [ended], now }))).toMatchObject({ until: start + 120 * minute });
});

test("missed times are made up for by one run within the deadline", () => {
  const spec = specWith({ schedule: { ...everyHour, startingDeadline: "3h" } });
  const ended = attempt({ record: { due: start - 600 * minute }, exit: exit({ code: 0 }) });
  expect(decide(situation({ spec, attempts: [ended], now: start + 30 * minute }))).toMatchObject({
    type: "start",
    record: { due: start },
  });
});

test("a failed task is repeated before its next time only with the policy OnFailure", () => {
  const failed = [attempt({ record: { due: start }, exit: exit() })];
  const decisions = (["Always", "OnFailure", "Never"] as const).map(
    (policy) =>
      decide(situation({ spec: specWith({ schedule: everyHour, restart: { policy } }), attempts: failed }))
        .type,
  );
  expect(decisions).toEqual(["delay", "start", "delay"]);
});

test("a year of missed seconds is decided in no time", () => {
  const spec = specWith({ schedule: { cron: "* * * * * *", timeZone: "UTC", startingDeadline: "52w" } });
  const ended = attempt({ record: { due: 0 }, exit: exit({ code: 0 }) });
  expect(decide(situation({ spec, attempts: [ended] }))).toMatchObject({
    type: "start",
    record: { due: start + second },
  });
});
