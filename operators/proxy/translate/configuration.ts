/**
 * Configuration of a proxy, independent of the objects that it was made from and of the language of nginx. `translate.ts` makes it
 * from objects, and `nginx/render.ts` makes files from it.
 */
export interface ProxyConfiguration {
  readonly settings: ProxySettings;
  /** Ports, in ascending order; one entry for each. */
  readonly ports: readonly PortConfiguration[];
  /** In order of their names. */
  readonly upstreams: readonly Upstream[];
  /** In order of their names. */
  readonly limits: readonly LimitZone[];
}

/** Object that a part of the configuration comes from. */
export interface Origin {
  readonly kind:
    | "ProxyClass"
    | "Gateway"
    | "HTTPRoute"
    | "Backend"
    | "Service"
    | "RateLimitPolicy"
    | "Secret";
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  readonly name: string;
  /** Part of the object, such as the name of a listener. */
  readonly part?: string | undefined;
}

export interface ProxySettings {
  /** Addresses that every port is bound to. */
  readonly addresses: readonly string[];
  /** Default: one for each processor. */
  readonly workers: number | undefined;
  readonly workerConnections: number;
  readonly user: string;
  /** Milliseconds. */
  readonly shutdownTimeout: number;
  readonly accessLog: boolean;
}

export interface PortConfiguration {
  readonly port: number;
  readonly protocol: "HTTP" | "HTTPS";
  /** One for each host name, in order: exact names, wildcards with the longest first, then the one without a name. */
  readonly servers: readonly VirtualServer[];
}

export interface VirtualServer {
  /** Exact name, or `*.` and a domain; undefined for all other hosts. */
  readonly hostname: string | undefined;
  /** Certificates of a port with TLS: at least one. */
  readonly certificates: readonly CertificateFiles[];
  /** In the order in which they are tried: the first that matches a request decides. A request that matches none gets 404. */
  readonly rules: readonly RoutingRule[];
  readonly origin: Origin;
}

/** Certificate and key in PEM. */
export interface CertificateFiles {
  /** Name of the files, without extension: letters, digits, `.`, `-` and `_`. */
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
}

export interface RoutingRule {
  readonly match: RequestMatch;
  readonly action: RuleAction;
  readonly requestHeaders: HeaderChanges;
  readonly responseHeaders: HeaderChanges;
  readonly limit: RuleLimit | undefined;
  /** Milliseconds for the response of a backend; undefined for the default of nginx, 0 for none. */
  readonly timeout: number | undefined;
  readonly origin: Origin;
}

/** Properties that a request has to have, all of them. */
export interface RequestMatch {
  /** Exact paths and prefixes are percent-encoded, as in a URL; patterns have to match the whole decoded path. */
  readonly path: { readonly type: "Exact" | "Prefix" | "RegularExpression"; readonly value: string };
  readonly method: string | undefined;
  readonly headers: readonly NameAndValue[];
  readonly queryParams: readonly NameAndValue[];
}

export interface NameAndValue {
  readonly name: string;
  readonly value: string;
}

export interface HeaderChanges {
  readonly set: readonly NameAndValue[];
  readonly add: readonly NameAndValue[];
  readonly remove: readonly string[];
}

export type RuleAction = Forward | Redirect | Respond;

/** Passes requests to upstreams. */
export interface Forward {
  readonly type: "forward";
  /** At least one. Weights are 1 or more; requests are distributed by them. */
  readonly destinations: readonly Destination[];
  readonly rewrite: Rewrite | undefined;
}

/** An upstream, or a status code for the share of requests whose backend cannot be used. */
export type Destination =
  | { readonly weight: number; readonly upstream: string }
  | { readonly weight: number; readonly status: 500 | 503 };

export interface Rewrite {
  readonly hostname: string | undefined;
  readonly path: PathChange | undefined;
}

export type PathChange =
  | { readonly type: "full"; readonly path: string }
  /** Replaces the prefix of the rule's match. */
  | { readonly type: "prefix"; readonly path: string };

export interface Redirect {
  readonly type: "redirect";
  readonly scheme: string | undefined;
  readonly hostname: string | undefined;
  readonly port: number | undefined;
  readonly path: PathChange | undefined;
  readonly status: number;
}

export interface Respond {
  readonly type: "respond";
  readonly status: number;
}

export interface RuleLimit {
  /** Name of a {@link LimitZone}. */
  readonly zone: string;
  readonly burst: number;
  readonly status: number;
}

/** Counter of requests by key. */
export interface LimitZone {
  /** Letters, digits, `.`, `-` and `_`. nginx keeps the counts of a zone with the same name when it is reloaded. */
  readonly name: string;
  readonly key:
    | { readonly type: "ClientAddress" }
    | { readonly type: "Header"; readonly header: string }
    /** One counter for all requests. */
    | { readonly type: "Route" };
  readonly requests: number;
  readonly per: "second" | "minute";
  readonly origin: Origin;
}

export interface Upstream {
  /** Letters, digits, `.`, `-` and `_`. */
  readonly name: string;
  /** At least one; addresses only, no names. Weights are 1 or more. */
  readonly servers: readonly { readonly address: string; readonly port: number; readonly weight: number }[];
  readonly keepalive: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  readonly origin: Origin;
}

export const noHeaderChanges: HeaderChanges = { set: [], add: [], remove: [] };

/** Text that identifies an object: `HTTPRoute default/web`. */
export function originKey({ kind, namespace, name }: Omit<Origin, "part">): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
