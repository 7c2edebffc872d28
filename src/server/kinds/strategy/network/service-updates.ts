import type { Service, ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { Draft } from "../../../resources/resource-type.js";
import { as } from "../kind-rules.js";
import { isSame } from "./service-families.js";

/** Keeps addresses and ports that an update leaves out. */
export function keepAllocated(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsAddress(spec) && needsAddress(before)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && before.clusterIPs) spec.clusterIPs = before.clusterIPs;
  }
  if (needsNodePorts(spec) && needsNodePorts(before)) {
    const used = new Set(nodePortsOf(spec));
    const byName = new Map(before.ports?.map(({ name = "", nodePort }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const known = byName.get(port.name ?? "");
      if (!port.nodePort && known && !used.has(known)) port.nodePort = known;
    }
  }
  if (needsHealthCheck(spec) && needsHealthCheck(before) && !spec.healthCheckNodePort) {
    if (before.healthCheckNodePort) spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

/**
 * Removes fields that the new type of a service has no use for, and that the client did not change: a client that changes them, too,
 * gets an error.
 */
export function removeUnused(object: Draft, before: ServiceSpec): void {
  const { spec, status } = as<Service>(object);
  if (spec === undefined) return;
  if (needsAddress(before) && !needsAddress(spec)) {
    if (spec.clusterIP === before.clusterIP && isSame(spec.clusterIPs, before.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (isSame(spec.ipFamilies, before.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const known = new Set(nodePortsOf(before));
  if (isOutside(before) && !isOutside(spec) && nodePortsOf(spec).every((port) => known.has(port))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  const unused = (field: keyof ServiceSpec, did: boolean, does: boolean): void => {
    if (did && !does && spec[field] === before[field]) delete spec[field];
  };
  unused("healthCheckNodePort", needsHealthCheck(before), needsHealthCheck(spec));
  unused("allocateLoadBalancerNodePorts", before.type === "LoadBalancer", spec.type === "LoadBalancer");
  unused("loadBalancerClass", before.type === "LoadBalancer", spec.type === "LoadBalancer");
  unused("internalTrafficPolicy", needsAddress(before), needsAddress(spec));
  unused("externalTrafficPolicy", isAccessible(before), isAccessible(spec));
  if (spec.type !== "LoadBalancer" && status?.loadBalancer) {
    object["status"] = { ...status, loadBalancer: {} };
  }
}

function needsAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

function isOutside({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function isAccessible(spec: ServiceSpec): boolean {
  return isOutside(spec) || (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);
}

/** Every port of the service gets a node port. */
export function needsNodePorts({ type, allocateLoadBalancerNodePorts = true }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts);
}

export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

function nodePortsOf({ ports = [] }: ServiceSpec): readonly number[] {
  return ports.flatMap(({ nodePort }: ServicePort) => nodePort || []);
}
