import { duration } from "fettle";
import { Backend } from "../../kinds/proxy.js";
import { originKey, type Destination, type Upstream } from "../configuration.js";
import { refusedByNginx, type Problem } from "../findings.js";
import type { Grants } from "../grants.js";
import { compareText } from "../identity.js";
import type { CompiledRule } from "../routes/rules.js";
import { serversOfBackend, serversOfService } from "./servers.js";
import type { TranslationInput } from "../translation.js";

type BackendRef = CompiledRule["backendRefs"][number];

/** Target of a reference. */
interface Target {
  /** Undefined if there is no server that could respond. */
  readonly upstream: Upstream | undefined;
  /** Fault of the reference, for which requests get 500. */
  readonly problem: Problem | undefined;
  /** Sentence for people, if there is an object but no server. */
  readonly warning: string | undefined;
}

interface ResolvedDestination extends Target {
  /** Share of the requests of a rule. */
  readonly destination: Destination;
}

/** Idle connections and time limit for Services, which have no fields for them: the defaults of a Backend. */
const serviceSettings = { keepalive: 32, connectTimeout: 5000 };

/** Application protocols of a Service that nginx speaks; undefined is HTTP. */
const protocols: ReadonlySet<string | undefined> = new Set([undefined, "http", "kubernetes.io/ws"]);

/** Resolves references to backends, and collects the upstreams that are in use. */
export class Backends {
  readonly #input: TranslationInput;
  readonly #grants: Grants;
  /** By kind, namespace, name and port: thousands of routes share a few backends. */
  readonly #targets = new Map<string, Target>();
  readonly #used = new Map<string, Upstream>();

  constructor(input: TranslationInput, grants: Grants) {
    this.#input = input;
    this.#grants = grants;
  }

  /** Upstreams that were used, in order of their names. */
  get upstreams(): readonly Upstream[] {
    return [...this.#used.values()].toSorted((one, other) => compareText(one.name, other.name));
  }

  /** Adds an upstream to those in use. */
  use(upstream: Upstream): void {
    this.#used.set(upstream.name, upstream);
  }

  resolve(reference: BackendRef, routeNamespace: string): ResolvedDestination {
    const { weight } = reference;
    const { upstream, problem, warning } = this.#targetOf(reference, routeNamespace);
    const destination: Destination =
      upstream === undefined
        ? { weight, status: problem === undefined ? 503 : 500 }
        : { weight, upstream: upstream.name };
    return { destination, upstream, problem, warning };
  }

  #targetOf(reference: BackendRef, routeNamespace: string): Target {
    const { group, kind, name, namespace = routeNamespace, port } = reference;
    const isService = group === "" && kind === "Service";
    if (!isService && !(group === Backend.group && kind === Backend.kind)) {
      const known = `use a Service, or a Backend of group ${Backend.group}`;
      return fault(
        "InvalidKind",
        `${kind}${group === "" ? "" : `.${group}`} ${name} is not supported: ${known}`,
      );
    }
    const from = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: routeNamespace };
    if (!this.#grants.permit(from, { group, kind, namespace, name })) {
      const way = `create a ReferenceGrant in ${namespace} for routes of ${routeNamespace}`;
      return fault("RefNotPermitted", `${kind} ${namespace}/${name} may not be used: ${way}`);
    }
    const key = `${kind} ${namespace}/${name}:${isService ? port : ""}`;
    let target = this.#targets.get(key);
    if (target === undefined) {
      target = isService ? this.#service(namespace, name, port) : this.#backend(namespace, name);
      this.#targets.set(key, target);
    }
    return target;
  }

  #backend(namespace: string, name: string): Target {
    const refusal = this.#input.refused.get(originKey({ kind: "Backend", namespace, name }));
    if (refusal !== undefined)
      return fault(refusedByNginx, `nginx refused Backend ${namespace}/${name}: ${refusal}`);
    const backend = this.#input.findBackend(namespace, name);
    if (backend === undefined) {
      return fault("BackendNotFound", `there is no Backend ${name} in namespace ${namespace}`);
    }
    const servers = serversOfBackend(backend);
    if (servers.length === 0) {
      const targets = backend.spec.targets.length === 0 ? "no targets" : "no usable target";
      return empty(`Backend ${namespace}/${name} has ${targets}: requests get 503`);
    }
    const { keepalive, connectTimeout } = backend.spec;
    return available({
      name: `backend_${namespace}_${name}`,
      servers,
      keepalive,
      connectTimeout: duration(connectTimeout),
      origin: { kind: "Backend", namespace, name },
    });
  }

  #service(namespace: string, name: string, port: number | undefined): Target {
    const refusal = this.#input.refused.get(originKey({ kind: "Service", namespace, name }));
    if (refusal !== undefined)
      return fault(refusedByNginx, `nginx refused Service ${namespace}/${name}: ${refusal}`);
    if (port === undefined) {
      return fault("UnsupportedValue", `the reference to Service ${name} needs a port`);
    }
    const service = this.#input.findService(namespace, name);
    if (service === undefined) {
      return fault("BackendNotFound", `there is no Service ${name} in namespace ${namespace}`);
    }
    if (service.spec?.type === "ExternalName") {
      const way = "use a Backend with that name as its target";
      return fault(
        "UnsupportedValue",
        `Service ${namespace}/${name} of type ExternalName is not supported: ${way}`,
      );
    }
    const ports = service.spec?.ports ?? [];
    const servicePort = ports.find((candidate) => candidate.port === port);
    if (servicePort === undefined) {
      const has = ports.map((candidate) => candidate.port).join(", ") || "none";
      return fault("BackendNotFound", `Service ${namespace}/${name} has no port ${port}; its ports: ${has}`);
    }
    const { appProtocol, protocol = "TCP" } = servicePort;
    if (protocol !== "TCP" || !protocols.has(appProtocol)) {
      const found = protocol === "TCP" ? appProtocol : protocol;
      return fault(
        "UnsupportedProtocol",
        `port ${port} of Service ${namespace}/${name} has protocol ${found}: HTTP is needed`,
      );
    }
    const servers = serversOfService(service, servicePort, this.#input.endpointSlices(namespace, name));
    if (servers.length === 0) {
      return empty(`Service ${namespace}/${name} has no ready endpoint for port ${port}: requests get 503`);
    }
    return available({
      name: `service_${namespace}_${name}_${port}`,
      servers,
      ...serviceSettings,
      origin: { kind: "Service", namespace, name },
    });
  }
}

function fault(reason: string, message: string): Target {
  return { upstream: undefined, problem: { reason, message }, warning: undefined };
}

function empty(warning: string): Target {
  return { upstream: undefined, problem: undefined, warning };
}

function available(upstream: Upstream): Target {
  return { upstream, problem: undefined, warning: undefined };
}
