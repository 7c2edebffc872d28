import type { Service, ServicePort, ServiceSpec } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateLabels } from "../../../../model/object/labels.js";
import {
  nameIsDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
} from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, protocols } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, labelsCell, none, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { allocateService, claimsOfService } from "./service-allocation.js";
import type { ServiceRanges } from "./service-ranges.js";

/** Services, with addresses and node ports from the given ranges. */
export function service(ranges: ServiceRanges): KindRules {
  return {
    columns: [
      nameColumn,
      column("Type", "Type of the service.", (object) => as<Service>(object).spec?.type ?? ""),
      column("Cluster-IP", "Address inside the cluster.", (object) =>
        none(as<Service>(object).spec?.clusterIPs?.[0]),
      ),
      column("External-IP", "Addresses outside the cluster.", externalAddress),
      column("Port(s)", "Ports.", (object) => none(as<Service>(object).spec?.ports?.map(portText).join(","))),
      builtInAgeColumn,
      column(
        "Selector",
        "Label selector of the pods.",
        (object) => labelsCell(as<Service>(object).spec?.selector),
        wide,
      ),
    ],
    selectableFields: new Map([
      ["spec.clusterIP", (object) => as<Service>(object).spec?.clusterIP ?? ""],
      ["spec.type", (object) => as<Service>(object).spec?.type ?? ""],
    ]),
    defaults(object) {
      const { spec, status } = as<Service>(object);
      defaultService(spec);
      if (spec?.type !== "LoadBalancer") return;
      for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= "VIP";
    },
    strategy: strategyOf({
      validateName: nameIsDns1035Label,
      allowCreateOnUpdate: true,
      returnsDeleted: true,
      prepareCreate: resetStatus,
      warnings,
      claims: claimsOfService,
      allocate: (object, old, claims) => allocateService(ranges, object, old, claims),
      validate,
      validateUpdate: (object, old) => [...validate(object), ...validateSameAddress(object, old)],
    }),
  };
}

const clientSeconds = 10_800;

function defaultService(spec: ServiceSpec | undefined): void {
  if (spec === undefined) return;
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === "ClientIP" && !spec.sessionAffinityConfig?.clientIP?.timeoutSeconds) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: clientSeconds } };
  }
  for (const port of spec.ports ?? []) port.targetPort ||= port.port;
  const outside = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (outside || spec.externalIPs?.length) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function validate(object: Draft): fieldErrors.FieldError[] {
  const spec: ServiceSpec = as<Service>(object).spec ?? {};
  const { type = "", ports = [] } = spec;
  const checks = new Checks("spec");
  const headless = spec.clusterIP === "None";
  if (ports.length === 0 && !headless && type !== "ExternalName") checks.at("ports").required();
  if (headless && (type === "LoadBalancer" || type === "NodePort")) {
    checks.at("clusterIPs", 0).invalid("None", `may not be set to 'None' for ${type} services`);
  }
  if (type === "ExternalName") validateExternalName(spec, checks);
  validatePorts(ports, checks.at("ports"));
  for (const [index, { nodePort }] of ports.entries()) {
    if (type !== "ClusterIP" || !nodePort) continue;
    checks.at("ports", index, "nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
  }
  checks.add(validateLabels(spec.selector, checks.at("selector").path));
  checks.at("sessionAffinity").oneOf(spec.sessionAffinity, ["ClientIP", "None"]);
  checks.at("type").oneOf(type, types);
  return checks.errors;
}

function warnings(object: Draft): string[] {
  const { type, clusterIP, externalName, externalIPs, loadBalancerIP, sessionAffinity }: ServiceSpec =
    as<Service>(object).spec ?? {};
  const ignored = (field: string, when: string): string => `spec.${field} is ignored ${when}`;
  const found: string[] = [];
  if (clusterIP === "None") {
    if (loadBalancerIP) found.push(ignored("loadBalancerIP", "for headless services"));
    if (externalIPs?.length) found.push(ignored("externalIPs", "for headless services"));
    if (sessionAffinity !== "None") found.push(ignored("SessionAffinity", "for headless services"));
  }
  if (type === "ExternalName" && externalIPs?.length) {
    found.push(ignored("externalIPs", 'when spec.type is "ExternalName"'));
  }
  if (type !== "ExternalName" && externalName) {
    found.push(ignored("externalName", 'when spec.type is not "ExternalName"'));
  }
  return found;
}

function validateExternalName({ clusterIPs, externalName = "" }: ServiceSpec, checks: Checks): void {
  if (clusterIPs?.length) checks.at("clusterIPs").forbidden("may not be set for ExternalName services");
  const at = checks.at("externalName");
  if (externalName === "") at.required();
  else at.faults(externalName, validateDns1123Subdomain(externalName.replace(/\.$/, "")));
}

function validatePorts(ports: readonly ServicePort[], checks: Checks): void {
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, { name = "", port, protocol, targetPort }] of ports.entries()) {
    const at = checks.at(index);
    if (name === "" && ports.length > 1) at.at("name").required();
    else if (name !== "") {
      at.at("name").faults(name, validateDns1123Label(name));
      if (names.has(name)) at.at("name").duplicate(name);
      names.add(name);
    }
    at.at("port").port(port);
    at.at("protocol").oneOf(protocol, protocols);
    if (targetPort !== undefined) at.at("targetPort").portOrName(targetPort);
    const key = `${port}/${protocol}`;
    if (numbers.has(key)) at.duplicate({ port, protocol });
    numbers.add(key);
  }
}

function validateSameAddress(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const [now, before] = [as<Service>(object).spec, as<Service>(old).spec];
  const checks = new Checks("spec.clusterIPs[0]");
  if (now?.type === "ExternalName" || before?.type === "ExternalName" || !before?.clusterIP) return [];
  if (now?.clusterIP !== before.clusterIP) checks.invalid(now?.clusterIPs ?? [], "may not change once set");
  return checks.errors;
}

function portText({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress(object: KubeObject): string {
  const { spec, status } = as<Service>(object);
  const external = spec?.externalIPs ?? [];
  if (spec?.type === "ExternalName") return spec.externalName ?? "";
  if (spec?.type !== "LoadBalancer") return none(external.join(","));
  const balanced = status?.loadBalancer?.ingress?.flatMap(({ ip, hostname }) => ip || hostname || []) ?? [];
  return [...new Set(balanced)].sort().concat(external).join(",") || "<pending>";
}
