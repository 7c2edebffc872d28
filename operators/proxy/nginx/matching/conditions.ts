import type { Origin, RequestMatch, RoutingRule } from "../../translate/configuration.js";
import { RefusedValue } from "../refusal.js";
import { decodePath, prefixOf } from "./path.js";
import { exactly, literal, queryParameter, wholePath } from "./pattern.js";

/** Condition of a rule: a variable of nginx has to match a regular expression. */
interface Condition {
  readonly variable: string;
  readonly expression: string;
}

/** Rule of a server with its path as nginx compares it. */
export interface Candidate {
  /** Place among the rules of the server, which is its precedence. */
  readonly index: number;
  readonly rule: RoutingRule;
  readonly location: CandidateLocation;
  /** Further conditions; a rule without any decides all requests for its path. */
  readonly conditions: readonly Condition[];
}

/**
 * Location of a rule: an exact path, or a prefix without a slash at its end. A rule whose path is no location of nginx has it among
 * its conditions; `below` is the path of those that only concern locations above it.
 */
type CandidateLocation =
  | { readonly type: "exact" | "prefix"; readonly path: string }
  | { readonly type: "any"; readonly below: string | undefined };

/** nginx compares only the lowest 8 bits of a length when it looks for a location. */
const maxLocationBytes = 254;

export function candidate(rule: RoutingRule, index: number): Candidate {
  const { match, origin } = rule;
  const conditions = conditionsOf(match, origin);
  if (match.path.type === "RegularExpression") {
    const expression = wholePath(match.path.value, origin);
    return {
      index,
      rule,
      location: { type: "any", below: undefined },
      conditions: [{ variable: "uri", expression }, ...conditions],
    };
  }
  const decoded = decodePath(match.path.value, origin);
  const isExact = match.path.type === "Exact";
  const path = isExact ? decoded : prefixOf(decoded);
  if (Buffer.byteLength(path) <= maxLocationBytes)
    return { index, rule, location: { type: isExact ? "exact" : "prefix", path }, conditions };
  const expression = isExact ? exactly(path) : `^${literal(path)}(?:/|\\z)`;
  return {
    index,
    rule,
    location: { type: "any", below: path },
    conditions: [{ variable: "uri", expression }, ...conditions],
  };
}

function conditionsOf({ method, headers, queryParams }: RequestMatch, origin: Origin): readonly Condition[] {
  return [
    ...(method === undefined ? [] : [{ variable: "request_method", expression: exactly(method) }]),
    ...headers.map(({ name, value }) => {
      return { variable: headerVariable(name, origin), expression: exactly(value) };
    }),
    ...queryParams.map(({ name, value }) => ({ variable: "args", expression: queryParameter(name, value) })),
  ];
}

/** Variable with the value of a request header. */
export function headerVariable(name: string, origin: Origin): string {
  if (/^[A-Za-z0-9-]{1,256}$/.test(name)) return `http_${name.toLowerCase().replaceAll("-", "_")}`;
  const problem = `nginx cannot read the header ${JSON.stringify(name)}: only letters, digits and "-" are possible`;
  throw new RefusedValue(problem, origin);
}
