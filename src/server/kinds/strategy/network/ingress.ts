import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
} from "kubernetes-types/networking/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateDns1035Label, validateDns1123Subdomain } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none, someOf } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";

export const ingress: KindRules = {
  columns: [
    nameColumn,
    column("Class", "Ingress class.", (object) => none(as<Ingress>(object).spec?.ingressClassName)),
    column("Hosts", "Hosts of the rules.", hosts),
    column("Address", "Addresses of the load balancer.", addresses),
    column("Ports", "Open ports.", (object) => (as<Ingress>(object).spec?.tls?.length ? "80, 443" : "80")),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    generation: true,
    prepareCreate: resetStatus,
    validate,
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { rules: given, defaultBackend, ingressClassName } = as<Ingress>(object).spec ?? {};
  const checks = new Checks("spec");
  const rules = given ?? [];
  if (rules.length === 0 && !defaultBackend) {
    checks.invalid(given ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend) validateBackend(defaultBackend, checks.at("defaultBackend"));
  for (const [index, rule] of rules.entries()) validateRule(rule, checks.at("rules", index));
  if (ingressClassName !== undefined) {
    checks.at("ingressClassName").faults(ingressClassName, validateDns1123Subdomain(ingressClassName));
  }
  return checks.errors;
}

function validateRule({ host, http }: IngressRule, checks: Checks): void {
  if (host) {
    const at = checks.at("host");
    if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) at.invalid(host, "must be a DNS name, not an IP address");
    at.faults(host, validateDns1123Subdomain(host.replace(/^\*\./, "")));
  }
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) checks.at("http", "paths").required();
  for (const [index, path] of paths.entries()) validatePath(path, checks.at("http", "paths", index));
}

function validatePath({ path = "", pathType, backend }: HTTPIngressPath, checks: Checks): void {
  if (pathType === undefined) {
    checks.at("pathType").required("pathType must be specified");
    return;
  }
  checks.at("pathType").oneOf(pathType, ["Exact", "ImplementationSpecific", "Prefix"]);
  const absolute = path.startsWith("/") || (path === "" && pathType === "ImplementationSpecific");
  if (!absolute) checks.at("path").invalid(path, "must be an absolute path");
  if (path !== "" && pathType !== "ImplementationSpecific") {
    for (const part of ["//", "/./", "/../", "%2f", "%2F"]) {
      if (path.includes(part)) checks.at("path").invalid(path, `must not contain '${part}'`);
    }
    for (const end of ["/..", "/."]) {
      if (path.endsWith(end)) checks.at("path").invalid(path, `cannot end with '${end}'`);
    }
  }
  validateBackend(backend ?? {}, checks.at("backend"));
}

function validateBackend({ resource, service }: IngressBackend, checks: Checks): void {
  if (resource && service) checks.invalid("", "cannot set both resource and service backends");
  else if (service) {
    if (!service.name) checks.at("service", "name").required();
    else checks.at("service", "name").faults(service.name, validateDns1035Label(service.name));
    const { name, number } = service.port ?? {};
    if (name && number) checks.invalid("", "cannot set both port name & port number");
    else if (name) checks.at("service", "port", "name").portName(name);
    else if (number) checks.at("service", "port", "number").port(number);
    else checks.required("port name or number is required");
  } else if (!resource) checks.invalid("", "resource or service backend is required");
  else {
    for (const field of ["kind", "name"] as const) {
      if (!resource[field]) checks.at("resource", field).required();
    }
  }
}

function hosts(object: KubeObject): string {
  const all = (as<Ingress>(object).spec?.rules ?? []).flatMap(({ host }) => host || []);
  return someOf(all) || "*";
}

function addresses(object: KubeObject): string {
  const all = as<Ingress>(object).status?.loadBalancer?.ingress ?? [];
  return [...new Set(all.flatMap(({ ip, hostname }) => ip || hostname || []))].sort().join(",");
}
