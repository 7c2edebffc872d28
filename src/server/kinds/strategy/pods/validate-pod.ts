import type { PodSpec, PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import { validateLabels } from "../../../../model/object/labels.js";
import { validateDns1123Label, validateDns1123Subdomain } from "../../../../model/object/names.js";
import type { Checks } from "../checks.js";
import { validateContainer } from "./validate-container.js";

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const longestDeadline = 2 ** 31 - 1;

/** Validates the labels and the spec of a pod template. */
export function validateTemplate(template: PodTemplateSpec | undefined, checks: Checks): void {
  const { labels } = template?.metadata ?? {};
  checks.add(validateLabels(labels, checks.at("labels").path));
  validatePodSpec(template?.spec ?? ({} as PodSpec), checks.at("spec"));
}

export function validatePodSpec(spec: PodSpec, checks: Checks): void {
  const volumes = validateVolumes(spec.volumes ?? [], checks.at("volumes"));
  const names = new Set<string>();
  if (!spec.containers?.length) checks.at("containers").required();
  for (const field of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[field] ?? []).entries()) {
      const at = checks.at(field, index);
      validateContainer(container, volumes, at);
      const { name } = container;
      if (name && names.has(name)) at.at("name").duplicate(name);
      names.add(name);
      if (field === "containers" && container.restartPolicy !== undefined) {
        at.at("restartPolicy").forbidden("may not be set for non-init containers");
      }
    }
  }
  checks.at("restartPolicy").oneOf(spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  checks.at("dnsPolicy").oneOf(spec.dnsPolicy, dnsPolicies);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && (deadline < 1 || deadline > longestDeadline)) {
    checks
      .at("activeDeadlineSeconds")
      .invalid(deadline, `must be between 1 and ${longestDeadline}, inclusive`);
  }
  for (const field of ["serviceAccountName", "nodeName"] as const) {
    const name = spec[field];
    if (name) checks.at(field).faults(name, validateDns1123Subdomain(name));
  }
  if (spec.hostname) checks.at("hostname").faults(spec.hostname, validateDns1123Label(spec.hostname));
}

/** Returns the names of the volumes. */
function validateVolumes(volumes: readonly Volume[], checks: Checks): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const at = checks.at(index);
    const { name } = volume;
    if (!name) at.at("name").required();
    else {
      const faults = validateDns1123Label(name);
      at.at("name").faults(name, faults);
      if (names.has(name)) at.at("name").duplicate(name);
    }
    names.add(name);
    validateSource(volume, at);
  }
  return names;
}

function validateSource(volume: Volume, checks: Checks): void {
  const sources = Object.keys(volume).filter((field) => field !== "name");
  // Kubernetes looks at emptyDir first and reports all sources but the first.
  sources.sort((a, b) => Number(b === "emptyDir") - Number(a === "emptyDir"));
  for (const other of sources.slice(1)) checks.at(other).forbidden("may not specify more than 1 volume type");
  const { configMap, secret, persistentVolumeClaim, hostPath } = volume;
  if (configMap && !configMap.name) checks.at("configMap", "name").required();
  if (secret && !secret.secretName) checks.at("secret", "secretName").required();
  if (persistentVolumeClaim && !persistentVolumeClaim.claimName) {
    checks.at("persistentVolumeClaim", "claimName").required();
  }
  if (hostPath) validateHostPath(hostPath.path, checks.at("hostPath", "path"));
}

/** Path of a directory on a node. */
export function validateHostPath(path: string | undefined, checks: Checks): void {
  if (!path) checks.required();
  else if (path.split("/").includes("..")) checks.invalid(path, "must not contain '..'");
}
