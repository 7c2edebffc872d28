import type { LimitZone, RoutingRule, RuleLimit } from "../translate/configuration.js";
import {
  block,
  directive,
  emptyValue,
  entry,
  pattern,
  text,
  variable,
  type Argument,
  type Directive,
} from "./directive.js";
import { headerVariable } from "./matching/conditions.js";
import { checkedName, checkedNumber } from "./refusal.js";
import type { RenderPaths } from "./rendered.js";

/** Variable with the name of the zone that a location counts in. */
const zoneVariable = "fettle_zone";
const refusedVariable = "fettle_refused";
const refusedFormat = "fettle_refused";

/** Directives for the zones of limits, and the log of refused requests. */
export function limitDirectives(zones: readonly LimitZone[], paths: RenderPaths): readonly Directive[] {
  if (zones.length === 0) return [];
  const headers = new Map(
    zones.flatMap((zone) => (zone.key.type === "Header" ? [[keyVariable(zone), zone]] : [])),
  );
  const sizes = zoneSizes(zones);
  return [
    ...[...headers].map(([name, zone]) => headerKey(name, zone)),
    ...zones.map((zone) => zoneDirective(zone, sizes.get(zone.origin.namespace) ?? largestZone)),
    directive("limit_req_log_level", "warn"),
    block(
      "map",
      [text(variable("limit_req_status")), text(variable(refusedVariable))],
      [entry("default", 0), entry(pattern("^REJECTED\\z"), 1)],
    ),
    directive("log_format", text(refusedFormat), "escape=json", logLine()),
    directive(
      "access_log",
      text(paths.limitLog),
      text(refusedFormat),
      text("if=", variable(refusedVariable)),
    ),
  ];
}

/** Directives that apply the limit of a rule. */
export function limitOf({ zone, burst, status }: RuleLimit, rule: RoutingRule): readonly Directive[] {
  const name = checkedName(zone, rule.origin);
  const bursts =
    burst === 0 ? [] : [`burst=${checkedNumber(burst, 0, 1_000_000_000, "the burst", rule.origin)}`];
  return [
    directive("set", text(variable(zoneVariable)), text(name)),
    directive("limit_req", text(`zone=${name}`), ...bursts, "nodelay"),
    directive("limit_req_status", checkedNumber(status, 400, 599, "the status of a limit", rule.origin)),
  ];
}

/** Kilobytes of the zones of one namespace together, unless there are more than a thousand. */
const namespaceMemory = 64 * 1024;
const largestZone = 4096;
const smallestZone = 64;

/**
 * Kilobytes of each zone by namespace. A namespace with many limits has smaller zones, so that it cannot take the memory of the
 * machine, nor room from the zones of others. Sizes are powers of two, since nginx forgets the counts of a zone with another size.
 */
function zoneSizes(zones: readonly LimitZone[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { origin } of zones) counts.set(origin.namespace, (counts.get(origin.namespace) ?? 0) + 1);
  return new Map(
    [...counts].map(([namespace, count]) => {
      const share = 2 ** Math.floor(Math.log2(namespaceMemory / count));
      return [namespace, Math.min(largestZone, Math.max(smallestZone, share))];
    }),
  );
}

function zoneDirective(zone: LimitZone, kilobytes: number): Directive {
  const { key, requests, per, origin } = zone;
  const name = checkedName(zone.name, origin);
  const rate = checkedNumber(requests, 1, 1_000_000, "the number of requests", origin);
  // An address takes 64 bytes. nginx replaces the oldest if there is no room.
  const size = `${key.type === "Route" ? smallestZone : kilobytes}k`;
  return {
    ...directive(
      "limit_req_zone",
      keyOf(zone),
      text(`zone=${name}:${size}`),
      `rate=${rate}r/${per === "second" ? "s" : "m"}`,
    ),
    origin,
  };
}

/** Key of the counters. nginx does not reload a zone with another key: it must not change for the same zone. */
function keyOf(zone: LimitZone): Argument {
  switch (zone.key.type) {
    case "ClientAddress":
      return text(variable("binary_remote_addr"));
    case "Header":
      return text(variable(keyVariable(zone)));
    case "Route":
      return text("all");
  }
}

/** Requests without the header are counted together: nginx does not limit those with an empty key. */
function headerKey(name: string, { key, origin }: LimitZone): Directive {
  const source = variable(headerVariable(key.type === "Header" ? key.header : "", origin));
  const entries = [entry("default", text(source)), entry(emptyValue, text("-"))];
  return block("map", [text(source), text(variable(name))], entries, origin);
}

function keyVariable({ key, origin }: LimitZone): string {
  return `limit_${headerVariable(key.type === "Header" ? key.header : "", origin)}`;
}

/** Line for a refused request; the values are escaped by nginx. */
function logLine(): Argument {
  const fields = [
    ["zone", zoneVariable],
    ["client", "remote_addr"],
    ["host", "host"],
    ["uri", "request_uri"],
    ["method", "request_method"],
  ] as const;
  const parts = fields.flatMap(([field, source]) => [`,"${field}":"`, variable(source), '"']);
  return text('{"time":', variable("msec"), ...parts, "}");
}
