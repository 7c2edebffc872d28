import type { HTTPRouteObject, ParentRef } from "../../kinds/gateway-api.js";
import type { Problem } from "../findings.js";
import { anyHost, intersect, type Host } from "../hostnames.js";
import type { ResolvedGateway, ResolvedListener } from "../gateways/listeners.js";

/** Reference of a route to a gateway of the class, and the listeners that it is attached to. */
export interface Binding {
  readonly parentRef: ParentRef;
  /** Undefined if the route is attached to a listener at least. */
  readonly problem: Problem | undefined;
  readonly listeners: readonly ResolvedListener[];
}

const gatewayGroup = "gateway.networking.k8s.io";

/** Hosts of a route; {@link anyHost} if it names none. */
export function hostsOf({ spec }: HTTPRouteObject): readonly Host[] {
  const { hostnames = [] } = spec;
  return hostnames.length === 0 ? [anyHost] : hostnames;
}

/**
 * Finds the listeners that a route is attached to, by its references, by the namespaces and kinds that listeners allow, and by host
 * names. References to gateways of others are left out. State and validity of a listener do not matter here.
 *
 * @param gateways Gateways of the class by namespace and name.
 */
export function bindRoute(
  route: HTTPRouteObject,
  gateways: ReadonlyMap<string, ResolvedGateway>,
): readonly Binding[] {
  const { namespace: routeNamespace = "" } = route.metadata;
  const bindings: Binding[] = [];
  for (const parentRef of route.spec.parentRefs ?? []) {
    const { group, kind, name, namespace = routeNamespace } = parentRef;
    if (group !== gatewayGroup || kind !== "Gateway") continue;
    const gateway = gateways.get(`${namespace}/${name}`);
    if (gateway !== undefined) bindings.push(bind(route, routeNamespace, parentRef, gateway));
  }
  return bindings;
}

function bind(
  route: HTTPRouteObject,
  routeNamespace: string,
  parentRef: ParentRef,
  { identity, listeners }: ResolvedGateway,
): Binding {
  const { sectionName, port } = parentRef;
  const refused = (reason: string, message: string): Binding => ({
    parentRef,
    problem: { reason, message },
    listeners: [],
  });
  const named = listeners.filter(
    ({ spec }) =>
      (sectionName === undefined || spec.name === sectionName) && (port === undefined || spec.port === port),
  );
  if (named.length === 0) {
    const wanted = [
      sectionName === undefined ? "" : ` named ${sectionName}`,
      port === undefined ? "" : ` on port ${port}`,
    ].join("");
    const existing = listeners.map(({ spec }) => `${spec.name} (${spec.port})`).join(", ");
    return refused(
      "NoMatchingParent",
      `Gateway ${identity.path} has no listener${wanted}; its listeners: ${existing}`,
    );
  }
  const allowing = named.filter(
    ({ kinds, namespaces }) => kinds.supported.length > 0 && namespaces.admit(routeNamespace),
  );
  if (allowing.length === 0) {
    return refused(
      "NotAllowedByListeners",
      `no listener of Gateway ${identity.path} allows HTTPRoutes of namespace ${routeNamespace}: change allowedRoutes of the listener`,
    );
  }
  const hosts = hostsOf(route);
  const attached = allowing.filter(({ host }) => hosts.some((other) => intersect(host, other) !== undefined));
  if (attached.length > 0) return { parentRef, problem: undefined, listeners: attached };
  const offered = allowing.map(({ host }) => host).join(", ");
  return refused(
    "NoMatchingListenerHostname",
    `no host of the route (${hosts.join(", ")}) is one of Gateway ${identity.path} (${offered})`,
  );
}
