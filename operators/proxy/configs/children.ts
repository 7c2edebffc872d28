import type { SpecInput } from "fettle";
import type { Gateway, HTTPRoute } from "../kinds/gateway-api.js";
import type { Certificate, ProxyConfigObject, RateLimitPolicy } from "../kinds/proxy.js";
import { Backend } from "../kinds/proxy.js";
import { childName, listenerName, pathSuffix, shorten } from "./child-names.js";
import { groupByPath, type ConfigProblem, type ConfigRoute, type PathRoutes } from "./route-paths.js";

/** An object to be made for a configuration. */
interface ChildSpec<
  K extends typeof Gateway | typeof HTTPRoute | typeof RateLimitPolicy | typeof Certificate,
> {
  readonly name: string;
  readonly spec: SpecInput<K>;
}

/** HTTPRoute or policy, with the part of the configuration that it comes from: `route /api`. */
type RouteChild = ChildSpec<typeof HTTPRoute> & { readonly about: string };
type PolicyChild = ChildSpec<typeof RateLimitPolicy> & { readonly about: string };

/** All objects that are made for a configuration. */
export interface ConfigChildren {
  readonly gateway: ChildSpec<typeof Gateway>;
  readonly routes: readonly RouteChild[];
  readonly policies: readonly PolicyChild[];
  readonly certificate: ChildSpec<typeof Certificate> | undefined;
}

/** Ports of the listeners. */
export interface ConfigPorts {
  readonly http: number;
  readonly https: number;
}

type Listeners = SpecInput<typeof Gateway>["listeners"];
type ParentRefs = NonNullable<SpecInput<typeof HTTPRoute>["parentRefs"]>;

const redirectSuffix = "redirect";
const tlsSuffix = "tls";
/** Name of the rule of a route without methods. */
const anyMethod = "any";

/**
 * Describes the objects of a configuration. Every path has an HTTPRoute of its own, named after it: a change of one route leaves the
 * others alone, and the status of each says which path has a problem.
 */
export function childrenOf(
  { metadata: { name = "" }, spec }: Pick<ProxyConfigObject, "metadata" | "spec">,
  ports: ConfigPorts,
): ConfigChildren | { readonly problem: ConfigProblem } {
  const { tls, className } = spec;
  if (tls !== undefined && ports.http === ports.https) {
    const message = `listen: port and tlsPort are both ${ports.http}: give them different values`;
    return { problem: { reason: "PortConflict", message } };
  }
  const groups = groupByPath(spec.routes);
  if ("problem" in groups) return groups;
  const hostnames = [...new Set(spec.hostnames)];
  const plain = listeners("http", hostnames, ports.http);
  const certificateName = childName(name, tlsSuffix);
  const secret = tls?.secretName ?? certificateName;
  const secured =
    tls === undefined
      ? []
      : listeners("https", hostnames, ports.https, { certificateRefs: [{ name: secret }] });
  const isRedirected = tls?.redirect === true;
  const parents = isRedirected ? parentRefs(name, secured) : [{ name }];
  const routes = groups.map((group) => routeOf(name, group, parents));
  if (isRedirected) routes.push(redirectOf(name, ports.https, parentRefs(name, plain)));
  return {
    gateway: { name, spec: { gatewayClassName: className, listeners: [...plain, ...secured] } },
    routes,
    policies: groups.flatMap((group) => policiesOf(name, group)),
    certificate:
      tls?.selfSigned === true
        ? { name: certificateName, spec: { secretName: secret, ...certificateNames(hostnames) } }
        : undefined,
  };
}

function listeners(
  protocol: "http" | "https",
  hostnames: readonly string[],
  port: number,
  tls?: Listeners[number]["tls"],
): Listeners {
  const all: readonly (string | undefined)[] = hostnames.length === 0 ? [undefined] : hostnames;
  return all.map((hostname) => {
    const name = listenerName(protocol, hostname);
    return Object.assign(
      { name, port, protocol: protocol.toUpperCase() },
      hostname !== undefined && { hostname },
      tls !== undefined && { tls },
    );
  });
}

function parentRefs(gateway: string, attached: Listeners): ParentRefs {
  return attached.map(({ name: sectionName }) => ({ name: gateway, sectionName }));
}

/** A certificate needs a name: without host names, it is one for this machine. */
function certificateNames(
  hostnames: readonly string[],
): Pick<SpecInput<typeof Certificate>, "dnsNames" | "ipAddresses"> {
  return hostnames.length > 0
    ? { dnsNames: [...hostnames] }
    : { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"] };
}

function routeOf(config: string, { prefix, routes }: PathRoutes, parents: ParentRefs): RouteChild {
  return {
    about: `route ${prefix}`,
    name: childName(config, pathSuffix(prefix)),
    spec: {
      parentRefs: parents,
      rules: routes.map((route) => ({
        name: ruleName(route),
        matches: matchesOf(prefix, route),
        backendRefs: route.backends.map(({ id, weight }) => ({
          group: Backend.group,
          kind: Backend.kind,
          name: id,
          weight,
        })),
      })),
    },
  };
}

function matchesOf(prefix: string, route: ConfigRoute) {
  const path = { type: "PathPrefix", value: prefix };
  const methods = methodsOf(route);
  return methods.length === 0 ? [{ path }] : methods.map((method) => ({ path, method }));
}

/** Name of a rule, which is unique within a path: no method has two routes. */
function ruleName(route: ConfigRoute): string {
  return methodsOf(route).join("-").toLowerCase() || anyMethod;
}

/** Methods in a fixed order, so that another order in the configuration is no change. */
function methodsOf({ methods }: ConfigRoute): readonly string[] {
  return [...new Set(methods)].sort();
}

function policiesOf(config: string, { prefix, routes }: PathRoutes): readonly PolicyChild[] {
  const route = childName(config, pathSuffix(prefix));
  return routes.flatMap((each) => {
    const { rateLimit } = each;
    if (rateLimit === undefined) return [];
    const rule = ruleName(each);
    return {
      about: `rateLimit of route ${prefix}`,
      name: shorten(`${route}-${rule}`),
      spec: { targetRefs: [{ name: route, sectionName: rule }], limit: rateLimit },
    };
  });
}

function redirectOf(config: string, port: number, parents: ParentRefs): RouteChild {
  const requestRedirect = { scheme: "https", statusCode: 301, ...(port !== 443 && { port }) };
  return {
    about: "redirect to HTTPS",
    name: childName(config, redirectSuffix),
    spec: {
      parentRefs: parents,
      rules: [
        {
          name: anyMethod,
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          filters: [{ type: "RequestRedirect", requestRedirect }],
        },
      ],
    },
  };
}
