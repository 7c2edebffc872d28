import type { GatewayObject, ListenerSpec } from "../../kinds/gateway-api.js";
import { addressProblem } from "./addresses.js";
import {
  allowedKinds,
  allowedNamespaces,
  type AllowedKinds,
  type AllowedNamespaces,
} from "./allowed-routes.js";
import type { CertificateFiles } from "../configuration.js";
import { originKey } from "../configuration.js";
import { refusedByNginx, type Problem } from "../findings.js";
import type { Grants } from "../grants.js";
import { anyHost, type Host } from "../hostnames.js";
import { compareAge, compareText, identityOf, type Identity } from "../identity.js";
import { findConflicts, type RoutedHost } from "./listener-conflicts.js";
import { bindRoute } from "../routes/route-binding.js";
import { resolveCertificates, type CertificateUse } from "./listener-certificates.js";
import type { TranslationInput } from "../translation.js";

/** Gateway of the class, with its listeners. */
export interface ResolvedGateway {
  readonly identity: Identity;
  /** Fault that concerns all listeners; `condition` is the one that tells it. */
  readonly problem: (Problem & { readonly condition: "Accepted" | "Programmed" }) | undefined;
  readonly listeners: readonly ResolvedListener[];
}

/** Listener with everything that its status and its servers are made from. */
export interface ResolvedListener {
  readonly gateway: Identity;
  readonly spec: ListenerSpec;
  readonly host: Host;
  /** Undefined if nginx cannot serve its protocol. */
  readonly protocol: "HTTP" | "HTTPS" | undefined;
  /** Fault of the listener itself, for the condition Accepted. */
  readonly problem: Problem | undefined;
  /** Fault with the references of the listener, for the condition ResolvedRefs. */
  readonly unresolved: Problem | undefined;
  /** Fault that does not keep the listener from being served, such as an expired certificate. */
  readonly warning: Problem | undefined;
  readonly conflict: Problem | undefined;
  readonly kinds: AllowedKinds;
  readonly namespaces: AllowedNamespaces;
  readonly certificates: readonly CertificateFiles[];
  /** True if the listener is part of the configuration. */
  readonly isServed: boolean;
}

export interface ResolvedListeners {
  /** Oldest first. */
  readonly gateways: readonly ResolvedGateway[];
  readonly certificates: readonly CertificateUse[];
}

type Candidate = Omit<ResolvedListener, "conflict" | "isServed">;
type CheckedGateway = Pick<ResolvedGateway, "identity" | "problem"> & {
  readonly candidates: readonly Candidate[];
};

/** Validates the listeners of all gateways of a class, which share one nginx. */
export function resolveListeners(
  gateways: readonly GatewayObject[],
  input: TranslationInput,
  grants: Grants,
): ResolvedListeners {
  const uses = new Map<string, CertificateUse>();
  const checked = gateways
    .map((gateway) => ({ gateway, identity: identityOf(gateway) }))
    .toSorted((one, other) => compareAge(one.identity, other.identity))
    .map(({ gateway, identity }) => ({
      identity,
      problem: gatewayProblem(gateway, identity, input),
      candidates: gateway.spec.listeners.map((spec) => checkListener(spec, identity, input, grants)),
    }));
  // Listeners that can never be served do not stand in the way of others.
  const conflicts = findConflicts(
    checked
      .filter(({ problem }) => problem === undefined)
      .map(({ candidates }) => candidates.filter(({ protocol }) => protocol !== undefined)),
    routedHostsOf(checked, input),
  );
  const resolved = checked.map(({ identity, problem, candidates }) => ({
    identity,
    problem,
    listeners: candidates.map((candidate): ResolvedListener => {
      const conflict = conflicts.get(candidate);
      const { certificates, uses: used, ...listener } = candidate;
      const isServed =
        problem === undefined &&
        conflict === undefined &&
        listener.problem === undefined &&
        (listener.protocol === "HTTP" || certificates.length > 0);
      if (isServed) for (const use of used) uses.set(`${use.namespace}/${use.secret}`, use);
      return { ...listener, certificates, conflict, isServed };
    }),
  }));
  return { gateways: resolved, certificates: [...uses.values()].toSorted(byPath) };
}

/** Hosts of the routes of a listener. Routes are bound when they are first needed, which is seldom, and once. */
function routedHostsOf(
  checked: readonly Pick<CheckedGateway, "identity" | "candidates">[],
  { routes }: TranslationInput,
): (listener: Candidate) => readonly RoutedHost[] {
  let byListener: Map<ListenerSpec, RoutedHost[]> | undefined;
  const collect = (): Map<ListenerSpec, RoutedHost[]> => {
    const gateways = new Map(
      checked.map(({ identity, candidates }) => {
        const listeners = candidates.map((one) => ({ ...one, conflict: undefined, isServed: false }));
        return [identity.path, { identity, problem: undefined, listeners }];
      }),
    );
    const found = new Map<ListenerSpec, RoutedHost[]>();
    for (const route of routes) {
      const identity = identityOf(route);
      const hosts = (route.spec.hostnames ?? []).map((host) => ({ host, route: identity }));
      for (const { spec } of bindRoute(route, gateways).flatMap(({ listeners }) => listeners)) {
        const known = found.get(spec);
        if (known === undefined) found.set(spec, [...hosts]);
        else known.push(...hosts);
      }
    }
    return found;
  };
  return ({ spec }) => (byListener ??= collect()).get(spec) ?? [];
}

function byPath(one: CertificateUse, other: CertificateUse): number {
  return compareText(`${one.namespace}/${one.secret}`, `${other.namespace}/${other.secret}`);
}

function gatewayProblem(
  { spec }: GatewayObject,
  { namespace, name }: Identity,
  { proxyClass, refused }: TranslationInput,
): ResolvedGateway["problem"] {
  const refusal = refused.get(originKey({ kind: "Gateway", namespace, name }));
  if (refusal !== undefined) {
    return {
      condition: "Accepted",
      reason: refusedByNginx,
      message: `nginx refused the gateway: ${refusal}`,
    };
  }
  return addressProblem(spec.addresses ?? [], proxyClass);
}

function checkListener(
  spec: ListenerSpec,
  gateway: Identity,
  input: TranslationInput,
  grants: Grants,
): Candidate & { readonly uses: readonly CertificateUse[] } {
  const protocol = spec.protocol === "HTTP" || spec.protocol === "HTTPS" ? spec.protocol : undefined;
  const namespaces = allowedNamespaces(spec, gateway, input);
  const kinds = allowedKinds(spec, protocol !== undefined);
  const loaded =
    protocol === "HTTPS"
      ? resolveCertificates(spec, gateway, input, grants)
      : { certificates: [], uses: [], problem: undefined, warning: undefined };
  return {
    gateway,
    spec,
    host: spec.hostname ?? anyHost,
    protocol,
    problem: listenerProblem(spec, input) ?? namespaces.problem,
    unresolved: loaded.problem ?? kinds.problem,
    warning: loaded.warning,
    kinds,
    namespaces,
    certificates: loaded.certificates,
    uses: loaded.uses,
  };
}

function listenerProblem(
  { protocol, port, tls }: ListenerSpec,
  input: TranslationInput,
): Problem | undefined {
  if (protocol !== "HTTP" && protocol !== "HTTPS") {
    const message = `protocol ${protocol} is not supported: use HTTP or HTTPS`;
    return { reason: "UnsupportedProtocol", message };
  }
  if (protocol === "HTTP" && tls !== undefined) {
    return {
      reason: "UnsupportedValue",
      message: "tls needs protocol HTTPS: change the protocol or remove tls",
    };
  }
  if (protocol === "HTTPS" && tls?.mode === "Passthrough") {
    return { reason: "UnsupportedValue", message: "tls.mode Passthrough is not supported: use Terminate" };
  }
  const user = input.portsInUse.get(port);
  if (user === undefined) return undefined;
  return { reason: "PortUnavailable", message: `port ${port} cannot be used: ${user}` };
}
