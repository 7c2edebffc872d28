import type { Backends } from "../backends/backends.js";
import type { Destination, Origin, RoutingRule, RuleAction } from "../configuration.js";
import { finding, joinMessages, type Problem } from "../findings.js";
import type { Identity } from "../identity.js";
import type { Limits } from "../policies.js";
import type { CompiledRule } from "./rules.js";
import type { Finding } from "../translation.js";

/** Rules of a route with their backends resolved. */
export interface RoutedRules {
  /** Condition ResolvedRefs. */
  readonly resolvedRefs: Finding;
  /** Rules for the configuration. What they use becomes part of it, so this is called for routes that are served only. */
  serve(limits: Limits): readonly RoutingRule[];
}

const resolved = finding("ResolvedRefs", true, "ResolvedRefs", "All references are resolved");

/** Rules without a backend that requests could be passed to get this status; the Gateway API demands it. */
const noBackend: RuleAction = { type: "respond", status: 500 };

export function resolveRules(
  rules: readonly CompiledRule[],
  route: Identity,
  backends: Backends,
): RoutedRules {
  const problems: Problem[] = [];
  const warnings = new Set<string>();
  const actions = rules.map((rule) => {
    const field = `spec.rules[${rule.index}]`;
    if (rule.filters.hasExtension) {
      const message = `${field}.filters: ExtensionRef is not supported: requests get 500`;
      problems.push({ reason: "InvalidKind", message });
    }
    const targets = rule.backendRefs.map((reference) => backends.resolve(reference, route.namespace));
    for (const [index, { problem, warning }] of targets.entries()) {
      if (problem !== undefined) {
        problems.push({ ...problem, message: `${field}.backendRefs[${index}]: ${problem.message}` });
      }
      if (warning !== undefined) warnings.add(warning);
    }
    return { rule, targets };
  });
  return {
    resolvedRefs: resolvedRefs(problems, warnings),
    serve(limits) {
      const origin: Origin = { kind: "HTTPRoute", namespace: route.namespace, name: route.name };
      return actions.flatMap(({ rule, targets }) => {
        const used = targets.filter(({ destination }) => destination.weight > 0);
        const action = actionOf(
          rule,
          used.map(({ destination }) => destination),
        );
        if (action.type === "forward") {
          for (const { upstream } of used) if (upstream !== undefined) backends.use(upstream);
        }
        const common = {
          action,
          requestHeaders: rule.filters.requestHeaders,
          responseHeaders: rule.filters.responseHeaders,
          limit: limits.limitOf(route.path, rule.index),
          timeout: rule.timeout,
          origin: { ...origin, part: rule.name ?? `rules[${rule.index}]` },
        };
        return rule.matches.map((match) => ({ match, ...common }));
      });
    },
  };
}

function actionOf({ filters }: CompiledRule, destinations: readonly Destination[]): RuleAction {
  if (filters.hasExtension) return noBackend;
  if (filters.redirect !== undefined) return filters.redirect;
  const [first] = destinations;
  if (first === undefined) return noBackend;
  if ("status" in first) {
    const { status } = first;
    const isSame = destinations.every((other) => "status" in other && other.status === status);
    if (isSame) return { type: "respond", status };
  }
  return { type: "forward", destinations, rewrite: filters.rewrite };
}

function resolvedRefs(problems: readonly Problem[], warnings: ReadonlySet<string>): Finding {
  const [first] = problems;
  if (first !== undefined) {
    const message = joinMessages(problems.map((problem) => problem.message));
    return finding("ResolvedRefs", false, first.reason, message);
  }
  if (warnings.size === 0) return resolved;
  return finding("ResolvedRefs", true, "ResolvedRefs", joinMessages([...warnings]));
}
