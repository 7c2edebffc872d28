import type {
  Destination,
  Forward,
  PathChange,
  PortConfiguration,
  Redirect,
  Respond,
  RoutingRule,
  Upstream,
} from "../translate/configuration.js";
import { block, directive, entry, pattern, text, variable, type Directive, type Text } from "./directive.js";
import { requestHeaders, responseHeaders } from "./headers.js";
import { decodePath, encodePath, prefixOf } from "./matching/path.js";
import { literal, rawPathBelow } from "./matching/pattern.js";
import {
  checkedHostname,
  checkedName,
  checkedNumber,
  quote,
  RefusedValue,
  type Refusals,
} from "./refusal.js";
import type { SharedVariables } from "./shared-variables.js";
import { splitShares } from "./split-shares.js";
import { connectTimeout, defaultConnectTimeout } from "./upstreams.js";

/** Surroundings of a rule. */
export interface ActionContext {
  readonly port: PortConfiguration;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly variables: SharedVariables;
  readonly refusals: Refusals;
}

/** Time without a limit: nginx has no value for that. */
const unlimited = "365d";

/** Directives that perform the action of a rule, without its limit. */
export function actionOf(rule: RoutingRule, context: ActionContext): readonly Directive[] {
  const action = simplified(rule);
  switch (action.type) {
    case "forward":
      return forward(rule, action, context);
    case "redirect":
      return [
        ...responseHeaders({ ...rule.responseHeaders, remove: [] }, rule.origin),
        redirect(rule, action, context),
      ];
    case "respond":
      return [
        ...responseHeaders({ ...rule.responseHeaders, remove: [] }, rule.origin),
        directive("return", checkedNumber(action.status, 200, 599, "the status", rule.origin)),
      ];
  }
}

/** True if nginx sends a response by `return`, which it does before it counts requests for a limit. */
export function isImmediate(rule: RoutingRule): boolean {
  return simplified(rule).type !== "forward";
}

function simplified({ action }: RoutingRule): Forward | Redirect | Respond {
  if (action.type !== "forward") return action;
  const [first, ...others] = action.destinations;
  const status = first !== undefined && "status" in first ? first.status : undefined;
  if (first === undefined) return { type: "respond", status: 500 };
  if (status === undefined || others.some((one) => !("status" in one) || one.status !== status))
    return action;
  return { type: "respond", status };
}

function forward(rule: RoutingRule, action: Forward, context: ActionContext): readonly Directive[] {
  const { origin } = rule;
  const { rewrite, destinations } = action;
  const hostname = rewrite?.hostname === undefined ? undefined : checkedHostname(rewrite.hostname, origin);
  const target = targetOf(destinations, rule, context);
  const statuses = new Set(destinations.flatMap((one) => ("status" in one ? [one.status] : [])));
  return [
    ...responseHeaders(rule.responseHeaders, origin),
    ...requestHeaders(rule.requestHeaders, hostname, context.variables, origin),
    ...timeouts(rule, destinations, context),
    ...[...statuses].map((status) =>
      block("if", ["(", target, "=", text(statusValue(status)), ")"], [directive("return", status)]),
    ),
    ...pass(rule, rewrite?.path, target),
  ];
}

/** Name of the upstream, or the variable with it if there are several. */
function targetOf(destinations: readonly Destination[], rule: RoutingRule, context: ActionContext): Text {
  const values = destinations.map((one) =>
    "status" in one ? statusValue(one.status) : upstreamName(one.upstream, rule, context),
  );
  const [only = "", ...others] = values;
  if (others.every((value) => value === only)) return text(only);
  const shares = splitShares(destinations.map(({ weight }) => weight));
  const entries = values.flatMap((value, position) => {
    const share = shares[position];
    return share === undefined ? [] : [entry(share, text(value))];
  });
  return text(variable(context.variables.split(entries, rule.origin)));
}

/** Value for a status, which no upstream has as its name. */
function statusValue(status: number): string {
  return `!${status}`;
}

function upstreamName(name: string, { origin }: RoutingRule, { upstreams }: ActionContext): string {
  if (upstreams.has(name)) return checkedName(name, origin);
  throw new RefusedValue(`there is no upstream named ${quote(name)}`, origin);
}

function timeouts(
  { timeout, origin }: RoutingRule,
  destinations: readonly Destination[],
  { upstreams }: ActionContext,
): readonly Directive[] {
  const connect = destinations.flatMap((one) => {
    const upstream = "upstream" in one ? upstreams.get(one.upstream) : undefined;
    return upstream === undefined ? [] : [connectTimeout(upstream)];
  });
  const longest = connect.length === 0 ? defaultConnectTimeout : Math.max(...connect);
  const result =
    longest === defaultConnectTimeout ? [] : [directive("proxy_connect_timeout", `${longest}ms`)];
  if (timeout === undefined) return result;
  const time = timeout === 0 ? unlimited : `${checkedNumber(timeout, 1, 2 ** 31, "the timeout", origin)}ms`;
  result.push(directive("proxy_read_timeout", time), directive("proxy_send_timeout", time));
  // Without this, another server is tried after the time, and the client waits once more.
  if (timeout > 0) result.push(directive("proxy_next_upstream_timeout", time));
  return result;
}

function pass(rule: RoutingRule, change: PathChange | undefined, target: Text): readonly Directive[] {
  const { origin } = rule;
  if (change === undefined) return [directive("proxy_pass", text("http://", ...target.parts))];
  if (change.type === "full") {
    const path = [encodePath(change.path, origin), variable("is_args"), variable("args")];
    return [directive("proxy_pass", text("http://", ...target.parts, ...path))];
  }
  // Of the decoded path: the raw one can have ".." in it, with which a request could leave the new prefix.
  const prefix = literal(matchedPrefix(rule));
  const replacement = prefixOf(change.path === "" ? "/" : decodedReplacement(change.path, rule));
  const [expression, path] =
    replacement === "" ? [`(?s)^${prefix}/*(.*)\\z`, "/"] : [`(?s)^${prefix}(.*)\\z`, replacement];
  return [
    directive("rewrite", pattern(expression), text(path, variable("1")), "break"),
    directive("proxy_pass", text("http://", ...target.parts)),
  ];
}

/** Path that a change of the prefix replaces. */
function matchedPrefix({ match: { path }, origin }: RoutingRule): string {
  if (path.type !== "RegularExpression") return prefixOf(decodePath(path.value, origin));
  throw new RefusedValue("a prefix can only be replaced in rules that match a prefix of the path", origin);
}

/** New prefix as nginx handles it, which escapes it again: refused if that would not give the same path. */
function decodedReplacement(path: string, { origin }: RoutingRule): string {
  const decoded = decodePath(path, origin);
  if (!/[?#]/.test(path) && !/%(?:2f|3f|23|25)/i.test(path)) return decoded;
  throw new RefusedValue(
    `the prefix ${quote(path)} has characters that nginx cannot write into a path`,
    origin,
  );
}

function redirect(rule: RoutingRule, action: Redirect, { port, variables }: ActionContext): Directive {
  const { origin } = rule;
  const scheme = action.scheme ?? (port.protocol === "HTTPS" ? "https" : "http");
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme))
    throw new RefusedValue(`${quote(scheme)} is not the scheme of a URL`, origin);
  const host = action.hostname === undefined ? variable("host") : checkedHostname(action.hostname, origin);
  const wellKnown = scheme === "https" ? 443 : scheme === "http" ? 80 : undefined;
  const target = action.port ?? (action.scheme === undefined ? port.port : (wellKnown ?? port.port));
  checkedNumber(target, 1, 65_535, "the port of a redirect", origin);
  const suffix = target === wellKnown ? "" : `:${target}`;
  const url = text(`${scheme}://`, host, suffix, ...redirectPath(rule, action.path, variables));
  return directive("return", checkedNumber(action.status, 300, 399, "the status of a redirect", origin), url);
}

function redirectPath(
  rule: RoutingRule,
  change: PathChange | undefined,
  variables: SharedVariables,
): Text["parts"] {
  if (change === undefined) return [variable("request_uri")];
  const query = [variable("is_args"), variable("args")];
  if (change.type === "full") return [encodePath(change.path, rule.origin), ...query];
  // Of the raw path: the decoded one can have line breaks in it, which must not get into a header.
  const replacement = prefixOf(change.path === "" ? "/" : encodePath(change.path, rule.origin));
  const entries = [
    entry("default", text(replacement === "" ? "/" : "")),
    entry(pattern(rawPathBelow(matchedPrefix(rule))), text(variable("1"))),
  ];
  const rest = variables.map("rest", text(variable("request_uri")), entries, rule.origin);
  return [replacement, variable(rest), ...query];
}
