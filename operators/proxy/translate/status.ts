import { formatTime, type Condition } from "fettle/model";
import type { GatewayObject, HTTPRouteObject } from "../kinds/gateway-api.js";
import { controllerName } from "../kinds/proxy.js";
import type { Programming, Result } from "../results.js";
import { finding } from "./findings.js";
import type { Finding, GatewayResult, RouteResult } from "./translation.js";

type ListenerStatuses = NonNullable<NonNullable<GatewayObject["status"]>["listeners"]>;
type ParentStatuses = NonNullable<NonNullable<HTTPRouteObject["status"]>["parents"]>;
type ParentReference = ParentStatuses[number]["parentRef"];

/** Status of a gateway, before times are added to its conditions. */
interface GatewayStatus {
  readonly addresses: readonly { readonly type: string; readonly value: string }[];
  readonly conditions: readonly Finding[];
  /** Status of the listeners; conditions whose status is that of an existing one keep its time. */
  listeners(existing: ListenerStatuses | undefined, now: number): ListenerStatuses;
}

/** Makes the status of a gateway. A gateway or listener that was left out is not programmed, whatever nginx serves. */
export function gatewayStatus(
  result: GatewayResult,
  programming: Programming,
  addresses: readonly string[],
): GatewayStatus {
  const isServed = !result.conditions.some(isNotProgrammed);
  return {
    addresses: isServed ? addresses.map((value) => ({ type: "IPAddress", value })) : [],
    conditions: withProgrammed(result.conditions, programming, "The gateway is served"),
    listeners: (existing, now) =>
      result.listeners.map(({ name, supportedKinds, attachedRoutes, conditions }) => {
        const before = existing?.find((listener) => listener.name === name)?.conditions;
        const findings = withProgrammed(conditions, programming, "The listener is served");
        return {
          name,
          supportedKinds: [...supportedKinds],
          attachedRoutes,
          conditions: withTimes(findings, before, result.generation, now),
        };
      }),
  };
}

/**
 * Makes the complete `status.parents` of a route: entries of other controllers stay as they are, and ours are replaced.
 *
 * @param results Results of all classes that the route has a gateway of.
 */
export function routeParents(
  existing: ParentStatuses | undefined,
  results: readonly Result<RouteResult>[],
  now: number,
): ParentStatuses {
  const ours = new Map<string, ParentStatuses[number]>();
  const others: ParentStatuses[number][] = [];
  for (const parent of existing ?? []) {
    if (parent.controllerName === controllerName) ours.set(keyOf(parent.parentRef), parent);
    else others.push(parent);
  }
  const parents = results.flatMap(({ result }) =>
    result.parents.map(({ parentRef, conditions }) => ({
      parentRef,
      controllerName,
      conditions: withTimes(conditions, ours.get(keyOf(parentRef))?.conditions, result.generation, now),
    })),
  );
  return [...others, ...parents];
}

function isNotProgrammed({ type, status }: Finding): boolean {
  return type === "Programmed" && status === "False";
}

function withProgrammed(
  findings: readonly Finding[],
  { problem }: Programming,
  message: string,
): readonly Finding[] {
  if (findings.some(({ type }) => type === "Programmed")) return findings;
  if (problem === undefined) return [...findings, finding("Programmed", true, "Programmed", message)];
  // The Gateway API has two reasons: what has to be corrected, and what can pass by itself.
  const reason = problem.reason === "Refused" ? "Invalid" : "Pending";
  return [...findings, finding("Programmed", false, reason, problem.message)];
}

/** Adds generation and time. The time of a condition is that of the last change of its status. */
function withTimes(
  findings: readonly Finding[],
  existing: readonly Condition[] | undefined,
  observedGeneration: number,
  now: number,
): Condition[] {
  return findings.map(({ type, status, reason, message }) => {
    const before = existing?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : formatTime(now);
    return { type, status, reason, message, lastTransitionTime, observedGeneration };
  });
}

function keyOf({ group, kind, namespace, name, sectionName, port }: ParentReference): string {
  return JSON.stringify([
    group ?? "gateway.networking.k8s.io",
    kind ?? "Gateway",
    namespace ?? null,
    name,
    sectionName ?? null,
    port ?? null,
  ]);
}
