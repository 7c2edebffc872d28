import type { HTTPRouteObject, RouteRule } from "../../kinds/gateway-api.js";
import type { RequestMatch } from "../configuration.js";
import { compileFilters, type Filters } from "./filters.js";
import type { Problem } from "../findings.js";
import { compileMatch } from "./matches.js";
import { compileTimeouts } from "./timeouts.js";

/** Rule of a route that can be served, before its backends are resolved. */
export interface CompiledRule {
  /** Position in the route, from 0. */
  readonly index: number;
  readonly name: string | undefined;
  readonly matches: readonly RequestMatch[];
  readonly filters: Filters;
  readonly backendRefs: NonNullable<RouteRule["backendRefs"]>;
  readonly timeout: number | undefined;
}

/** Rules of a route. Faulty ones are left out, as the Gateway API recommends, and the others are served. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  readonly problems: readonly (Problem & { readonly index: number })[];
}

const defaultMatch: RequestMatch = {
  path: { type: "Prefix", value: "/" },
  method: undefined,
  headers: [],
  queryParams: [],
};
/** Route without rules: it responds to all requests, though it has no backend for them. */
const defaultRules: readonly RouteRule[] = [{ matches: [] }];

/** Rules by route: objects are never changed, and after a change all routes but one are the same. */
const compiled = new WeakMap<HTTPRouteObject, CompiledRules>();

export function compileRules(route: HTTPRouteObject): CompiledRules {
  let result = compiled.get(route);
  if (result === undefined) {
    result = compile(route.spec.rules ?? defaultRules);
    compiled.set(route, result);
  }
  return result;
}

function compile(rules: readonly RouteRule[]): CompiledRules {
  const valid: CompiledRule[] = [];
  const problems: (Problem & { index: number })[] = [];
  for (const [index, rule] of rules.entries()) {
    const result = compileRule(rule, index);
    if ("reason" in result) {
      problems.push({ index, reason: result.reason, message: `spec.rules[${index}].${result.message}` });
    } else valid.push(result);
  }
  return { rules: valid, problems };
}

function compileRule(rule: RouteRule, index: number): CompiledRule | Problem {
  const { name, filters: list = [], backendRefs = [], timeouts } = rule;
  const matches: RequestMatch[] = [];
  for (const [position, match] of rule.matches.entries()) {
    const checked = compileMatch(match);
    if ("fault" in checked) return unsupported(`matches[${position}].${checked.fault}`);
    matches.push(checked.value);
  }
  if (matches.length === 0) matches.push(defaultMatch);
  const filters = compileFilters(list);
  if ("reason" in filters) return filters;
  const { redirect, rewrite } = filters;
  if (redirect !== undefined && backendRefs.length > 0) {
    const message =
      "filters: a rule with RequestRedirect passes no requests on: remove the filter or backendRefs";
    return { reason: "IncompatibleFilters", message };
  }
  const path = redirect?.path ?? rewrite?.path;
  if (path?.type === "prefix" && matches.some((match) => match.path.type !== "Prefix")) {
    return unsupported("filters: ReplacePrefixMatch needs matches of type PathPrefix in its rule");
  }
  const filtered = backendRefs.findIndex((reference) => (reference.filters ?? []).length > 0);
  if (filtered !== -1) {
    return unsupported(
      `backendRefs[${filtered}].filters are not supported: move them to the filters of the rule`,
    );
  }
  const timeout = compileTimeouts(timeouts);
  if ("fault" in timeout) return unsupported(timeout.fault);
  return { index, name, matches, filters, backendRefs, timeout: timeout.value };
}

function unsupported(message: string): Problem {
  return { reason: "UnsupportedValue", message };
}
