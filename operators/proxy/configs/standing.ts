import type { Condition } from "fettle";
import type { GatewayObject, HTTPRouteObject } from "../kinds/gateway-api.js";
import { controllerName, type CertificateObject, type RateLimitPolicyObject } from "../kinds/proxy.js";
import { refusedByNginx } from "../translate/findings.js";

/**
 * State of a configuration, or of one of its objects:
 *
 * - `ready`: nginx serves it.
 * - `pending`: it was written, and its status does not tell yet.
 * - `waiting`: something else is missing, such as a backend. It goes on when that appears.
 * - `refused`: it cannot be served as it is.
 */
export type Standing =
  | { readonly state: "ready" }
  | { readonly state: "pending" | "waiting" | "refused"; readonly reason: string; readonly message: string };

/** Reason of the Ready condition while nginx is being configured. */
export const programming = "Programming";

const ready: Standing = { state: "ready" };
const order = ["refused", "pending", "waiting", "ready"] as const;

export function pending(message: string): Standing {
  return { state: "pending", reason: programming, message };
}

/** The standing of all: the first refusal, else the first that is not known yet, else the first that waits. */
export function combine(all: readonly Standing[]): Standing {
  for (const state of order) {
    const found = all.find((each) => each.state === state);
    if (found !== undefined) return found;
  }
  return ready;
}

/** Reasons of conditions that are False only until somebody has looked. */
const undecided = new Set(["Pending", "NotReconciled"]);
/** Reasons for which a gateway is not programmed, and which only a change of the gateway ends. */
const permanent = new Set(["Invalid", refusedByNginx]);

type Conditions = readonly Condition[] | undefined;

/** Standing of a gateway. Conflicts of its listeners come first: they say more than that of the gateway. */
export function gatewayStanding(gateway: GatewayObject): Standing {
  const { metadata, spec, status } = gateway;
  const about = (name: string): string =>
    spec.listeners.find((each) => each.name === name)?.hostname ?? `listener ${name}`;
  const ofListeners = (status?.listeners ?? [])
    .filter(({ name }) => spec.listeners.some((each) => each.name === name))
    .map(({ name, conditions }) => listenerStanding(about(name), conditions, metadata.generation));
  const accepted = decide("gateway", "Accepted", status?.conditions, metadata.generation);
  const programmed = current(status?.conditions, "Programmed", metadata.generation);
  const isPermanent = permanent.has(programmed?.reason ?? "");
  return combine([
    // Statuses of listeners that are not current are those of the gateway before its last change.
    ...ofListeners.filter(({ state }) => state !== "pending"),
    accepted,
    decide(
      "gateway",
      "Programmed",
      status?.conditions,
      metadata.generation,
      isPermanent ? "refused" : "waiting",
    ),
  ]);
}

function listenerStanding(about: string, conditions: Conditions, generation: number | undefined): Standing {
  const conflict = current(conditions, "Conflicted", generation);
  if (conflict?.status === "True")
    return { state: "refused", reason: conflict.reason, message: `${about}: ${conflict.message}` };
  return combine([
    decide(about, "Accepted", conditions, generation),
    decide(about, "ResolvedRefs", conditions, generation, "waiting"),
  ]);
}

/** Standing of a route towards its gateway; other controllers may have written about other parents. */
export function routeStanding(about: string, route: HTTPRouteObject): Standing {
  const { generation } = route.metadata;
  const parents = (route.status?.parents ?? []).filter((each) => each.controllerName === controllerName);
  const wanted = route.spec.parentRefs ?? [];
  return combine(
    wanted.map(({ name, sectionName }) => {
      const parent = parents.find(
        ({ parentRef }) => parentRef.name === name && parentRef.sectionName === sectionName,
      );
      return combine([
        decide(about, "Accepted", parent?.conditions, generation),
        decide(about, "ResolvedRefs", parent?.conditions, generation, "waiting"),
      ]);
    }),
  );
}

export function policyStanding(about: string, { metadata, status }: RateLimitPolicyObject): Standing {
  return decide(about, "Accepted", status?.conditions, metadata.generation);
}

/** Problem of a certificate; its absence is shown by the listeners that need it. */
export function certificateStanding({ metadata, status }: CertificateObject): Standing {
  const found = current(status?.conditions, "Ready", metadata.generation);
  if (found?.status !== "False") return ready;
  return { state: "waiting", reason: found.reason, message: `certificate: ${found.message}` };
}

/** Standing by one condition; False means `otherwise`. */
function decide(
  about: string,
  type: string,
  conditions: Conditions,
  generation: number | undefined,
  otherwise: "refused" | "waiting" = "refused",
): Standing {
  const found = current(conditions, type, generation);
  if (found === undefined) return pending(`${about}: nginx is being configured`);
  if (found.status === "Unknown" || (found.status === "False" && undecided.has(found.reason)))
    return pending(`${about}: ${found.message}`);
  if (found.status === "True") return ready;
  return { state: otherwise, reason: found.reason, message: `${about}: ${found.message}` };
}

/** Condition that was written for a generation. */
function current(
  conditions: Conditions,
  type: string,
  generation: number | undefined,
): Condition | undefined {
  return conditions?.find((each) => each.type === type && each.observedGeneration === generation);
}
