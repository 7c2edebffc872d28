import { resource, schema, type ObjectOf } from "fettle";
import { z } from "zod";

const group = "proxy.fettle.dev/v1";

/** Value of `controllerName` of the gateway classes that this operator serves. */
export const controllerName = "proxy.fettle.dev/nginx";

/** Name of the ProxyClass and GatewayClass that the operator creates if there is none. */
export const defaultClass = "nginx";

const portNumber = z.int().min(1).max(65_535);

/** One nginx, and how it is run. Gateway classes name it as their parameters. */
export const ProxyClass = resource(group, "ProxyClass", {
  scope: "Cluster",
  plural: "proxyclasses",
  shortNames: ["pxc"],
  spec: z.object({
    nginx: schema
      .rule(
        z.object({
          /** Starts nginx as a Process in this namespace, named after the class. This is the default. */
          process: z
            .object({
              namespace: z.string().default("default"),
              /** Program: a path, or a name that is looked up in $PATH and in /usr/sbin. */
              program: z.string().min(1).default("nginx"),
            })
            .optional(),
          /** Manages an nginx that is started by others with `-c CONFIG_FILE`. */
          existing: z
            .object({
              /** File that nginx was started with: it is replaced by a link to the configuration of this class. */
              configFile: z.string().startsWith("/"),
              pidFile: z.string().startsWith("/"),
              program: z.string().min(1).default("nginx"),
            })
            .optional(),
        }),
        "!(has(self.process) && has(self.existing))",
        "set either process or existing",
      )
      .prefault({}),
    /** Address that listeners bind to. Default: all of IPv4, and of IPv6 where the machine has it. */
    addresses: z.array(z.string().min(1)).max(16).default(["0.0.0.0"]),
    /** Ports of configurations that name none. */
    ports: z.object({ http: portNumber.default(8080), https: portNumber.default(8443) }).prefault({}),
    workers: z.int().min(1).max(256).optional(),
    workerConnections: z.int().min(16).max(1_000_000).default(4096),
    /** User of the workers, if nginx is started by root. */
    user: z
      .string()
      .regex(/^[a-z_][a-z0-9_-]*$/)
      .default("www-data"),
    /** Time for open connections after a reload; longer ones are closed. */
    shutdownTimeout: schema.duration().default("30s"),
    /** Time for which changes are collected before nginx is reloaded. Critical ones are applied at once. */
    batch: schema.duration().default("200ms"),
    /** Time within which a new configuration has to be served. */
    verifyTimeout: schema.duration().default("10s"),
    /** Interval at which files and nginx are compared with what they should be. */
    checkInterval: schema.duration().default("30s"),
    accessLog: z.boolean().default(false),
  }),
  status: z.object({
    /** Number of the configuration that nginx serves. */
    generation: z.int(),
    /** Hash of the configuration that is served. */
    digest: z.string(),
    pid: z.int(),
    gateways: z.int(),
    routes: z.int(),
    /** Reloads since the class was created. */
    reloads: z.int(),
    /** Configuration that was refused last; removed when a later one is served. */
    refused: z.object({ digest: z.string(), step: z.string(), message: z.string(), at: z.string() }),
    lastReload: z.string(),
  }),
  columns: [
    { name: "Generation", path: ".status.generation" },
    { name: "Gateways", path: ".status.gateways" },
    { name: "Routes", path: ".status.routes" },
    { name: "Reloads", path: ".status.reloads", priority: 1 },
  ],
});

const host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9.:_-]+$/);

const healthStates = ["healthy", "degraded", "unhealthy", "unknown"] as const;

const healthCheck = z.object({
  type: z.enum(["http", "tcp"]).default("http"),
  /** Path with query; only for http. */
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/)
    .max(1024)
    .default("/"),
  /** Host header; default: the host of the target. */
  host: host.optional(),
  /** Port, if it is not that of the target. */
  port: portNumber.optional(),
  /** Status codes of a healthy target. */
  expect: z
    .object({ min: z.int().min(100).max(599).default(200), max: z.int().min(100).max(599).default(399) })
    .prefault({}),
  interval: schema.duration().default("10s"),
  timeout: schema.duration().default("2s"),
  /** Successes in a row after which an unhealthy target is healthy. */
  healthyThreshold: z.int().min(1).max(100).default(2),
  /** Failures in a row after which a healthy target is unhealthy. */
  unhealthyThreshold: z.int().min(1).max(100).default(3),
});

/** Servers that requests are passed to. */
export const Backend = resource(group, "Backend", {
  plural: "backends",
  categories: ["all"],
  spec: z.object({
    targets: z
      .array(z.object({ host, port: portNumber, weight: z.int().min(0).max(1_000_000).default(1) }))
      .max(1000)
      .default([]),
    healthCheck: healthCheck.optional(),
    /** Idle connections that each worker keeps open. */
    keepalive: z.int().min(0).max(10_000).default(32),
    connectTimeout: schema.duration().default("5s"),
  }),
  status: z.object({
    health: z.enum(healthStates),
    targets: z.array(
      z.object({
        host: z.string(),
        port: z.int(),
        /**
         * Addresses of the host that requests are passed to: those that work, or all if none does. Empty if its name could not be
         * resolved.
         */
        addresses: z.array(z.string()),
        health: z.enum(healthStates),
        reason: z.string().optional(),
        since: z.string().optional(),
      }),
    ),
    healthy: z.int(),
    total: z.int(),
    lastChange: z.string(),
  }),
  columns: [
    { name: "Health", path: ".status.health" },
    { name: "Healthy", path: ".status.healthy" },
    { name: "Targets", path: ".status.total" },
  ],
});

const rateLimit = z.object({
  /** Requests within the period. */
  requests: z.int().min(1).max(1_000_000),
  per: z.enum(["second", "minute"]).default("second"),
  /** Requests above the rate that are served at once before others are refused. */
  burst: z.int().min(0).max(1_000_000).default(0),
  /** Requests that are counted together. */
  key: schema
    .rule(
      z.object({
        type: z.enum(["ClientAddress", "Header", "Route"]).default("ClientAddress"),
        /** Name of the header. */
        header: z
          .string()
          .regex(/^[A-Za-z0-9-]+$/)
          .max(64)
          .optional(),
      }),
      "self.type != 'Header' || has(self.header)",
      "a key of type Header needs the name of a header",
    )
    .prefault({ type: "ClientAddress" }),
  /** Status code of refused requests. */
  status: z.int().min(400).max(599).default(429),
});

const targetRef = z.object({
  group: z.string().default("gateway.networking.k8s.io"),
  kind: z.string().default("HTTPRoute"),
  name: z.string(),
  /** Name of a rule of the route. Default: all rules. */
  sectionName: z.string().optional(),
});

/** Spec of a RateLimitPolicy, with its defaults. */
export const policySpec = z.object({ targetRefs: z.array(targetRef).min(1).max(16), limit: rateLimit });

/** Limits the rate of requests to routes of its namespace. */
export const RateLimitPolicy = resource(group, "RateLimitPolicy", {
  plural: "ratelimitpolicies",
  shortNames: ["rlp"],
  spec: policySpec,
  status: z.object({
    /** Requests refused since the policy was created. */
    refused: z.int(),
    lastRefused: z.string(),
  }),
  columns: [
    { name: "Requests", path: ".spec.limit.requests" },
    { name: "Per", path: ".spec.limit.per" },
    { name: "Refused", path: ".status.refused" },
  ],
});

/** A certificate in a Secret, renewed before it expires. */
export const Certificate = resource(group, "Certificate", {
  plural: "certificates",
  shortNames: ["cert"],
  spec: z.object({
    /** Secret of type kubernetes.io/tls that the certificate is written to. Default: the name of the Certificate. */
    secretName: z.string().optional(),
    dnsNames: z
      .array(
        z
          .string()
          .max(253)
          .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/),
      )
      .max(100)
      .default([]),
    ipAddresses: z.array(z.string()).max(100).default([]),
    commonName: z.string().max(64).optional(),
    issuer: schema
      .rule(
        z.object({
          selfSigned: z.object({}).optional(),
          /** Signs with the certificate and key of a Secret of the same namespace. */
          ca: z.object({ secretName: z.string() }).optional(),
        }),
        "has(self.selfSigned) != has(self.ca)",
        "set either selfSigned or ca",
      )
      .default({ selfSigned: {} }),
    isCA: z.boolean().default(false),
    duration: schema.duration().default("2160h"),
    renewBefore: schema.duration().default("720h"),
  }),
  status: z.object({
    serialNumber: z.string(),
    fingerprint: z.string(),
    notBefore: z.string(),
    notAfter: z.string(),
    renewalTime: z.string(),
    issuer: z.string(),
    /** Certificates issued since the object was created. */
    revision: z.int(),
  }),
  columns: [
    { name: "Secret", path: ".spec.secretName" },
    { name: "Expires", path: ".status.notAfter" },
  ],
});

const method = z.enum(["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]);

/** Configuration of a proxy as one document: the Gateway, HTTPRoutes and policies are made from it. */
export const ProxyConfig = resource(group, "ProxyConfig", {
  plural: "proxyconfigs",
  shortNames: ["pxcfg"],
  categories: ["all"],
  spec: z.object({
    className: z.string().default(defaultClass),
    hostnames: z
      .array(
        z
          .string()
          .min(1)
          .max(253)
          .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/),
      )
      .max(16)
      .default([]),
    /** Default: the ports of the class. */
    listen: z.object({ port: portNumber.optional(), tlsPort: portNumber.optional() }).prefault({}),
    routes: z
      .array(
        z.object({
          path: z.string().startsWith("/").max(1024).default("/"),
          methods: z.array(method).max(9).default([]),
          backends: z
            .array(z.object({ id: z.string(), weight: z.int().min(0).max(1_000_000).default(1) }))
            .min(1)
            .max(16),
          rateLimit: rateLimit.optional(),
        }),
      )
      .max(500)
      .default([]),
    tls: schema
      .rule(
        z.object({
          /** Secret with the certificate and key. */
          secretName: z.string().optional(),
          /** Creates a Certificate for the host names. */
          selfSigned: z.boolean().optional(),
          /** Redirects requests on the port without TLS. */
          redirect: z.boolean().default(true),
        }),
        "has(self.secretName) != (has(self.selfSigned) && self.selfSigned)",
        "set either secretName or selfSigned: true",
      )
      .optional(),
  }),
  status: z.object({
    routes: z.int(),
    /** Configuration of nginx with which this one is served. */
    generation: z.int(),
    url: z.string(),
  }),
  columns: [
    { name: "Hostnames", path: ".spec.hostnames", type: "string" },
    { name: "Routes", path: ".status.routes" },
    { name: "Generation", path: ".status.generation", priority: 1 },
  ],
});

export type ProxyClassObject = ObjectOf<typeof ProxyClass>;
export type BackendObject = ObjectOf<typeof Backend>;
export type RateLimitPolicyObject = ObjectOf<typeof RateLimitPolicy>;
export type CertificateObject = ObjectOf<typeof Certificate>;
export type ProxyConfigObject = ObjectOf<typeof ProxyConfig>;
export type RateLimit = RateLimitPolicyObject["spec"]["limit"];
export type HealthState = (typeof healthStates)[number];
