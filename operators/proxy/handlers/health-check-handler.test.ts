import { fakeClient, testEvents } from "fettle/testing";
import { HealthCheckCompleted } from "fettle/events";
import { expect, test } from "vitest";
import { Backend } from "../kinds/proxy.js";
import { healthCheckHandler, type HealthCheckOptions } from "./health-check-handler.js";

const check = (ok: boolean, port = 80) =>
  ({
    host: "app",
    port,
    address: "10.0.0.1",
    ok,
    message: ok ? undefined : "connection refused",
    health: ok ? "healthy" : "unhealthy",
  }) as const;

async function start(checkNow: HealthCheckOptions["checkNow"], names: readonly string[] = ["web", "api"]) {
  const client = await fakeClient({ kinds: [Backend] });
  for (const name of names) await client.create(Backend, { metadata: { name }, spec: {} });
  const events = await testEvents({ handlers: [healthCheckHandler({ client, checkNow })] });
  return events;
}

test("a backend is checked at once, and the result is an event about it", async () => {
  await using events = await start(async () => [check(true), check(false, 81)]);
  const { emitted, event } = await events.deliver({
    type: "health_check.requested",
    data: { target: "web" },
  });
  expect(emitted).toMatchObject([
    {
      type: "health_check.completed",
      cause: event.id,
      objectkind: "Backend",
      objectname: "web",
      objectnamespace: "default",
      data: {
        target: "web",
        result: {
          status: "degraded",
          message: "1 of 2 addresses are healthy",
          targets: [{ ok: true }, { port: 81 }],
        },
      },
    },
  ]);
  expect(emitted.every((each) => HealthCheckCompleted.is(each))).toBe(true);
});

test.each([undefined, {}, { target: "all" }, { target: "*" }])("%j checks all backends", async (data) => {
  await using events = await start(async () => [check(true)]);
  const { emitted } = await events.deliver({ type: "health_check.requested", data });
  expect(emitted.map(({ objectname }) => String(objectname)).sort()).toEqual(["api", "web"]);
});

test("a check that fails does not fail those of others", async () => {
  let calls = 0;
  await using events = await start(async () => {
    if (calls++ === 0) throw new Error("this machine cannot check: EMFILE");
    return undefined;
  });
  const { emitted, dead } = await events.deliver({ type: "health_check.requested" });
  expect(dead).toEqual([]);
  const results = emitted.map(({ data }) => (data as { result: { message: string } }).result.message);
  expect(results.sort()).toEqual([
    "it has no health check: set healthCheck",
    "this machine cannot check: EMFILE",
  ]);
});

test("a request that is repeated gives the same event", async () => {
  await using events = await start(async () => [check(true)]);
  await events.deliver({ type: "health_check.requested", id: "1", data: { target: "web" } });
  const again = await events.deliver({ type: "health_check.requested", id: "1", data: { target: "web" } });
  expect(again.emitted).toEqual([]);
  expect(events.emitted).toHaveLength(1);
});

test.each(["https://api.example.com/health", "nope", "../web"])(
  "the target %s is left to others",
  async (target) => {
    await using events = await start(async () => [check(true)]);
    const { emitted, dead } = await events.deliver({ type: "health_check.requested", data: { target } });
    expect([emitted, dead]).toEqual([[], []]);
  },
);
