import { describe, expect, test } from "vitest";
import { gateway, gatewayClass, input, policy, route, rule } from "./fixtures.js";
import { translate } from "./translate.js";
import type { Translation, TranslationInput } from "./translation.js";

function run(fields: Partial<TranslationInput>): Translation {
  return translate(input({ routes: [route()], ...fields }));
}

function conditions({ policies }: Translation): string[] {
  return policies.map(
    ({ name, conditions: [one] }) => `${name} ${one?.status}/${one?.reason}: ${one?.message}`,
  );
}

/** Zone of each rule, by the name of the rule. */
function zones({ configuration }: Translation): Record<string, string | undefined> {
  const rules = configuration.ports[0]?.servers[0]?.rules ?? [];
  return Object.fromEntries(
    rules.map(({ origin, limit }) => [origin.part ?? "", limit?.zone.replace(/_[0-9a-f]{8}$/, "")]),
  );
}

test("a policy limits all rules of a route", () => {
  const limit = { requests: 5, per: "minute", burst: 3, status: 503 } as const;
  const result = run({ policies: [policy({ limit, generation: 4 })] });
  const [zone] = result.configuration.limits;
  expect(zone).toMatchObject({
    name: expect.stringMatching(/^default_limit_[0-9a-f]{8}$/) as string,
    key: { type: "ClientAddress" },
    requests: 5,
    per: "minute",
    origin: { kind: "RateLimitPolicy", namespace: "default", name: "limit" },
  });
  expect(result.configuration.ports[0]?.servers[0]?.rules[0]?.limit).toEqual({
    zone: zone?.name,
    burst: 3,
    status: 503,
  });
  expect(result.policies).toMatchObject([{ name: "limit", generation: 4, zone: zone?.name }]);
  expect(conditions(result)).toEqual(["limit True/Accepted: The limit applies to 1 rule"]);
});

test("the zone has another name if its key changes, but not if its rate does", () => {
  const zoneOf = (limit: NonNullable<Parameters<typeof policy>[0]>["limit"]): string | undefined =>
    run({ policies: [policy({ limit: limit ?? {} })] }).policies[0]?.zone;
  const keys = [
    { type: "ClientAddress" },
    { type: "Route" },
    { type: "Header", header: "X-User" },
    { type: "Header", header: "X-Tenant" },
  ] as const;
  expect(new Set(keys.map((key) => zoneOf({ key }))).size).toBe(keys.length);
  expect(zoneOf({ requests: 1 })).toBe(zoneOf({ requests: 2, per: "minute", burst: 9 }));
  expect(zoneOf({ key: { type: "Header", header: "x-user" } })).toBe(zoneOf({ key: keys[2] }));
});

describe("targets", () => {
  const routes = [route({ rules: [rule({ name: "one" }), rule({ name: "two" })] })];

  test("a rule by its name", () => {
    const result = run({ routes, policies: [policy({ targets: [{ name: "web", sectionName: "two" }] })] });
    expect(zones(result)).toEqual({ one: undefined, two: "default_limit" });
  });

  test.each([
    [{ name: "no" }, /False\/TargetNotFound: there is no HTTPRoute no in namespace default/],
    [
      { name: "web", sectionName: "three" },
      /False\/TargetNotFound: HTTPRoute default\/web has no rule named three/,
    ],
    [
      { name: "web", kind: "Gateway" },
      /False\/TargetNotFound: Gateway\.gateway\.networking\.k8s\.io is not supported/,
    ],
  ])("%j cannot be used", (target, message) => {
    const result = run({ routes, policies: [policy({ targets: [target] })] });
    expect(conditions(result)[0]).toMatch(message);
    expect(result.policies[0]?.zone).toBeUndefined();
    expect(result.configuration.limits).toEqual([]);
  });

  test("a policy applies to the targets that exist, and names the others", () => {
    const result = run({ routes, policies: [policy({ targets: [{ name: "no" }, { name: "web" }] })] });
    expect(conditions(result)).toEqual([
      "limit True/Accepted: The limit applies to 2 rules, but there is no HTTPRoute no in namespace default",
    ]);
  });

  test("routes of other namespaces are no targets", () => {
    expect(conditions(run({ routes, policies: [policy({ namespace: "other" })] }))[0]).toMatch(
      /TargetNotFound/,
    );
  });

  test("policies for routes of another class are left to it", () => {
    const gatewayClasses = [gatewayClass(), gatewayClass("other", "other")];
    const gateways = [gateway({ className: "other" })];
    expect(run({ routes, gateways, gatewayClasses, policies: [policy()] }).policies).toEqual([]);
  });

  test("a route that is not served needs no zone", () => {
    const faulty = route({ rules: [{ matches: [], filters: [{ type: "No" }] }] });
    const result = run({ routes: [faulty], policies: [policy()] });
    expect(result.configuration.limits).toEqual([]);
    expect(result.policies[0]?.conditions[0]?.status).toBe("True");
  });
});

describe("several policies for a rule", () => {
  const routes = [route({ rules: [rule({ name: "one" }), rule({ name: "two" })] })];

  test("the older one applies", () => {
    const policies = [policy({ name: "a-young", age: 2 }), policy({ name: "z-old", age: 1 })];
    const result = run({ policies });
    expect(conditions(result)).toEqual([
      "z-old True/Accepted: The limit applies to 1 rule",
      "a-young False/Conflicted: rule 0 of HTTPRoute default/web has the limit of RateLimitPolicy default/z-old",
    ]);
    expect(result.configuration.limits).toHaveLength(1);
  });

  test("one that names the rule comes before one for the route", () => {
    const policies = [
      policy({ name: "wide", age: 1 }),
      policy({ name: "narrow", age: 2, targets: [{ name: "web", sectionName: "two" }] }),
    ];
    const result = run({ routes, policies });
    expect(zones(result)).toEqual({ one: "default_wide", two: "default_narrow" });
    expect(conditions(result)[0]).toMatch(
      /^wide True\/Accepted: The limit applies to 1 rule, but rule two of/,
    );
  });

  test("a policy that nginx refused leaves the rule to others", () => {
    const policies = [policy({ name: "bad", age: 1 }), policy({ name: "good", age: 2 })];
    const refused = new Map([["RateLimitPolicy default/bad", "invalid rate"]]);
    const result = run({ policies, refused });
    expect(conditions(result)[0]).toBe("bad False/RefusedByNginx: nginx refused the policy: invalid rate");
    expect(zones(result)).toEqual({ "rules[0]": "default_good" });
  });
});
