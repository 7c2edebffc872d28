import type { PortConfiguration, RoutingRule, VirtualServer } from "./configuration.js";
import { anyHost, compareHosts, intersect, mostSpecific, specificity, type Host } from "./hostnames.js";
import type { ResolvedGateway, ResolvedListener } from "./gateways/listeners.js";
import { byPrecedence, type RankedRule } from "./routes/precedence.js";

interface Server {
  readonly listener: ResolvedListener;
  readonly rules: RankedRule[];
}

interface Port {
  readonly protocol: "HTTP" | "HTTPS";
  /** Listeners by host, also those that are not served: a request for a host belongs to the most specific listener only. */
  readonly listeners: Map<Host, ResolvedListener>;
  readonly servers: Map<Host, Server>;
}

/**
 * Servers of all ports. Each listener has one for its host, and one for each narrower host of its routes. A request is served by the most
 * specific host alone: a path that none of its rules match is 404, though a wildcard may have a rule for it.
 */
export class VirtualServers {
  readonly #ports = new Map<number, Port>();

  constructor(gateways: readonly ResolvedGateway[]) {
    for (const { problem, listeners } of gateways) {
      if (problem === undefined) for (const listener of listeners) this.#addListener(listener);
    }
  }

  /** Hosts of a route that requests through this listener can have; empty if more specific listeners have them all. */
  hostsOf(listener: ResolvedListener, routeHosts: readonly Host[]): ReadonlyMap<Host, number> {
    const listeners = this.#ports.get(listener.spec.port)?.listeners ?? new Map<Host, ResolvedListener>();
    const ranks = new Map<Host, number>();
    for (const routeHost of routeHosts) {
      const host = intersect(listener.host, routeHost);
      if (host === undefined || mostSpecific(listeners, host) !== listener) continue;
      ranks.set(host, Math.max(ranks.get(host) ?? 0, specificity(routeHost)));
    }
    return ranks;
  }

  /** Adds the rules of a route. Routes have to be added in order of their age. */
  addRules(
    listener: ResolvedListener,
    hosts: ReadonlyMap<Host, number>,
    rules: readonly RoutingRule[],
  ): void {
    const port = this.#ports.get(listener.spec.port);
    if (port === undefined) return;
    for (const [host, rank] of hosts) {
      let server = port.servers.get(host);
      if (server === undefined) {
        server = { listener, rules: [] };
        port.servers.set(host, server);
      }
      for (const rule of rules) server.rules.push({ rule, rank });
    }
  }

  configurations(): readonly PortConfiguration[] {
    return [...this.#ports]
      .filter(([, { servers }]) => servers.size > 0)
      .toSorted(([one], [other]) => one - other)
      .map(([port, { protocol, servers }]) => ({
        port,
        protocol,
        servers: [...servers].toSorted(([one], [other]) => compareHosts(one, other)).map(toVirtualServer),
      }));
  }

  #addListener(listener: ResolvedListener): void {
    const { conflict, protocol, host, spec, isServed } = listener;
    if (conflict !== undefined || protocol === undefined) return;
    let port = this.#ports.get(spec.port);
    if (port === undefined) {
      port = { protocol, listeners: new Map(), servers: new Map() };
      this.#ports.set(spec.port, port);
    }
    port.listeners.set(host, listener);
    if (isServed) port.servers.set(host, { listener, rules: [] });
  }
}

function toVirtualServer([host, { listener, rules }]: [Host, Server]): VirtualServer {
  const { gateway, certificates, spec } = listener;
  return {
    hostname: host === anyHost ? undefined : host,
    certificates,
    rules: byPrecedence(rules),
    origin: { kind: "Gateway", namespace: gateway.namespace, name: gateway.name, part: spec.name },
  };
}
