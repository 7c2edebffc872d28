import type {
  Container,
  ContainerPort,
  EnvVar,
  Lifecycle,
  Probe,
  ResourceRequirements,
} from "kubernetes-types/core/v1.js";
import { validateDns1123Label, validateDns1123Subdomain } from "../../../../model/object/names.js";
import { compareQuantities } from "../../typed/quantity.js";
import { type Checks, protocols } from "../checks.js";

export function validateContainer(container: Container, volumes: ReadonlySet<string>, checks: Checks): void {
  const { name, image } = container;
  if (!name) checks.at("name").required();
  else checks.at("name").faults(name, validateDns1123Label(name));
  if (!image) checks.at("image").required();
  else if (image.trim() !== image) {
    checks.at("image").invalid(image, "must not have leading or trailing whitespace");
  }
  checks
    .at("terminationMessagePolicy")
    .oneOf(container.terminationMessagePolicy, ["File", "FallbackToLogsOnError"]);
  validatePorts(container.ports ?? [], checks.at("ports"));
  validateEnv(container.env ?? [], checks.at("env"));
  validateMounts(container, volumes, checks.at("volumeMounts"));
  checks.at("imagePullPolicy").oneOf(container.imagePullPolicy, ["Always", "IfNotPresent", "Never"]);
  validateResources(container.resources ?? {}, checks.at("resources"));
  for (const field of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[field];
    if (probe) validateProbe(probe, field === "readinessProbe", checks.at(field));
  }
  const { postStart, preStop } = container.lifecycle ?? {};
  if (postStart) validateHandler(postStart, checks.at("lifecycle", "postStart"));
  if (preStop) validateHandler(preStop, checks.at("lifecycle", "preStop"));
}

function validatePorts(ports: readonly ContainerPort[], checks: Checks): void {
  const names = new Set<string>();
  const hostPorts = new Set<string>();
  for (const [index, { name, containerPort, hostPort, hostIP = "", protocol }] of ports.entries()) {
    const at = checks.at(index);
    if (name && at.at("name").portName(name)) {
      if (names.has(name)) at.at("name").duplicate(name);
      names.add(name);
    }
    if (!containerPort) at.at("containerPort").required();
    else at.at("containerPort").port(containerPort);
    if (hostPort) {
      at.at("hostPort").port(hostPort);
      const used = `${protocol}/${hostIP}/${hostPort}`;
      if (hostPorts.has(used)) at.at("hostPort").duplicate(used);
      hostPorts.add(used);
    }
    at.at("protocol").oneOf(protocol, protocols);
  }
}

function validateEnv(variables: readonly EnvVar[], checks: Checks): void {
  for (const [index, { name, value, valueFrom }] of variables.entries()) {
    const at = checks.at(index);
    if (!name) at.at("name").required();
    else if (!/^[ -<>-~]+$/.test(name)) {
      at.at("name").invalid(
        name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      );
    }
    if (!valueFrom) continue;
    const from = at.at("valueFrom");
    const sources = Object.keys(valueFrom);
    if (sources.length === 0) {
      from.invalid(
        "",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
      );
    } else if (value) from.invalid("", "may not be specified when `value` is not empty");
    else if (sources.length > 1) from.invalid("", "may not have more than one field specified at a time");
    for (const field of ["configMapKeyRef", "secretKeyRef"] as const) {
      const key = valueFrom[field];
      if (key) from.at(field, "name").faults(key.name ?? "", validateDns1123Subdomain(key.name ?? ""));
      if (key && !key.key) from.at(field, "key").required();
    }
  }
}

function validateMounts(
  { volumeMounts = [] }: Container,
  volumes: ReadonlySet<string>,
  checks: Checks,
): void {
  const paths = new Set<string>();
  for (const [index, { name, mountPath }] of volumeMounts.entries()) {
    const at = checks.at(index);
    if (!name) at.at("name").required();
    if (!volumes.has(name)) at.at("name").notFound(name);
    if (!mountPath) at.at("mountPath").required();
    if (paths.has(mountPath)) at.at("mountPath").invalid(mountPath, "must be unique");
    paths.add(mountPath);
  }
}

function validateResources({ limits = {}, requests = {} }: ResourceRequirements, checks: Checks): void {
  for (const [field, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(amounts)) {
      if (compareQuantities(amount, "0") < 0) {
        checks.at(field).key(name).invalid(amount, "must be greater than or equal to 0");
      }
    }
  }
  for (const [name, request] of Object.entries(requests)) {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (limit !== undefined && compareQuantities(request, limit) > 0) {
      checks.at("requests").invalid(request, `must be less than or equal to ${name} limit of ${limit}`);
    }
  }
}

function validateProbe(probe: Probe, mayRecover: boolean, checks: Checks): void {
  validateHandler(probe, checks);
  const fields = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const;
  for (const field of fields) checks.at(field).notNegative(probe[field]);
  const threshold = probe.successThreshold;
  if (!mayRecover && threshold !== undefined && threshold !== 1) {
    checks.at("successThreshold").invalid(threshold, "must be 1");
  }
}

type Handler = Pick<Probe, "exec" | "grpc" | "httpGet" | "tcpSocket"> & NonNullable<Lifecycle["preStop"]>;

/** Checks that exactly one handler is set. */
function validateHandler(handler: Handler, checks: Checks): void {
  const { exec, httpGet, tcpSocket } = handler;
  const handlers = (["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const).filter(
    (type) => handler[type],
  );
  if (handlers.length === 0) checks.required("must specify a handler type");
  for (const type of handlers.slice(1)) checks.at(type).forbidden("may not specify more than 1 handler type");
  if (exec && !exec.command?.length) checks.at("exec", "command").required();
  if (httpGet) checks.at("httpGet", "port").portOrName(httpGet.port);
  if (tcpSocket) checks.at("tcpSocket", "port").portOrName(tcpSocket.port);
}
