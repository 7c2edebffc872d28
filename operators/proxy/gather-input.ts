import type { KubeObject } from "fettle";
import { EndpointSlice, Namespace, Secret, Service } from "fettle/kubernetes";
import type { ReconcileContext } from "fettle/runtime";
import { Gateway, GatewayClass, HTTPRoute, ReferenceGrant } from "./kinds/gateway-api.js";
import { Backend, RateLimitPolicy, type ProxyClass, type ProxyClassObject } from "./kinds/proxy.js";
import type { TranslationInput } from "./translate/translation.js";

/** Index of endpoint slices by namespace and name of their service. */
export const serviceIndex = "service";

/** Value of an endpoint slice in the index {@link serviceIndex}. */
export function serviceOf({ metadata }: KubeObject): readonly string[] {
  const service = metadata.labels?.["kubernetes.io/service-name"];
  return service === undefined ? [] : [`${metadata.namespace}/${service}`];
}

type ClassContext = Pick<ReconcileContext<typeof ProxyClass, never>, "read" | "readAll" | "now">;

/** Reads the objects of a translation from the caches of the controller of classes. */
export function gatherInput(
  proxyClass: ProxyClassObject,
  { read, readAll, now }: ClassContext,
  problems: Pick<TranslationInput, "portsInUse" | "findServedSecret">,
): Omit<TranslationInput, "refused"> {
  const existing = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
    objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return {
    proxyClass,
    gatewayClasses: existing(readAll(GatewayClass)),
    gateways: existing(readAll(Gateway)),
    routes: existing(readAll(HTTPRoute)),
    grants: existing(readAll(ReferenceGrant)),
    policies: existing(readAll(RateLimitPolicy)),
    findBackend: (namespace, name) => read(Backend, { namespace, name }),
    findService: (namespace, name) => read(Service, { namespace, name }),
    endpointSlices: (namespace, service) =>
      readAll(EndpointSlice, { index: serviceIndex, value: `${namespace}/${service}` }),
    findSecret: (namespace, name) => read(Secret, { namespace, name }),
    findNamespace: (name) => read(Namespace, { name, namespace: "" }),
    now: now(),
    ...problems,
  };
}

/** Replaces or adds objects that do not exist yet, for a plan. */
export function withObjects(input: TranslationInput, objects: readonly KubeObject[]): TranslationInput {
  const overlay = <T extends KubeObject>(present: readonly T[], kind: string): readonly T[] => {
    const added = objects.filter((object) => object.kind === kind) as unknown as readonly T[];
    if (added.length === 0) return present;
    const names = new Set(added.map(nameOf));
    return [...present.filter((object) => !names.has(nameOf(object))), ...added];
  };
  return {
    ...input,
    gatewayClasses: overlay(input.gatewayClasses, "GatewayClass"),
    gateways: overlay(input.gateways, "Gateway"),
    routes: overlay(input.routes, "HTTPRoute"),
    grants: overlay(input.grants, "ReferenceGrant"),
    policies: overlay(input.policies, "RateLimitPolicy"),
  };
}

function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
