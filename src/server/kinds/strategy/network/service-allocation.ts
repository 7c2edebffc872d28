import type { Service, ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import { ApiError, fieldErrors, type KubeObject } from "../../../../model/core.js";
import { failureStatus } from "../../../../model/errors/status.js";
import type { Claims, Draft } from "../../../resources/resource-type.js";
import { as } from "../kind-rules.js";
import { canonicalAddress, familyOf, type IpFamily } from "./address-range.js";
import { isSame, refuse, setFamilies } from "./service-families.js";
import type { ServiceRanges } from "./service-ranges.js";
import { keepAllocated, needsHealthCheck, needsNodePorts, removeUnused } from "./service-updates.js";

const addressSet = "cluster-ips";
const portSet = "node-ports";
const takenPort = "provided port is already allocated";

/** Addresses and ports that a service holds for itself alone. */
export function claimsOfService(object: KubeObject | Draft): readonly string[] {
  const { type, clusterIPs = [], ports = [], healthCheckNodePort } = as<Service>(object).spec ?? {};
  const addresses = type === "ExternalName" ? [] : clusterIPs.filter((address) => familyOf(address));
  const numbers = [...ports.map(({ nodePort }) => nodePort), healthCheckNodePort].filter(Boolean);
  return [
    ...new Set([
      ...addresses.map((address) => `${addressSet}/${canonicalAddress(address)}`),
      ...numbers.map((port) => `${portSet}/${port}`),
    ]),
  ];
}

/** Gives a service the addresses and node ports that its type needs; on updates it keeps those that it has. */
export async function allocateService(
  ranges: ServiceRanges,
  object: Draft,
  old: KubeObject | undefined,
  claims: Claims,
): Promise<void> {
  const { spec } = as<Service>(object);
  if (spec === undefined) return;
  const before = old && as<Service>(old).spec;
  if (before !== undefined) keepAllocated(spec, before);
  alignAddresses(spec, before);
  const held = new Set(old === undefined ? [] : claimsOfService(old));
  const { namespace, name } = object.metadata as { readonly namespace?: string; readonly name?: string };
  const seed = `${namespace}/${name}`;
  const allocation: Allocation = { ranges, name: name ?? "", seed, held, claims };
  if (spec.type !== "ExternalName") {
    setFamilies(ranges, allocation.name, spec, before);
    await allocateAddresses(allocation, spec);
  }
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") await allocateNodePorts(allocation, spec);
  await allocateHealthCheckPort(allocation, spec);
  if (before !== undefined) removeUnused(object, before);
}

/** Number of values at the beginning of a range that are left to services which ask for one, as in Kubernetes. */
function reserved(size: number, part: number, most: number): number {
  return size <= 16 ? 1 : Math.max(16, Math.min(most, Math.floor(size / part)));
}

interface Allocation {
  readonly ranges: ServiceRanges;
  readonly name: string;
  readonly seed: string;
  /** Claims of the service as it is stored. */
  readonly held: ReadonlySet<string>;
  readonly claims: Claims;
}

/** Makes clusterIP the first of clusterIPs, if the client changed one of the two. */
function alignAddresses(spec: ServiceSpec, before: ServiceSpec | undefined): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (before === undefined) {
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const isChanged = clusterIP !== (before.clusterIP ?? "");
  if (!isChanged && clusterIPs.length === 0 && before.clusterIPs) spec.clusterIPs = before.clusterIPs;
  if (!isChanged || !isSame(clusterIPs, before.clusterIPs)) return;
  if (clusterIP === "") delete spec.clusterIPs;
  else spec.clusterIPs = [clusterIP];
}

async function allocateAddresses(
  { ranges, name, seed, held, claims }: Allocation,
  spec: ServiceSpec,
): Promise<void> {
  if (spec.clusterIPs?.[0] === "None") return;
  const addresses: string[] = [];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    const range = ranges.addresses.get(family as IpFamily);
    const requested = spec.clusterIPs?.[index];
    if (requested !== undefined) {
      const claim = `${addressSet}/${canonicalAddress(requested)}`;
      if (!held.has(claim)) {
        const why = range?.has(requested)
          ? (await claims.isFree(claim))
            ? undefined
            : "provided IP is already allocated"
          : `the provided IP (${requested}) is not in the valid range. The range of valid IPs is ${range?.text}`;
        const detail = `failed to allocate IP ${requested}: ${why}`;
        if (why) refuse(name, [fieldErrors.invalid("spec.clusterIPs", spec.clusterIPs, detail)]);
      }
      addresses.push(requested);
    } else if (range !== undefined) {
      const { size } = range;
      // The first address is for the API server's own service.
      const free = await claims.pick(addressSet, {
        seed,
        first: 1,
        preferred: reserved(size, 16, 256),
        size,
        valueAt: (at) => range.at(at),
      });
      if (free === undefined) {
        throw full(
          "serviceIP",
          `all addresses of ${range.text} are in use: delete services, or set a larger services.clusterIPRange`,
        );
      }
      addresses.push(free);
    }
  }
  if (addresses[0] === undefined) return;
  spec.clusterIPs = addresses;
  spec.clusterIP = addresses[0];
}

async function allocateNodePorts(allocation: Allocation, spec: ServiceSpec): Promise<void> {
  const { name, held } = allocation;
  const isNew = held.size === 0;
  /** Node ports of this service by port: TCP and UDP on the same port share one. */
  const byPort = new Map<number, number>();
  const givenTo = new Map<number, number>();
  for (const { port, nodePort } of spec.ports ?? [])
    if (nodePort && !byPort.has(port)) byPort.set(port, nodePort);
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (!port.nodePort && !needsNodePorts(spec)) continue;
    const requested = port.nodePort || byPort.get(port.port);
    if (requested === undefined) {
      port.nodePort = await pickPort(allocation, givenTo, "nodePort");
      byPort.set(port.port, port.nodePort);
    } else {
      port.nodePort = requested;
      const holder = givenTo.get(requested);
      const isOwn =
        held.has(`${portSet}/${requested}`) || holder === port.port || (!isNew && holder !== undefined);
      const taken = holder === undefined ? undefined : takenPort;
      const why = isOwn ? undefined : (taken ?? (await refusalOf(allocation, requested)));
      if (why) refuse(name, [fieldErrors.invalid(`spec.ports[${index}].nodePort`, requested, why)]);
    }
    givenTo.set(port.nodePort, port.port);
  }
  refuse(name, duplicates(spec.ports ?? []));
}

/** Two ports cannot have the same node port and protocol. */
function duplicates(ports: readonly ServicePort[]): readonly fieldErrors.FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ nodePort, protocol = "TCP" }, index) => {
    if (!nodePort) return [];
    const key = `${nodePort}/${protocol}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [fieldErrors.duplicate(`spec.ports[${index}].nodePort`, nodePort)];
  });
}

async function allocateHealthCheckPort(allocation: Allocation, spec: ServiceSpec): Promise<void> {
  if (!needsHealthCheck(spec)) return;
  const requested = spec.healthCheckNodePort;
  if (!requested) {
    spec.healthCheckNodePort = await pickPort(
      allocation,
      new Map(spec.ports?.map(({ nodePort = 0 }) => [nodePort, true])),
      "HealthCheck NodePort",
    );
    return;
  }
  if (allocation.held.has(`${portSet}/${requested}`)) return;
  const why = await refusalOf(allocation, requested);
  const detail = `failed to allocate requested HealthCheck NodePort ${requested}: ${why}`;
  if (why) refuse(allocation.name, [fieldErrors.invalid("spec.healthCheckNodePort", requested, detail)]);
}

async function refusalOf({ ranges, claims }: Allocation, port: number): Promise<string | undefined> {
  const { first, size, text } = ranges.nodePorts;
  if (port < first || port >= first + size) {
    return `provided port is not in the valid range. The range of valid ports is ${text}`;
  }
  return (await claims.isFree(`${portSet}/${port}`)) ? undefined : takenPort;
}

async function pickPort(
  { ranges, seed, claims }: Allocation,
  given: ReadonlyMap<number, unknown>,
  what: string,
): Promise<number> {
  const { first, size, text } = ranges.nodePorts;
  const valueAt = (index: number): string => String(first + index);
  const free = await claims.pick(portSet, {
    seed,
    first: 0,
    preferred: reserved(size, 32, 128),
    size,
    valueAt,
    except: (value) => given.has(Number(value)),
  });
  if (free === undefined) {
    throw full(
      what,
      `all ports of ${text} are in use: delete services, or set a larger services.nodePortRange`,
    );
  }
  return Number(free);
}

function full(what: string, why: string): Error {
  const message = `Internal error occurred: failed to allocate a ${what}: range is full: ${why}`;
  return new ApiError(failureStatus("InternalError", message, {}));
}
