import type { EndpointSlice, Namespace, Secret, Service } from "fettle/kubernetes";
import type { ObjectOf } from "fettle";
import type {
  GatewayClassObject,
  GatewayObject,
  HTTPRouteObject,
  ParentRef,
  ReferenceGrantObject,
} from "../kinds/gateway-api.js";
import type { BackendObject, ProxyClassObject, RateLimitPolicyObject } from "../kinds/proxy.js";
import type { ProxyConfiguration } from "./configuration.js";

/** Objects that the configuration of one ProxyClass is made from. */
export interface TranslationInput {
  readonly proxyClass: ProxyClassObject;
  /** All gateway classes, gateways and routes; those of other proxy classes are ignored. */
  readonly gatewayClasses: readonly GatewayClassObject[];
  readonly gateways: readonly GatewayObject[];
  readonly routes: readonly HTTPRouteObject[];
  readonly grants: readonly ReferenceGrantObject[];
  readonly policies: readonly RateLimitPolicyObject[];
  readonly findBackend: (namespace: string, name: string) => BackendObject | undefined;
  readonly findService: (namespace: string, name: string) => ObjectOf<typeof Service> | undefined;
  /** Endpoint slices of a service. */
  readonly endpointSlices: (namespace: string, service: string) => readonly ObjectOf<typeof EndpointSlice>[];
  readonly findSecret: (namespace: string, name: string) => ObjectOf<typeof Secret> | undefined;
  /**
   * Secret with the certificate that nginx serves, made from its files. It is served further if the Secret of that name cannot be used
   * any more.
   */
  readonly findServedSecret: (namespace: string, name: string) => ObjectOf<typeof Secret> | undefined;
  readonly findNamespace: (name: string) => ObjectOf<typeof Namespace> | undefined;
  /** Milliseconds since 1970, for the expiry of certificates. */
  readonly now: number;
  /** Ports that other programs use, with a sentence about it. */
  readonly portsInUse: ReadonlyMap<number, string>;
  /** Objects whose part of the configuration nginx has refused, by `originKey()`, with its message. */
  readonly refused: ReadonlyMap<string, string>;
}

/** Condition without what the runtime adds. */
export interface Finding {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Result of a translation for one gateway, except whether it is programmed. */
export interface GatewayResult {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Generation of the object that was translated. */
  readonly generation: number;
  /** `Accepted`; also `Programmed`, but only if False for reasons other than nginx. */
  readonly conditions: readonly Finding[];
  readonly listeners: readonly ListenerResult[];
}

export interface ListenerResult {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  /** `Accepted`, `ResolvedRefs`, `Conflicted`; also `Programmed`, but only if False for reasons other than nginx. */
  readonly conditions: readonly Finding[];
}

/** Result of a translation for one route: an entry for each parent that belongs to this proxy class. */
export interface RouteResult {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly generation: number;
  readonly parents: readonly {
    readonly parentRef: ParentRef;
    /** `Accepted` and `ResolvedRefs`. */
    readonly conditions: readonly Finding[];
  }[];
}

/** Result for a policy: `Accepted`. */
export interface PolicyResult {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly generation: number;
  readonly conditions: readonly Finding[];
  /** Name of the zone in nginx's log. */
  readonly zone: string | undefined;
}

export interface Translation {
  readonly configuration: ProxyConfiguration;
  readonly gateways: readonly GatewayResult[];
  readonly routes: readonly RouteResult[];
  readonly policies: readonly PolicyResult[];
  /** Certificates in use: Secret, and expiry in milliseconds since 1970. */
  readonly certificates: readonly {
    readonly namespace: string;
    readonly secret: string;
    readonly fingerprint: string;
    readonly expires: number;
  }[];
}
