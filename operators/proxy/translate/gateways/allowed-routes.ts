import { labelSelector, type LabelSelector } from "fettle/model";
import type { ListenerSpec } from "../../kinds/gateway-api.js";
import type { Problem } from "../findings.js";
import type { Identity } from "../identity.js";
import type { TranslationInput } from "../translation.js";

/** Kinds of routes that a listener serves. */
export interface AllowedKinds {
  readonly supported: readonly { readonly group: string; readonly kind: string }[];
  readonly problem: Problem | undefined;
}

/** Namespaces whose routes may attach to a listener. */
export interface AllowedNamespaces {
  readonly problem: Problem | undefined;
  admit(namespace: string): boolean;
}

const httpRoute = { group: "gateway.networking.k8s.io", kind: "HTTPRoute" };

/** The only kind of route is HTTPRoute; a listener can name kinds, and those that are not supported are reported. */
export function allowedKinds({ allowedRoutes }: ListenerSpec, isSupported: boolean): AllowedKinds {
  const { kinds = [] } = allowedRoutes;
  const isHttpRoute = ({ group, kind }: { group: string; kind: string }): boolean =>
    group === httpRoute.group && kind === httpRoute.kind;
  const unknown = kinds.filter((kind) => !isHttpRoute(kind));
  const supported = isSupported && (kinds.length === 0 || kinds.some(isHttpRoute)) ? [httpRoute] : [];
  if (unknown.length === 0) return { supported, problem: undefined };
  const names = unknown.map(({ group, kind }) => (group === "" ? kind : `${kind}.${group}`)).join(", ");
  const message = `allowedRoutes.kinds: ${names} is not supported: use HTTPRoute`;
  return { supported, problem: { reason: "InvalidRouteKinds", message } };
}

export function allowedNamespaces(
  { allowedRoutes }: ListenerSpec,
  gateway: Identity,
  { findNamespace }: Pick<TranslationInput, "findNamespace">,
): AllowedNamespaces {
  const { from, selector } = allowedRoutes.namespaces;
  if (from === "All") return { problem: undefined, admit: () => true };
  if (from === "Same") return { problem: undefined, admit: (namespace) => namespace === gateway.namespace };
  if (from === "None") return { problem: undefined, admit: () => false };
  let compiled: LabelSelector;
  try {
    compiled = labelSelector(selector);
  } catch (error) {
    const message = `allowedRoutes.namespaces.selector: ${error instanceof Error ? error.message : String(error)}`;
    return { problem: { reason: "UnsupportedValue", message }, admit: () => false };
  }
  // Thousands of routes are in a few namespaces.
  const admitted = new Map<string, boolean>();
  return {
    problem: undefined,
    admit(namespace) {
      let isAdmitted = admitted.get(namespace);
      if (isAdmitted === undefined) {
        const object = findNamespace(namespace);
        isAdmitted = object !== undefined && compiled.matches(object.metadata.labels);
        admitted.set(namespace, isAdmitted);
      }
      return isAdmitted;
    },
  };
}
