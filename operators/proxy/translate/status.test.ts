import { describe, expect, test } from "vitest";
import type { Result } from "../results.js";
import { gateway, gatewayGroup, input, listener, parentRef, route } from "./fixtures.js";
import { gatewayStatus, routeParents } from "./status.js";
import { translate } from "./translate.js";
import type { GatewayResult, RouteResult } from "./translation.js";

const now = Date.UTC(2026, 0, 2);
const earlier = "2026-01-01T00:00:00Z";
const serving = { generation: 1, problem: undefined };

const text = (list: readonly { type: string; status: string; reason: string }[] = []): string[] =>
  list.map(({ type, status, reason }) => `${type}=${status}/${reason}`);

describe("the status of a gateway", () => {
  const resultOf = (...listeners: Parameters<typeof listener>): GatewayResult => {
    const gateways = [gateway({ generation: 5, listeners: [listener(), ...listeners.map(listener)] })];
    const [result] = translate(input({ gateways })).gateways;
    if (result === undefined) throw new Error("there is no result");
    return result;
  };

  test("is programmed if nginx serves the configuration", () => {
    const status = gatewayStatus(resultOf(), serving, ["10.0.0.1"]);
    expect(status.addresses).toEqual([{ type: "IPAddress", value: "10.0.0.1" }]);
    expect(text(status.conditions)).toEqual(["Accepted=True/Accepted", "Programmed=True/Programmed"]);
    const [one] = status.listeners(undefined, now);
    expect(one).toMatchObject({
      name: "http",
      attachedRoutes: 0,
      supportedKinds: [{ group: gatewayGroup, kind: "HTTPRoute" }],
    });
    expect(text(one?.conditions)).toContain("Programmed=True/Programmed");
    expect(one?.conditions[0]).toMatchObject({
      lastTransitionTime: "2026-01-02T00:00:00Z",
      observedGeneration: 5,
    });
  });

  test.each([
    ["Refused", "Invalid"],
    ["NotRunning", "Pending"],
    ["DiskFull", "Pending"],
  ])("is not programmed if nginx does not serve it: %s", (reason, expected) => {
    const problem = { reason, message: "no space left" };
    const status = gatewayStatus(resultOf(), { generation: 1, problem }, []);
    expect(status.conditions.at(-1)).toEqual({
      type: "Programmed",
      status: "False",
      reason: expected,
      message: "no space left",
    });
    expect(text(status.listeners([], now)[0]?.conditions)).toContain(`Programmed=False/${expected}`);
  });

  test("a listener that was left out is not programmed", () => {
    const listeners = gatewayStatus(
      resultOf({ name: "tcp", port: 9, protocol: "TCP" }),
      serving,
      [],
    ).listeners([], now);
    expect(listeners.map(({ conditions }) => text(conditions).at(-1))).toEqual([
      "Programmed=True/Programmed",
      "Programmed=False/Invalid",
    ]);
  });

  test("a gateway that was left out has no addresses", () => {
    const gateways = [gateway({ listeners: [listener({ protocol: "TCP" })] })];
    const [result] = translate(input({ gateways })).gateways;
    if (result === undefined) throw new Error("there is no result");
    expect(gatewayStatus(result, serving, ["10.0.0.1"]).addresses).toEqual([]);
  });

  test("conditions keep their time while their status is the same", () => {
    const status = gatewayStatus(resultOf(), serving, []);
    const problem = { reason: "NotRunning", message: "nginx has ended" };
    const before = gatewayStatus(resultOf(), { generation: 1, problem }, []).listeners(
      [],
      Date.parse(earlier),
    );
    const times = status
      .listeners(before, now)[0]
      ?.conditions.map((one) => `${one.type} ${one.lastTransitionTime}`);
    expect(times).toContain(`Accepted ${earlier}`);
    expect(times).toContain("Programmed 2026-01-02T00:00:00Z");
  });
});

describe("the parents of a route", () => {
  const other = { parentRef: parentRef(), controllerName: "example.com/other", conditions: [] };
  const resultsOf = (fields: Parameters<typeof route>[0]): Result<RouteResult>[] =>
    translate(input({ routes: [route(fields)] })).routes.map((result) => ({
      className: "nginx",
      result,
      programming: serving,
    }));

  test("entries of other controllers stay, and ours are replaced", () => {
    const results = resultsOf({ generation: 3 });
    const stale = {
      ...other,
      controllerName: "proxy.fettle.dev/nginx",
      parentRef: parentRef({ name: "gone" }),
    };
    const parents = routeParents([stale, other], results, now);
    expect(parents).toHaveLength(2);
    expect(parents[0]).toBe(other);
    expect(parents[1]).toMatchObject({ parentRef: parentRef(), controllerName: "proxy.fettle.dev/nginx" });
    expect(parents[1]?.conditions?.[0]).toMatchObject({ status: "True", observedGeneration: 3 });
    expect(routeParents([stale, other], [], now)).toEqual([other]);
  });

  test("conditions keep their time while their status is the same", () => {
    const before = routeParents(undefined, resultsOf({ generation: 1 }), Date.parse(earlier));
    const sectionName = "unknown";
    const same = routeParents(before, resultsOf({ generation: 2 }), now);
    expect(same[0]?.conditions?.[0]).toMatchObject({ lastTransitionTime: earlier, observedGeneration: 2 });
    const changed = routeParents(before, resultsOf({ parentRefs: [parentRef({ sectionName })] }), now);
    expect(changed[0]?.conditions?.[0]?.lastTransitionTime).toBe("2026-01-02T00:00:00Z");
  });

  test("a condition that no longer applies is removed", () => {
    const bad = { matches: [], filters: [{ type: "No" }] };
    const partial = routeParents([], resultsOf({ rules: [{ matches: [] }, bad] }), now);
    expect(text(partial[0]?.conditions)).toContain("PartiallyInvalid=True/UnsupportedValue");
    expect(text(routeParents(partial, resultsOf({}), now)[0]?.conditions)).not.toContain(
      "PartiallyInvalid=True/UnsupportedValue",
    );
  });
});
