import type { Problem } from "../findings.js";
import { finding, joinMessages } from "../findings.js";
import { faultOf } from "../gateways/gateway-results.js";
import type { Identity } from "../identity.js";
import type { ResolvedGateway } from "../gateways/listeners.js";
import type { Binding } from "./route-binding.js";
import type { CompiledRules } from "./rules.js";
import type { Finding, RouteResult } from "../translation.js";

interface RouteFacts {
  readonly identity: Identity;
  readonly bindings: readonly Binding[];
  /** Fault that keeps all rules from being served. */
  readonly problem: Problem | undefined;
  readonly compiled: CompiledRules;
  readonly resolvedRefs: Finding;
  readonly gateways: ReadonlyMap<string, ResolvedGateway>;
}

/** Fault of a route whose rules are all invalid. */
export function routeProblem({ rules, problems }: CompiledRules): Problem | undefined {
  const [first] = problems;
  if (first === undefined || rules.length > 0) return undefined;
  return { reason: first.reason, message: joinMessages(problems.map(({ message }) => message)) };
}

/** Makes the conditions of a route for each of its gateways. */
export function routeResult(facts: RouteFacts): RouteResult {
  const { uid, name, namespace, generation } = facts.identity;
  const parents = facts.bindings.map((binding) => ({
    parentRef: binding.parentRef,
    conditions: [...accepted(binding, facts), facts.resolvedRefs],
  }));
  return { uid, name, namespace, generation, parents };
}

const valid = finding("Accepted", true, "Accepted", "The route is valid");

function accepted(binding: Binding, { problem, compiled, gateways }: RouteFacts): Finding[] {
  const fault = binding.problem ?? problem ?? listenerFault(binding, gateways);
  if (fault !== undefined) return [finding("Accepted", false, fault.reason, fault.message)];
  const [first] = compiled.problems;
  if (first === undefined) return [valid];
  const rules = compiled.problems.map(({ index }) => `spec.rules[${index}]`).join(", ");
  const faults = joinMessages(compiled.problems.map(({ message }) => message));
  const partial = finding("PartiallyInvalid", true, first.reason, `Dropped Rule ${rules}: ${faults}`);
  return [finding("Accepted", true, "Accepted", `The route is served without ${rules}`), partial];
}

/** A route whose listeners are all left out is not served, whatever its own state. */
function listenerFault(
  { listeners }: Binding,
  gateways: ReadonlyMap<string, ResolvedGateway>,
): Problem | undefined {
  const [first] = listeners;
  if (first === undefined || listeners.some(({ isServed }) => isServed)) return undefined;
  const { gateway } = first;
  const message = gateways.get(gateway.path)?.problem?.message ?? faultOf(first)?.message ?? "it is invalid";
  return {
    reason: "InvalidListener",
    message: `listener ${first.spec.name} of Gateway ${gateway.path} is not served: ${message}`,
  };
}
