import { resource, schema, type ObjectOf } from "fettle";
import { z } from "zod";

/*
 * The kinds of the Gateway API, with the fields that this operator supports. On a server that has the definitions of the Gateway
 * API project, those are used instead: a definition with more fields than these is left alone.
 */

const group = "gateway.networking.k8s.io";
/** Approval of these kinds by the Kubernetes project, as in its own definitions. */
const approval = "https://github.com/kubernetes-sigs/gateway-api/pull/3328";

const hostname = z
  .string()
  .min(1)
  .max(253)
  .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
const sectionName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
const portNumber = z.int().min(1).max(65_535);
const labelSelector = z.object({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(
      z.object({
        key: z.string(),
        operator: z.string(),
        values: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});
const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().optional(),
});
const conditions = () => schema.listMap(z.array(condition), ["type"]);

/** Class of gateways, served by the controller that it names. */
export const GatewayClass = resource(`${group}/v1`, "GatewayClass", {
  approval,
  standardStatus: false,
  scope: "Cluster",
  plural: "gatewayclasses",
  shortNames: ["gc"],
  categories: ["gateway-api"],
  spec: z.object({
    controllerName: z.string().min(1).max(253),
    description: z.string().max(64).optional(),
    parametersRef: z
      .object({ group: z.string(), kind: z.string(), name: z.string(), namespace: z.string().optional() })
      .optional(),
  }),
  status: z.object({ conditions: conditions() }),
  columns: [
    { name: "Controller", path: ".spec.controllerName" },
    { name: "Accepted", path: '.status.conditions[?(@.type=="Accepted")].status', type: "string" },
  ],
});

const certificateRef = z.object({
  group: z.string().default(""),
  kind: z.string().default("Secret"),
  name: z.string(),
  namespace: z.string().optional(),
});

const listener = z.object({
  name: sectionName,
  hostname: hostname.optional(),
  port: portNumber,
  protocol: z.string().min(1).max(255),
  tls: z
    .object({
      mode: z.enum(["Terminate", "Passthrough"]).default("Terminate"),
      certificateRefs: z.array(certificateRef).max(64).optional(),
      options: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  allowedRoutes: z
    .object({
      namespaces: z
        .object({
          from: z.enum(["All", "Selector", "Same", "None"]).default("Same"),
          selector: labelSelector.optional(),
        })
        .default({ from: "Same" }),
      kinds: z.array(z.object({ group: z.string().default(group), kind: z.string() })).optional(),
    })
    .default({ namespaces: { from: "Same" } }),
});

/** Spec of a Gateway, with its defaults. */
export const gatewaySpec = z.object({
  gatewayClassName: z.string().min(1).max(253),
  listeners: schema.listMap(z.array(listener).min(1).max(64), ["name"]),
  addresses: z
    .array(z.object({ type: z.string().default("IPAddress"), value: z.string().optional() }))
    .max(16)
    .optional(),
});

/** Entry points for traffic: addresses, ports, host names and certificates. */
export const Gateway = resource(`${group}/v1`, "Gateway", {
  approval,
  standardStatus: false,
  plural: "gateways",
  shortNames: ["gtw"],
  categories: ["gateway-api"],
  spec: gatewaySpec,
  status: z.object({
    addresses: z.array(z.object({ type: z.string().optional(), value: z.string() })),
    conditions: conditions(),
    listeners: schema.listMap(
      z.array(
        z.object({
          name: z.string(),
          supportedKinds: z.array(z.object({ group: z.string().optional(), kind: z.string() })).optional(),
          attachedRoutes: z.int(),
          conditions: conditions(),
        }),
      ),
      ["name"],
    ),
  }),
  columns: [
    { name: "Class", path: ".spec.gatewayClassName" },
    { name: "Address", path: ".status.addresses[*].value", type: "string" },
    { name: "Programmed", path: '.status.conditions[?(@.type=="Programmed")].status', type: "string" },
  ],
});

const parentRef = z.object({
  group: z.string().default(group),
  kind: z.string().default("Gateway"),
  namespace: z.string().optional(),
  name: z.string(),
  sectionName: z.string().optional(),
  port: z.int().optional(),
});

const headerName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/);
const header = z.object({ name: headerName, value: z.string().min(1).max(4096) });
const headerModifier = z.object({
  set: schema.listMap(z.array(header).max(16), ["name"]).optional(),
  add: schema.listMap(z.array(header).max(16), ["name"]).optional(),
  remove: z.array(z.string()).max(16).optional(),
});
const pathModifier = z.object({
  type: z.enum(["ReplaceFullPath", "ReplacePrefixMatch"]),
  replaceFullPath: z.string().max(1024).optional(),
  replacePrefixMatch: z.string().max(1024).optional(),
});

const filter = z.object({
  type: z.string(),
  requestHeaderModifier: headerModifier.optional(),
  responseHeaderModifier: headerModifier.optional(),
  requestRedirect: z
    .object({
      scheme: z.string().optional(),
      hostname: hostname.optional(),
      path: pathModifier.optional(),
      port: portNumber.optional(),
      statusCode: z.int().default(302),
    })
    .optional(),
  urlRewrite: z.object({ hostname: hostname.optional(), path: pathModifier.optional() }).optional(),
});

const backendRef = z.object({
  group: z.string().default(""),
  kind: z.string().default("Service"),
  name: z.string(),
  namespace: z.string().optional(),
  port: z.int().optional(),
  weight: z.int().min(0).max(1_000_000).default(1),
  filters: z.array(filter).max(16).optional(),
});

const match = z.object({
  path: z
    .object({ type: z.string().default("PathPrefix"), value: z.string().max(1024).default("/") })
    .default({ type: "PathPrefix", value: "/" }),
  headers: schema
    .listMap(
      z
        .array(
          z.object({
            type: z.string().default("Exact"),
            name: headerName,
            value: z.string().min(1).max(4096),
          }),
        )
        .max(16),
      ["name"],
    )
    .optional(),
  queryParams: schema
    .listMap(
      z
        .array(
          z.object({
            type: z.string().default("Exact"),
            name: headerName,
            value: z.string().min(1).max(1024),
          }),
        )
        .max(16),
      ["name"],
    )
    .optional(),
  method: z.string().optional(),
});

const rule = z.object({
  name: z.string().optional(),
  matches: z
    .array(match)
    .max(64)
    .default([{ path: { type: "PathPrefix", value: "/" } }]),
  filters: z.array(filter).max(16).optional(),
  backendRefs: z.array(backendRef).max(16).optional(),
  timeouts: z.object({ request: z.string().optional(), backendRequest: z.string().optional() }).optional(),
});

/** Spec of a HTTPRoute, with its defaults. */
export const routeSpec = z.object({
  parentRefs: z.array(parentRef).max(32).optional(),
  hostnames: z.array(hostname).max(16).optional(),
  rules: z
    .array(rule)
    .max(64)
    .default([{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }]),
});

/** Rules by which requests that reach a gateway are passed to backends. */
export const HTTPRoute = resource(`${group}/v1`, "HTTPRoute", {
  approval,
  standardStatus: false,
  plural: "httproutes",
  categories: ["gateway-api"],
  spec: routeSpec,
  status: z.object({
    parents: z.array(
      z.object({
        parentRef: z.object({
          group: z.string().optional(),
          kind: z.string().optional(),
          namespace: z.string().optional(),
          name: z.string(),
          sectionName: z.string().optional(),
          port: z.int().optional(),
        }),
        controllerName: z.string(),
        conditions: conditions().optional(),
      }),
    ),
  }),
  columns: [{ name: "Hostnames", path: ".spec.hostnames", type: "string" }],
});

/** Permission for objects of other namespaces to refer to objects of this one. */
export const ReferenceGrant = resource(`${group}/v1beta1`, "ReferenceGrant", {
  approval,
  plural: "referencegrants",
  shortNames: ["refgrant"],
  categories: ["gateway-api"],
  spec: z.object({
    from: z
      .array(z.object({ group: z.string(), kind: z.string(), namespace: z.string() }))
      .min(1)
      .max(16),
    to: z
      .array(z.object({ group: z.string(), kind: z.string(), name: z.string().optional() }))
      .min(1)
      .max(16),
  }),
});

export type GatewayClassObject = ObjectOf<typeof GatewayClass>;
export type GatewayObject = ObjectOf<typeof Gateway>;
export type HTTPRouteObject = ObjectOf<typeof HTTPRoute>;
export type ReferenceGrantObject = ObjectOf<typeof ReferenceGrant>;
export type ListenerSpec = GatewayObject["spec"]["listeners"][number];
export type RouteRule = NonNullable<HTTPRouteObject["spec"]["rules"]>[number];
export type RouteMatch = RouteRule["matches"][number];
export type RouteFilter = NonNullable<RouteRule["filters"]>[number];
export type ParentRef = NonNullable<HTTPRouteObject["spec"]["parentRefs"]>[number];
