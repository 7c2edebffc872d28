import { beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { health, type CheckResult, type Health } from "./health.js";

let clock: VirtualClock;
let wellbeing: Health;
beforeEach(() => {
  clock = new VirtualClock(0);
  wellbeing = health({ clock });
});

test("nothing to check is healthy", async () => {
  expect(await wellbeing.report()).toEqual({ status: "healthy", at: 0, checks: [] });
});

test.each<[string, () => CheckResult | Promise<CheckResult>, boolean, string]>([
  ["nothing", () => {}, true, ""],
  ["true", async () => true, true, ""],
  ["a text", () => "3 of 3 replicas", true, "3 of 3 replicas"],
  ["false", () => false, false, ""],
  ["a reason", async () => ({ ok: false, message: "no replicas" }), false, "no replicas"],
  ["a throw", () => Promise.reject(new Error("refused")), false, "refused"],
])("%s", async (name, check, ok, message) => {
  wellbeing.check(name, check);
  const report = await wellbeing.report();
  expect(report.status).toBe(ok ? "healthy" : "unhealthy");
  const status = ok ? "healthy" : "unhealthy";
  expect(report.checks).toEqual([{ name, status, ok, critical: true, message, duration: 0 }]);
});

test("what is not critical only degrades", async () => {
  const remove = wellbeing.check("cache", () => false, { critical: false });
  wellbeing.check("store", () => true);
  expect((await wellbeing.report()).status).toBe("degraded");
  remove();
  expect((await wellbeing.report()).status).toBe("healthy");
});

test("a result decides how grave the failure is", async () => {
  let critical = false;
  wellbeing.check("disk", () => ({ ok: false, message: "nearly full", critical }));
  expect(await wellbeing.report()).toMatchObject({ status: "degraded", checks: [{ status: "degraded" }] });
  critical = true;
  expect(await wellbeing.report()).toMatchObject({ status: "unhealthy", checks: [{ status: "unhealthy" }] });
});

test("liveness and readiness ask different checks", async () => {
  wellbeing.check("dependency", () => false);
  wellbeing.heartbeat("loop", "30s");
  const names = async (probe?: "liveness" | "readiness") =>
    (await wellbeing.report(probe)).checks.map(({ name }) => name);
  expect(await names("liveness")).toEqual(["loop"]);
  expect(await names("readiness")).toEqual(["dependency"]);
  expect(await names()).toEqual(["dependency", "loop"]);
  expect((await wellbeing.report("liveness")).status).toBe("healthy");
});

test("a check that hangs is reported after its timeout and not begun again", async () => {
  let begun = 0;
  let end = (): void => {};
  wellbeing.check(
    "slow",
    () => {
      begun++;
      return new Promise((resolve) => (end = resolve));
    },
    { timeout: "2s" },
  );
  for (let round = 0; round < 2; round++) {
    const report = wellbeing.report();
    await clock.advance(2000);
    expect((await report).checks).toMatchObject([
      { ok: false, message: "health check slow took longer than 2s and was aborted", duration: 2000 },
    ]);
  }
  expect(begun).toBe(1);
  end();
  await clock.advance(0);
  const report = wellbeing.report();
  end();
  expect((await report).status).toBe("healthy");
  expect(begun).toBe(2);
});

test("a loop that stopped beating is not alive", async () => {
  const beat = wellbeing.heartbeat("loop", "30s");
  await clock.advance(30_000);
  expect((await wellbeing.report()).status).toBe("healthy");
  await clock.advance(1000);
  expect((await wellbeing.report()).checks).toMatchObject([
    { ok: false, message: "last beat 31s ago, more than 30s" },
  ]);
  beat();
  expect((await wellbeing.report()).status).toBe("healthy");
});

test("names are given once", () => {
  wellbeing.check("store", () => true);
  expect(() => wellbeing.heartbeat("store", "1s")).toThrow("there is a health check store already");
});
