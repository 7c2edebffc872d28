import { TestClock } from "fettle/testing";
import { beforeEach, expect, test } from "vitest";
import type { CheckedAddress, HealthCheck } from "./check-target.js";
import type { AddressHealth } from "./hysteresis.js";
import { HealthProber, type ProbedBackend } from "./prober.js";

const healthCheck: HealthCheck = {
  type: "http",
  path: "/",
  expect: { min: 200, max: 399 },
  interval: "10s",
  timeout: "2s",
  healthyThreshold: 2,
  unhealthyThreshold: 3,
};

/** Failures by address; the others are healthy. */
let failures: Map<string, string | Error>;
let checks: { readonly at: number; readonly target: CheckedAddress; readonly path: string }[];
let changes: string[];
let running: number;
let mostRunning: number;
/** Held back while set. */
let gate: Promise<void> | undefined;
let clock: TestClock;
let prober: HealthProber;

beforeEach(() => {
  failures = new Map();
  [checks, changes, running, mostRunning, gate] = [[], [], 0, 0, undefined];
  clock = new TestClock();
  prober = new HealthProber({
    clock,
    random: () => 0.5,
    concurrency: 3,
    onChange: ({ name }, text) => changes.push(`${name} ${text}`),
    async check(target, { path }, { signal }) {
      mostRunning = Math.max(mostRunning, ++running);
      checks.push({ at: clock.now(), target, path });
      await gate;
      running--;
      signal.throwIfAborted();
      const failure = failures.get(target.address);
      if (failure instanceof Error) throw failure;
      return failure;
    },
  });
});

function backend(addresses: readonly string[], more: Partial<ProbedBackend> = {}): ProbedBackend {
  return {
    uid: "1",
    namespace: "default",
    name: "web",
    healthCheck,
    targets: [{ host: "web.example", port: 80, addresses }],
    earlierHealth: () => "unknown",
    ...more,
  };
}

function healthOf(probed: ProbedBackend): Record<string, string> {
  const states = prober.report(probed).get("web.example:80") ?? new Map<string, never>();
  return Object.fromEntries(
    [...states].map(([address, { health, reason }]) => [
      address,
      reason === undefined ? health : `${health}: ${reason}`,
    ]),
  );
}

const seconds = (time: number): Promise<void> => clock.advance(time * 1000);

test("the first success decides at once, and failures after the threshold", async () => {
  const web = backend(["a", "b"]);
  failures.set("b", "connection refused");
  expect(healthOf(web)).toEqual({ a: "unknown", b: "unknown" });
  await seconds(0);
  expect(healthOf(web)).toEqual({ a: "healthy", b: "unknown: connection refused" });
  await seconds(2);
  expect(healthOf(web)).toEqual({ a: "healthy", b: "unhealthy: connection refused" });
  expect(changes).toEqual([
    "web web.example:80: the check succeeded",
    "web web.example:80: connection refused",
    "web web.example:80: connection refused",
  ]);
});

test("a healthy address that fails now and then stays healthy, and one that recovers needs two successes", async () => {
  const web = backend(["a"]);
  prober.report(web);
  await seconds(1);
  for (let round = 0; round < 3; round++) {
    failures.set("a", "status 503");
    await seconds(20);
    failures.clear();
    await seconds(10);
    expect(healthOf(web)).toEqual({ a: "healthy" });
  }
  failures.set("a", "status 503");
  await seconds(30);
  expect(healthOf(web)).toEqual({ a: "unhealthy: status 503" });
  failures.clear();
  await seconds(10);
  expect(healthOf(web)).toEqual({ a: "unhealthy: status 503" });
  await seconds(10);
  expect(healthOf(web)).toEqual({ a: "healthy" });
});

test("a reason that persists replaces the first one, and alternating reasons do not", async () => {
  const web = backend(["a"], { earlierHealth: () => "unhealthy" });
  failures.set("a", "status 503");
  prober.report(web);
  await seconds(0);
  changes.length = 0;
  for (let round = 0; round < 6; round++) {
    failures.set("a", round % 2 === 0 ? "connection refused" : "no response within 2s");
    await seconds(10);
  }
  expect(healthOf(web)).toEqual({ a: "unhealthy: status 503" });
  expect(changes).toEqual([]);
  failures.set("a", "connection refused");
  await seconds(30);
  expect(healthOf(web)).toEqual({ a: "unhealthy: connection refused" });
});

test("after a restart the health of the status holds until checks disprove it", async () => {
  const earlier: Record<string, AddressHealth> = { a: "healthy", b: "unhealthy" };
  const web = backend(["a", "b", "c"], { earlierHealth: (_, address) => earlier[address] ?? "unknown" });
  failures.set("a", "connection refused");
  expect(healthOf(web)).toEqual({ a: "healthy", b: "unhealthy", c: "unknown" });
  await seconds(1);
  expect(healthOf(web)).toEqual({ a: "healthy", b: "unhealthy", c: "healthy" });
  await seconds(10);
  expect(healthOf(web)).toMatchObject({ a: "healthy", b: "healthy" });
  await seconds(10);
  expect(healthOf(web)).toMatchObject({ a: "unhealthy: connection refused" });
});

test("an address that is added later is unknown, and one that is removed is checked no more", async () => {
  const assumed = { earlierHealth: () => "healthy" as const };
  prober.report(backend(["a"], assumed));
  await seconds(5);
  gate = new Promise(() => {});
  expect(healthOf(backend(["b"], assumed))).toEqual({ b: "unknown" });
  checks.length = 0;
  await seconds(60);
  expect(checks).toEqual([]);
});

test("other settings of the check are tried at once, and keep the health", async () => {
  const web = backend(["a"]);
  prober.report(web);
  await seconds(1);
  const changed = { ...web, healthCheck: { ...healthCheck, path: "/health" } };
  expect(healthOf(changed)).toEqual({ a: "healthy" });
  await seconds(0);
  expect(checks.map(({ path }) => path)).toEqual(["/", "/health"]);
  prober.report({ ...changed, healthCheck: { ...changed.healthCheck, interval: "1s" } });
  await seconds(3);
  expect(checks).toHaveLength(5);
});

test("a zero interval does not check all the time", async () => {
  prober.report(backend(["a"], { healthCheck: { ...healthCheck, interval: "0s" } }));
  await seconds(1);
  expect(checks.length).toBeLessThanOrEqual(12);
});

test("checks are limited, and one address is never checked twice at a time", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `a${index}`);
  let open = (): void => {};
  gate = new Promise((resolve) => (open = resolve));
  const web = backend(names);
  prober.report(web);
  await seconds(60);
  prober.report({ ...web, healthCheck: { ...healthCheck, path: "/other" } });
  await seconds(60);
  expect(running).toBe(3);
  open();
  gate = undefined;
  const results = await prober.checkNow("1");
  expect(results).toHaveLength(20);
  expect(mostRunning).toBe(3);
  const first = checks.filter(({ at }) => at === checks[0]?.at).map(({ target }) => target.address);
  expect(new Set(first).size).toBe(first.length);
});

test("a round by hand returns the results, which count", async () => {
  const web = backend(["a", "b"]);
  failures.set("b", "status 500");
  prober.report(web);
  await seconds(0);
  await prober.checkNow("1");
  const results = await prober.checkNow("1");
  expect(results).toEqual([
    { host: "web.example", port: 80, address: "a", ok: true, message: undefined, health: "healthy" },
    { host: "web.example", port: 80, address: "b", ok: false, message: "status 500", health: "unhealthy" },
  ]);
  expect(await prober.checkNow("2")).toBeUndefined();
});

test("a machine that cannot check changes no health", async () => {
  const web = backend(["a", "b"], {
    earlierHealth: (_, address) => (address === "a" ? "healthy" : "unknown"),
  });
  failures.set("a", new Error("this machine cannot check: EMFILE"));
  failures.set("b", new Error("this machine cannot check: EMFILE"));
  prober.report(web);
  await seconds(100);
  expect(healthOf(web)).toEqual({ a: "healthy", b: "unknown: this machine cannot check: EMFILE" });
});

test("stopping ends all checks, also of backends that were deleted", async () => {
  prober.report(backend(["a"]));
  prober.report(backend(["b"], { uid: "2", name: "api" }));
  await seconds(1);
  expect(prober.retain(new Set(["2"]))).toBe(1);
  checks.length = 0;
  await seconds(10);
  expect(checks.map(({ target }) => target.address)).toEqual(["b"]);
  prober.stopAll();
  await seconds(100);
  expect(checks).toHaveLength(1);
  expect(clock.next).toBeUndefined();
});

test("checks that do not end hold up only those of their namespace", async () => {
  let end = (): void => {};
  gate = new Promise((resolve) => (end = resolve));
  const hanging = Array.from({ length: 10 }, (_, index) => `h${index}`);
  prober.report(backend(hanging, { uid: "2", namespace: "evil", name: "hanging" }));
  await seconds(0);
  expect(checks).toHaveLength(3);
  gate = undefined;
  const web = backend(["a"]);
  prober.report(web);
  await seconds(0);
  expect(healthOf(web)).toEqual({ a: "healthy" });
  end();
});

test("a namespace with thousands of targets is checked at longer intervals, and others are not", async () => {
  const often: HealthCheck = { ...healthCheck, interval: "1ms" };
  const many = Array.from({ length: 1000 }, (_, index) => `m${index}`);
  const theirs = backend(many, { uid: "2", namespace: "evil", name: "many", healthCheck: often });
  prober.report(theirs);
  prober.report(backend(["a"], { healthCheck: often }));
  await seconds(0);
  checks.length = 0;
  await seconds(4);
  const ours = checks.filter(({ target }) => target.address === "a");
  expect(ours).toHaveLength(40);
  expect(checks.length - ours.length).toBeLessThanOrEqual(1000);
});
