import { duration } from "fettle";
import type { GatewayObject, HTTPRouteObject } from "../kinds/gateway-api.js";
import { controllerName, defaultClass, ProxyClass, type ProxyClassObject } from "../kinds/proxy.js";
import { Backends } from "./backends/backends.js";
import { originKey, type ProxySettings } from "./configuration.js";
import { refusedByNginx, type Problem } from "./findings.js";
import { gatewayResult } from "./gateways/gateway-results.js";
import { compileGrants } from "./grants.js";
import { compareAge, identityOf, type Identity } from "./identity.js";
import { resolveListeners, type ResolvedGateway, type ResolvedListener } from "./gateways/listeners.js";
import { attachPolicies, type Limits } from "./policies.js";
import { bindRoute, hostsOf, type Binding } from "./routes/route-binding.js";
import { routeProblem, routeResult } from "./routes/route-results.js";
import { resolveRules, type RoutedRules } from "./routes/routing-rules.js";
import { compileRules } from "./routes/rules.js";
import type { RouteResult, Translation, TranslationInput } from "./translation.js";
import { VirtualServers } from "./virtual-servers.js";

/** Route with a gateway of the class. */
interface BoundRoute {
  readonly route: HTTPRouteObject;
  readonly identity: Identity;
  readonly bindings: readonly Binding[];
}

/**
 * Translates objects into the configuration of one nginx, and says what becomes of each object. The result depends on nothing but
 * the input, and not on the order of its lists. A faulty object is left out alone, with the reason in its conditions.
 */
export function translate(input: TranslationInput): Translation {
  const grants = compileGrants(input.grants);
  const resolved = resolveListeners(gatewaysOfClass(input), input, grants);
  const gateways = new Map(resolved.gateways.map((gateway) => [gateway.identity.path, gateway]));
  const bound = bindRoutes(input.routes, gateways);
  const limits = attachPolicies(input, new Map(bound.map(({ route, identity }) => [identity.path, route])));
  const backends = new Backends(input, grants);
  const servers = new VirtualServers(resolved.gateways);
  const attached = new Map<ResolvedListener, number>();

  const routes = bound.map(({ route, identity, bindings }): RouteResult => {
    const listeners = new Set(bindings.flatMap((binding) => binding.listeners));
    for (const listener of listeners) attached.set(listener, (attached.get(listener) ?? 0) + 1);
    const compiled = compileRules(route);
    const rules = resolveRules(compiled.rules, identity, backends);
    const problem = refusal(identity, input) ?? routeProblem(compiled);
    if (problem === undefined) serveRoute(route, rules, listeners, servers, limits);
    return routeResult({ identity, bindings, problem, compiled, resolvedRefs: rules.resolvedRefs, gateways });
  });

  return {
    configuration: {
      settings: settingsOf(input.proxyClass),
      ports: servers.configurations(),
      upstreams: backends.upstreams,
      limits: limits.zones,
    },
    gateways: resolved.gateways.map((gateway) =>
      gatewayResult(gateway, (listener) => attached.get(listener) ?? 0),
    ),
    routes,
    policies: limits.results,
    certificates: resolved.certificates,
  };
}

/** Routes with a gateway of the class, the oldest first. */
function bindRoutes(
  routes: readonly HTTPRouteObject[],
  gateways: ReadonlyMap<string, ResolvedGateway>,
): readonly BoundRoute[] {
  const bound: BoundRoute[] = [];
  for (const route of routes) {
    const bindings = bindRoute(route, gateways);
    if (bindings.length > 0) bound.push({ route, identity: identityOf(route), bindings });
  }
  return bound.toSorted((one, other) => compareAge(one.identity, other.identity));
}

function serveRoute(
  route: HTTPRouteObject,
  rules: RoutedRules,
  listeners: ReadonlySet<ResolvedListener>,
  servers: VirtualServers,
  limits: Limits,
): void {
  const hosts = hostsOf(route);
  let routing: ReturnType<RoutedRules["serve"]> | undefined;
  for (const listener of listeners) {
    if (!listener.isServed) continue;
    const served = servers.hostsOf(listener, hosts);
    if (served.size === 0) continue;
    routing ??= rules.serve(limits);
    servers.addRules(listener, served, routing);
  }
}

function refusal({ namespace, name }: Identity, { refused }: TranslationInput): Problem | undefined {
  const message = refused.get(originKey({ kind: "HTTPRoute", namespace, name }));
  if (message === undefined) return undefined;
  return { reason: refusedByNginx, message: `nginx refused the route: ${message}` };
}

/** Gateways whose class belongs to the ProxyClass. */
function gatewaysOfClass({
  proxyClass,
  gatewayClasses,
  gateways,
}: TranslationInput): readonly GatewayObject[] {
  const { name: proxyName } = proxyClass.metadata;
  const names = new Set<string | undefined>();
  for (const { metadata, spec } of gatewayClasses) {
    if (spec.controllerName !== controllerName) continue;
    const { parametersRef } = spec;
    const isOurs =
      parametersRef === undefined
        ? proxyName === defaultClass
        : parametersRef.group === ProxyClass.group &&
          parametersRef.kind === ProxyClass.kind &&
          parametersRef.name === proxyName;
    if (isOurs) names.add(metadata.name);
  }
  return gateways.filter(({ spec }) => names.has(spec.gatewayClassName));
}

function settingsOf({ spec }: ProxyClassObject): ProxySettings {
  return {
    addresses: spec.addresses,
    workers: spec.workers,
    workerConnections: spec.workerConnections,
    user: spec.user,
    shutdownTimeout: duration(spec.shutdownTimeout),
    accessLog: spec.accessLog,
  };
}
