import { finding, joinMessages, type Problem } from "../findings.js";
import type { ResolvedGateway, ResolvedListener } from "./listeners.js";
import type { Finding, GatewayResult, ListenerResult } from "../translation.js";

/** Makes the conditions of a gateway and its listeners. */
export function gatewayResult(
  { identity, problem, listeners }: ResolvedGateway,
  attachedRoutes: (listener: ResolvedListener) => number,
): GatewayResult {
  const { uid, name, namespace, generation } = identity;
  return {
    uid,
    name,
    namespace,
    generation,
    conditions: problem === undefined ? fromListeners(listeners) : fromProblem(problem),
    listeners: listeners.map((listener) => listenerResult(listener, problem, attachedRoutes(listener))),
  };
}

function fromProblem({ condition, reason, message }: NonNullable<ResolvedGateway["problem"]>): Finding[] {
  if (condition === "Programmed") {
    const accepted = finding("Accepted", true, "Accepted", "The gateway is valid");
    return [accepted, finding("Programmed", false, reason, message)];
  }
  return [finding("Accepted", false, reason, message), finding("Programmed", false, "Invalid", message)];
}

/** A gateway is accepted if one of its listeners is served at least. */
function fromListeners(listeners: readonly ResolvedListener[]): Finding[] {
  const left = listeners.filter(({ isServed }) => !isServed);
  if (left.length === 0) return [finding("Accepted", true, "Accepted", "All listeners are valid")];
  const faults = joinMessages(left.map((listener) => `${listener.spec.name}: ${faultOf(listener)?.message}`));
  const served = listeners.filter(({ isServed }) => isServed).map(({ spec }) => spec.name);
  if (served.length > 0) {
    const message = `Listeners that are served: ${served.join(", ")}. Not served: ${faults}`;
    return [finding("Accepted", true, "ListenersNotValid", message)];
  }
  const message = `No listener can be served: ${faults}`;
  return [
    finding("Accepted", false, "ListenersNotValid", message),
    finding("Programmed", false, "Invalid", message),
  ];
}

function listenerResult(
  listener: ResolvedListener,
  gatewayProblem: ResolvedGateway["problem"],
  attachedRoutes: number,
): ListenerResult {
  const { spec, kinds, conflict, unresolved, warning, isServed } = listener;
  const rejected = conflict ?? listener.problem;
  const conditions = [
    rejected === undefined
      ? finding("Accepted", true, "Accepted", "The listener is valid")
      : finding("Accepted", false, rejected.reason, rejected.message),
    resolvedRefs(unresolved, warning),
    conflict === undefined
      ? finding("Conflicted", false, "NoConflicts", "No other listener has the same port and hostname")
      : finding("Conflicted", true, conflict.reason, conflict.message),
  ];
  if (!isServed) conditions.push(notProgrammed(faultOf(listener) ?? gatewayProblem));
  return { name: spec.name, supportedKinds: kinds.supported, attachedRoutes, conditions };
}

function resolvedRefs(unresolved: Problem | undefined, warning: Problem | undefined): Finding {
  if (unresolved !== undefined) return finding("ResolvedRefs", false, unresolved.reason, unresolved.message);
  if (warning !== undefined) return finding("ResolvedRefs", true, warning.reason, warning.message);
  return finding("ResolvedRefs", true, "ResolvedRefs", "All references are resolved");
}

/** Fault that keeps a listener from being served. */
export function faultOf({ conflict, problem, unresolved }: ResolvedListener): Problem | undefined {
  return conflict ?? problem ?? unresolved;
}

function notProgrammed(problem: Problem | undefined): Finding {
  // A port can become free without a change of the gateway; everything else has to be corrected there.
  const reason = problem?.reason === "PortUnavailable" ? "Pending" : "Invalid";
  return finding("Programmed", false, reason, problem?.message ?? "The listener is not served");
}
