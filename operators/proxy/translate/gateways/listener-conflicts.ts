import type { Problem } from "../findings.js";
import { anyHost, enclosingWildcards, intersect, type Host } from "../hostnames.js";
import { compareAge, type Identity } from "../identity.js";
import type { ResolvedListener } from "./listeners.js";

type Listener = Pick<ResolvedListener, "gateway" | "spec" | "host" | "protocol">;

/** Claims on one port, by the gateways that came first. */
interface Port<T> {
  readonly first: T;
  readonly hosts: Map<Host, T>;
}

/** Host that a route names. */
export interface RoutedHost {
  readonly host: Host;
  readonly route: Identity;
}

/**
 * Finds listeners that cannot be told apart from others on the same port. Within a gateway all of them are in conflict, as the
 * Gateway API demands. Between gateways the older one keeps what it has, so that nobody can take down a gateway of others.
 *
 * Between namespaces it also keeps the hosts that a more specific listener would take from it: those below its wildcard, and, if it
 * has no hostname, those that its older routes name. Otherwise any namespace could receive the requests of another.
 *
 * @param gateways Listeners by gateway, the oldest first.
 * @param routedHosts Hosts of the routes that are attached to a listener without a hostname.
 */
export function findConflicts<T extends Listener>(
  gateways: readonly (readonly T[])[],
  routedHosts: (listener: T) => readonly RoutedHost[],
): Map<T, Problem> {
  const conflicts = new Map<T, Problem>();
  const ports = new Map<number, Port<T>>();
  for (const listeners of gateways) {
    conflictsWithin(listeners, conflicts);
    for (const listener of listeners) {
      if (conflicts.has(listener)) continue;
      const { port } = listener.spec;
      const claims = ports.get(port);
      const winner = claims === undefined ? undefined : rival(listener, claims, routedHosts);
      if (winner !== undefined) {
        conflicts.set(listener, conflictWith(listener, winner));
      } else if (claims === undefined) {
        ports.set(port, { first: listener, hosts: new Map([[listener.host, listener]]) });
      } else {
        claims.hosts.set(listener.host, listener);
      }
    }
  }
  return conflicts;
}

function rival<T extends Listener>(
  listener: T,
  { first, hosts }: Port<T>,
  routedHosts: (listener: T) => readonly RoutedHost[],
): T | undefined {
  if (first.protocol !== listener.protocol) return first;
  const { host, gateway } = listener;
  const same = hosts.get(host);
  if (same !== undefined) return same;
  const isForeign = (other: T | undefined): other is T =>
    other !== undefined && other.gateway.namespace !== gateway.namespace;
  for (const wildcard of enclosingWildcards(host)) {
    const other = hosts.get(wildcard);
    if (isForeign(other)) return other;
  }
  const other = hosts.get(anyHost);
  if (!isForeign(other)) return undefined;
  const isTaken = routedHosts(other).some(
    (routed) => compareAge(routed.route, gateway) < 0 && intersect(routed.host, host) !== undefined,
  );
  return isTaken ? other : undefined;
}

function conflictsWithin<T extends Listener>(listeners: readonly T[], conflicts: Map<T, Problem>): void {
  const ports = groupByPort(listeners);
  for (const sharing of ports.values()) {
    const protocols = new Set(sharing.map(({ protocol }) => protocol));
    const hosts = new Map<Host, T>();
    for (const listener of sharing) {
      const other =
        protocols.size > 1
          ? sharing.find(({ protocol }) => protocol !== listener.protocol)
          : hosts.get(listener.host);
      if (other === undefined) {
        hosts.set(listener.host, listener);
        continue;
      }
      conflicts.set(listener, conflictWith(listener, other));
      if (!conflicts.has(other)) conflicts.set(other, conflictWith(other, listener));
    }
  }
}

function groupByPort<T extends Listener>(listeners: readonly T[]): Map<number, T[]> {
  const ports = new Map<number, T[]>();
  for (const listener of listeners) {
    const { port } = listener.spec;
    const sharing = ports.get(port);
    if (sharing === undefined) ports.set(port, [listener]);
    else sharing.push(listener);
  }
  return ports;
}

function conflictWith(listener: Listener, other: Listener): Problem {
  const name = `listener ${other.spec.name} of Gateway ${other.gateway.path}`;
  const { port } = listener.spec;
  if (listener.protocol !== other.protocol) {
    const message = `port ${port} is used for ${other.protocol} by ${name}: use another port or the same protocol`;
    return { reason: "ProtocolConflict", message };
  }
  if (listener.host !== other.host) {
    const message = `requests for ${listener.host} on port ${port} belong to ${name}, in another namespace: use another port or hostname, or attach routes to that gateway`;
    return { reason: "HostnameConflict", message };
  }
  const host = listener.host === "" ? "without a hostname" : `with hostname ${listener.host}`;
  const message = `port ${port} ${host} is used by ${name} as well: use another port or hostname`;
  return { reason: "HostnameConflict", message };
}
