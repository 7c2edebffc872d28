import type { RequestMatch, RoutingRule } from "../configuration.js";

/** Rule on a host, with the specificity of the route's host that brought it there. */
export interface RankedRule {
  readonly rule: RoutingRule;
  readonly rank: number;
}

/** The order of patterns is left open by the Gateway API; nginx, too, tries them after exact paths and before prefixes. */
const pathRanks = { Exact: 2, RegularExpression: 1, Prefix: 0 };

/**
 * Puts the rules of a host in the order in which they are tried: by host of their route, path, method, number of headers and number of
 * query parameters. Rules that are equal in this stay in their order, which has to be that of the routes' age.
 */
export function byPrecedence(rules: readonly RankedRule[]): readonly RoutingRule[] {
  const sorted = rules.length > 1 ? rules.toSorted(compareRules) : rules;
  return sorted.map(({ rule }) => rule);
}

function compareRules(one: RankedRule, other: RankedRule): number {
  return other.rank - one.rank || compareMatches(one.rule.match, other.rule.match);
}

function compareMatches(one: RequestMatch, other: RequestMatch): number {
  return (
    pathRanks[other.path.type] - pathRanks[one.path.type] ||
    other.path.value.length - one.path.value.length ||
    Number(other.method !== undefined) - Number(one.method !== undefined) ||
    other.headers.length - one.headers.length ||
    other.queryParams.length - one.queryParams.length
  );
}
