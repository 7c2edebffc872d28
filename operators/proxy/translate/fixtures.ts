import type { ObjectOf } from "fettle";
import type { EndpointSlice, Namespace, Secret, Service } from "fettle/kubernetes";
import {
  Gateway,
  GatewayClass,
  HTTPRoute,
  ReferenceGrant,
  type GatewayObject,
  type HTTPRouteObject,
  type ListenerSpec,
  type ParentRef,
  type ReferenceGrantObject,
  type RouteRule,
} from "../kinds/gateway-api.js";
import {
  Backend,
  controllerName,
  ProxyClass,
  RateLimitPolicy,
  type BackendObject,
  type ProxyClassObject,
  type RateLimit,
  type RateLimitPolicyObject,
} from "../kinds/proxy.js";
import type { TranslationInput } from "./translation.js";

/*
 * Objects for tests, with the defaults that a server fills in. The age of an object is the number of its second.
 */

interface Named {
  readonly name?: string;
  readonly namespace?: string;
  /** Seconds after the oldest possible object. */
  readonly age?: number;
  readonly generation?: number;
}

export const gatewayGroup = "gateway.networking.k8s.io";
const start = Date.UTC(2026, 0, 1);

function header<Kind extends { readonly apiVersion: string; readonly kind: string }>(
  { apiVersion, kind }: Kind,
  { name = "web", namespace = "default", age = 0, generation = 1 }: Named,
  isNamespaced = true,
) {
  const metadata = {
    uid: `${kind}-${namespace}-${name}`,
    name,
    ...(isNamespaced && { namespace }),
    generation,
    creationTimestamp: new Date(start + age * 1000).toISOString(),
  };
  return { apiVersion: apiVersion as Kind["apiVersion"], kind: kind as Kind["kind"], metadata };
}

export function proxyClass(spec: Partial<ProxyClassObject["spec"]> = {}, name = "nginx"): ProxyClassObject {
  return {
    ...header(ProxyClass, { name }, false),
    spec: {
      nginx: {},
      addresses: ["0.0.0.0"],
      ports: { http: 8080, https: 8443 },
      workerConnections: 4096,
      user: "www-data",
      shutdownTimeout: "30s",
      batch: "200ms",
      verifyTimeout: "10s",
      checkInterval: "30s",
      accessLog: false,
      ...spec,
    },
  };
}

export function gatewayClass(name = "nginx", proxyClassName?: string): ObjectOf<typeof GatewayClass> {
  const parametersRef =
    proxyClassName === undefined
      ? {}
      : { parametersRef: { group: ProxyClass.group, kind: "ProxyClass", name: proxyClassName } };
  return { ...header(GatewayClass, { name }, false), spec: { controllerName, ...parametersRef } };
}

export function listener(fields: Partial<ListenerSpec> = {}): ListenerSpec {
  return {
    name: "http",
    port: 80,
    protocol: "HTTP",
    allowedRoutes: { namespaces: { from: "Same" } },
    ...fields,
  };
}

export function httpsListener(secret: string, fields: Partial<ListenerSpec> = {}): ListenerSpec {
  const tls = { mode: "Terminate" as const, certificateRefs: [{ group: "", kind: "Secret", name: secret }] };
  return listener({ name: "https", port: 443, protocol: "HTTPS", tls, ...fields });
}

export function gateway(
  fields: Named & {
    readonly className?: string;
    readonly listeners?: readonly ListenerSpec[];
    readonly addresses?: GatewayObject["spec"]["addresses"];
  } = {},
): GatewayObject {
  const { className = "nginx", listeners = [listener()], addresses } = fields;
  return {
    ...header(Gateway, fields),
    spec: { gatewayClassName: className, listeners, ...(addresses && { addresses }) },
  };
}

export function parentRef(fields: Partial<ParentRef> = {}): ParentRef {
  return { group: gatewayGroup, kind: "Gateway", name: "web", ...fields };
}

type Match = RouteRule["matches"][number];
type MatchFields = Partial<Omit<Match, "path">> & { readonly path?: string; readonly type?: string };

/** Match for a path, by default a prefix. */
export function match({ path = "/", type = "PathPrefix", ...fields }: MatchFields = {}): Match {
  return { path: { type, value: path }, ...fields };
}

type Reference = NonNullable<RouteRule["backendRefs"]>[number];

export function backendRef(name: string, fields: Partial<Reference> = {}): Reference {
  return { group: Backend.group, kind: "Backend", name, weight: 1, ...fields };
}

export function serviceRef(name: string, fields: Partial<Reference> = {}): Reference {
  return { group: "", kind: "Service", name, port: 80, weight: 1, ...fields };
}

/** Rule that passes requests for a path to the backend "app". */
export function rule(fields: Partial<RouteRule> | string = {}): RouteRule {
  if (typeof fields === "string") return rule({ matches: [match({ path: fields })] });
  return { matches: [match()], backendRefs: [backendRef("app")], ...fields };
}

export function route(
  fields: Named & {
    readonly parentRefs?: readonly ParentRef[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly RouteRule[];
  } = {},
): HTTPRouteObject {
  const { parentRefs = [parentRef()], hostnames = [], rules = [rule()] } = fields;
  return { ...header(HTTPRoute, fields), spec: { parentRefs, hostnames, rules } };
}

export function grant(namespace: string, spec: ReferenceGrantObject["spec"]): ReferenceGrantObject {
  return { ...header(ReferenceGrant, { namespace }), spec };
}

export function backend(
  fields: Named & {
    readonly targets?: readonly { readonly host: string; readonly port: number; readonly weight?: number }[];
    readonly status?: BackendObject["status"];
  } = {},
): BackendObject {
  const { name = "app", targets = [{ host: "10.0.0.1", port: 8080 }], status } = fields;
  return {
    ...header(Backend, { ...fields, name }),
    spec: {
      targets: targets.map(({ host, port, weight = 1 }) => ({ host, port, weight })),
      keepalive: 32,
      connectTimeout: "5s",
    },
    ...(status !== undefined && { status }),
  };
}

export function policy(
  fields: Named & {
    readonly targets?: readonly {
      readonly name: string;
      readonly sectionName?: string;
      readonly kind?: string;
    }[];
    readonly limit?: Partial<RateLimit>;
  } = {},
): RateLimitPolicyObject {
  const { name = "limit", targets = [{ name: "web" }], limit } = fields;
  const defaults = {
    requests: 10,
    per: "second",
    burst: 0,
    key: { type: "ClientAddress" },
    status: 429,
  } as const;
  return {
    ...header(RateLimitPolicy, { ...fields, name }),
    spec: {
      targetRefs: targets.map((target) => Object.assign({ group: gatewayGroup, kind: "HTTPRoute" }, target)),
      limit: { ...defaults, ...limit },
    },
  };
}

/** Objects that a translation finds by name. */
interface Stored {
  readonly backends?: readonly BackendObject[];
  readonly services?: readonly ObjectOf<typeof Service>[];
  readonly slices?: readonly ObjectOf<typeof EndpointSlice>[];
  readonly secrets?: readonly ObjectOf<typeof Secret>[];
  readonly namespaces?: readonly ObjectOf<typeof Namespace>[];
}

/** Input of a translation; by default a gateway and the backend "app". */
export function input(fields: Partial<TranslationInput> & Stored = {}): TranslationInput {
  const {
    backends = [backend()],
    services = [],
    slices = [],
    secrets = [],
    namespaces = [],
    ...rest
  } = fields;
  return {
    proxyClass: proxyClass(),
    gatewayClasses: [gatewayClass()],
    gateways: [gateway()],
    routes: [],
    grants: [],
    policies: [],
    findBackend: finder(backends),
    findService: finder(services),
    endpointSlices: (namespace, service) =>
      slices.filter(
        ({ metadata }) =>
          metadata.namespace === namespace && metadata.labels?.["kubernetes.io/service-name"] === service,
      ),
    findSecret: finder(secrets),
    findServedSecret: () => undefined,
    findNamespace: (name) => namespaces.find(({ metadata }) => metadata.name === name),
    now: start,
    portsInUse: new Map(),
    refused: new Map(),
    ...rest,
  };
}

function finder<T extends Pick<BackendObject, "metadata">>(
  objects: readonly T[],
): (namespace: string, name: string) => T | undefined {
  const byPath = new Map(
    objects.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]),
  );
  return (namespace, name) => byPath.get(`${namespace}/${name}`);
}

/** Input with many routes, each with a host of its own, and a few backends. */
export function manyRoutes(count: number): TranslationInput {
  const backends = Array.from({ length: 100 }, (_, index) =>
    backend({ name: `app-${index}`, targets: [{ host: `10.0.${index}.1`, port: 8080 }] }),
  );
  const routes = Array.from({ length: count }, (_, index) =>
    route({
      name: `route-${index}`,
      age: index,
      hostnames: [`host-${index}.example.com`],
      rules: [
        rule({ matches: [match({ path: "/" })], backendRefs: [backendRef(`app-${index % 100}`)] }),
        rule({
          matches: [match({ path: "/api", method: "POST" })],
          backendRefs: [backendRef(`app-${(index + 1) % 100}`)],
        }),
      ],
    }),
  );
  return input({ routes, backends });
}
