import { defineOperator, triggers, type TriggerSource } from "fettle";
import { RateLimitExceeded } from "fettle/events";
import { testPlane, type TestPlane } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RateLimitPolicy } from "../kinds/proxy.js";
import type { Programming, Result } from "../results.js";
import type { LimitZone } from "../translate/configuration.js";
import type { Finding, PolicyResult, Translation } from "../translate/translation.js";
import { rateLimitPolicies } from "./policies.js";
import { RefusedCounts } from "./refused-counts.js";
import { limitedZone, LimitReporter } from "./report-limits.js";

/** Results of the last translation; replaced by tests. */
let policyResults: Result<PolicyResult>[];
let limits: LimitZone[];
let reporter: LimitReporter;
let changes: TriggerSource;
let plane: TestPlane;
let uid: string;

const accepted: Finding = { type: "Accepted", status: "True", reason: "Accepted", message: "" };

function result(conditions: readonly Finding[], more: Partial<PolicyResult & Programming> = {}) {
  const { generation = 1, problem } = more;
  const policy = { uid, name: "slow", namespace: "default", generation: 1, conditions, zone: "default_slow" };
  return {
    className: "nginx",
    result: { ...policy, generation },
    programming: { generation: 1, problem },
  };
}

/** Zone of the policy; the parts of a translation that are not about limits are left out. */
function translations(): readonly Translation[] {
  return [
    {
      configuration: { limits },
      policies: policyResults.map((each) => each.result),
    } as unknown as Translation,
  ];
}

async function start(): Promise<void> {
  const counts = new RefusedCounts();
  changes = triggers();
  plane = await testPlane({
    operators: [
      defineOperator({
        name: "proxy",
        kinds: [RateLimitPolicy],
        setup({ clock, events }) {
          reporter = new LimitReporter({
            clock,
            counts,
            changes,
            maxClients: 2,
            emit: (event) => events.emit(event),
            findZone: (zone) => limitedZone(translations(), zone),
          });
          const results = {
            isKnown: true,
            policy: (of: string) => policyResults.filter(({ result: { uid: each } }) => each === of),
          };
          return { controllers: [rateLimitPolicies({ results, counts, changes })] };
        },
      }),
    ],
  });
  const { metadata } = await plane.client.create(RateLimitPolicy, {
    metadata: { name: "slow" },
    spec: { targetRefs: [{ name: "web" }], limit: { requests: 30, per: "minute" } },
  });
  uid = metadata.uid ?? "";
  policyResults = [result([accepted])];
  changes.send("slow", "translated");
  await plane.settled();
}

beforeEach(async () => {
  policyResults = [];
  limits = [
    {
      name: "default_slow",
      key: { type: "ClientAddress" },
      requests: 30,
      per: "minute",
      origin: { kind: "RateLimitPolicy", namespace: "default", name: "slow" },
    },
  ];
  await start();
});
afterEach(() => plane[Symbol.asyncDispose]());

function refuse(client: string, count = 1, zone = "default_slow"): void {
  reporter.add(Array.from({ length: count }, () => ({ zone, client, time: plane.clock.now() })));
}

async function status() {
  const { status: current } = await plane.client.get(RateLimitPolicy, "slow");
  const [ready, isAccepted] = ["Ready", "Accepted"].map((type) =>
    current?.conditions?.find((each) => each.type === type),
  );
  return {
    refused: current?.refused,
    lastRefused: current?.lastRefused,
    ready: `${ready?.status} ${ready?.reason}`,
    accepted: `${isAccepted?.status} ${isAccepted?.reason}`,
  };
}

async function exceeded() {
  return (await plane.eventsSoFar(RateLimitExceeded.type)).map(({ data }) => data as Record<string, unknown>);
}

test("a client that is refused is reported once per window, with its count", async () => {
  const since = new Date(plane.clock.now()).toISOString();
  refuse("10.0.0.1", 3);
  await plane.advance("4s");
  refuse("10.0.0.1", 2);
  expect(await exceeded()).toEqual([]);
  await plane.advance("6s");
  expect(await exceeded()).toEqual([
    {
      key: "10.0.0.1",
      limit: 0.5,
      policy: "slow",
      namespace: "default",
      refused: 5,
      since,
      until: new Date(Date.parse(since) + 4000).toISOString(),
    },
  ]);
  await plane.advance("1m");
  expect(await exceeded()).toHaveLength(1);
  refuse("10.0.0.1");
  await plane.advance("10s");
  expect(await exceeded()).toHaveLength(2);
});

test("clients beyond the limit are summed up, and unknown zones are ignored", async () => {
  for (let client = 1; client <= 5; client++) refuse(`10.0.0.${client}`, client);
  refuse("10.0.0.1", 1, "removed");
  await plane.advance("10s");
  expect((await exceeded()).map(({ key, refused }) => `${String(key)} ${String(refused)}`)).toEqual([
    "10.0.0.1 1",
    "10.0.0.2 2",
    "others 12",
  ]);
  expect(await status()).toMatchObject({ refused: 15 });
});

test("a limit for the whole route is exceeded by nobody in particular", async () => {
  limits = limits.map(({ name, requests, origin }) => ({
    name,
    requests,
    origin,
    key: { type: "Route" },
    per: "second",
  }));
  refuse("10.0.0.1", 2);
  refuse("10.0.0.2", 3);
  await plane.advance("10s");
  expect(await exceeded()).toMatchObject([{ key: "slow", limit: 30, refused: 5 }]);
});

test("the status counts refused requests, also across restarts", async () => {
  refuse("10.0.0.1", 4);
  await plane.advance("10s");
  const first = await status();
  expect(first).toMatchObject({ refused: 4, ready: "True Programmed", accepted: "True Accepted" });
  refuse("10.0.0.2", 1);
  await plane.advance("10s");
  expect(await status()).toMatchObject({ refused: 5 });
  expect((await status()).lastRefused).not.toBe(first.lastRefused);
  await plane.advance("1h");
  await plane.client.patchStatus(RateLimitPolicy, "slow", { status: { refused: 1000 } });
  refuse("10.0.0.2", 1);
  await plane.advance("10s");
  expect(await status()).toMatchObject({ refused: 1001 });
});

test("a write whose response is lost, and one that fails, are not counted twice, or lost", async () => {
  let lost = 1;
  const isStatus = ({ subresource }: { subresource?: string | undefined }): boolean =>
    subresource === "status";
  const remove = plane.intercept({
    patch: async (next, call) => {
      const response = await next();
      if (isStatus(call) && lost-- > 0) throw new Error("the connection was lost");
      return response;
    },
  });
  refuse("10.0.0.1", 4);
  await plane.advance("10s");
  refuse("10.0.0.1", 2);
  await plane.advance("1m");
  expect(lost).toBeLessThan(1);
  expect(await status()).toMatchObject({ refused: 6 });
  remove();
  let failures = 3;
  plane.intercept({
    patch: (next, call) => {
      if (isStatus(call) && failures-- > 0) throw new Error("the network is down");
      return next();
    },
  });
  refuse("10.0.0.1", 1);
  await plane.advance("10s");
  refuse("10.0.0.1", 1);
  await plane.advance("1m");
  expect(await status()).toMatchObject({ refused: 8 });
});

test("a policy is ready when nginx uses it", async () => {
  const show = async (results: Result<PolicyResult>[]): Promise<string> => {
    policyResults = results;
    changes.send("slow", "translated");
    await plane.settled();
    const { ready, accepted: isAccepted } = await status();
    return `${isAccepted}, ${ready}`;
  };
  const notFound: Finding = {
    type: "Accepted",
    status: "False",
    reason: "TargetNotFound",
    message: "there is no HTTPRoute web",
  };
  expect(await show([result([notFound])])).toBe("False TargetNotFound, False TargetNotFound");
  const problem = { reason: "Refused", message: "nginx refused the configuration" };
  expect(await show([result([accepted], { problem })])).toBe("True Accepted, False Refused");
  expect(await show([result([notFound]), { ...result([accepted]), className: "other" }])).toBe(
    "True Accepted, True Programmed",
  );
  expect(await show([])).toBe("True Accepted, False Pending");
  expect(await show([result([accepted], { generation: 0 })])).toBe("True Accepted, False Pending");
});

test("a plan counts nothing", async () => {
  refuse("10.0.0.1", 4);
  await reporter.flush();
  const object = await plane.client.get(RateLimitPolicy, "slow");
  await plane.controllers.get(RateLimitPolicy).plan(object);
  await plane.settled();
  expect(await status()).toMatchObject({ refused: 4 });
});
