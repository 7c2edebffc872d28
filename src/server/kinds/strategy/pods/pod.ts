import type { Container, Pod, PodSpec } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft, Subresource } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { podColumns } from "./pod-columns.js";
import { defaultPod } from "./pod-defaults.js";
import { qosClassOf } from "./qos-class.js";
import { validatePodSpec } from "./validate-pod.js";
import { warnOfMissingPods } from "./pod-warning.js";

/** Pods. Nothing runs them here: clients write their status, and deletion is immediate. */
export const pod: KindRules = {
  columns: podColumns,
  selectableFields: new Map([
    ["spec.nodeName", (object: KubeObject) => as<Pod>(object).spec?.nodeName ?? ""],
    ["spec.restartPolicy", (object: KubeObject) => as<Pod>(object).spec?.restartPolicy ?? ""],
    ["spec.schedulerName", (object: KubeObject) => as<Pod>(object).spec?.schedulerName ?? ""],
    ["spec.serviceAccountName", (object: KubeObject) => as<Pod>(object).spec?.serviceAccountName ?? ""],
    ["spec.hostNetwork", (object: KubeObject) => String(as<Pod>(object).spec?.hostNetwork ?? false)],
    ["status.phase", (object: KubeObject) => as<Pod>(object).status?.phase ?? ""],
    ["status.podIP", (object: KubeObject) => as<Pod>(object).status?.podIP ?? ""],
    ["status.nominatedNodeName", (object: KubeObject) => as<Pod>(object).status?.nominatedNodeName ?? ""],
  ]),
  defaults(object) {
    const { spec, status } = as<Pod>(object);
    defaultPod(spec);
    // podIP is the first of podIPs, whichever of the two was given.
    if (status?.podIP && !status.podIPs?.length) status.podIPs = [{ ip: status.podIP }];
    else if (status && !status.podIP && status.podIPs?.[0]?.ip) status.podIP = status.podIPs[0].ip;
  },
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    returnsDeleted: true,
    keptByStatus: ["ownerReferences"],
    prepareCreate(object) {
      object["status"] = { phase: "Pending", qosClass: qosClassOf(as<Pod>(object).spec) };
    },
    validate,
    validateUpdate: (object, old, subresource) => [
      ...validate(object),
      ...validateUpdate(object, old, subresource),
    ],
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  validatePodSpec(as<Pod>(object).spec ?? { containers: [] }, checks);
  return checks.errors;
}

/** Only images and a few other fields of a pod may change. */
function validateUpdate(object: Draft, old: KubeObject, subresource?: Subresource): fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  const [now, before] = [as<Pod>(object).spec, as<Pod>(old).spec];
  // The server itself writes the node.
  if (subresource === "binding") return [];
  if (subresource === "ephemeralcontainers") {
    validateEphemeralContainers(now, before, checks.at("ephemeralContainers"));
    return checks.errors;
  }
  for (const field of ["containers", "initContainers"] as const) {
    if ((now?.[field]?.length ?? 0) !== (before?.[field]?.length ?? 0)) {
      checks.at(field).forbidden("pod updates may not add or remove containers");
      return checks.errors;
    }
  }
  const [deadline, earlier] = [now?.activeDeadlineSeconds, before?.activeDeadlineSeconds];
  if (earlier !== undefined && deadline === undefined) {
    checks.at("activeDeadlineSeconds").invalid(null, "must not update from a positive integer to nil value");
    return checks.errors;
  }
  if (earlier !== undefined && deadline !== undefined && deadline > earlier) {
    checks.at("activeDeadlineSeconds").invalid(deadline, "must be less than or equal to previous value");
    return checks.errors;
  }
  if (!same(fixed(now), fixed(before))) {
    checks.forbidden(
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    );
  }
  return checks.errors;
}

/** Ephemeral containers can be added only. */
function validateEphemeralContainers(
  now: PodSpec | undefined,
  before: PodSpec | undefined,
  checks: Checks,
): void {
  const containers = new Map(now?.ephemeralContainers?.map((container) => [container.name, container]));
  for (const container of before?.ephemeralContainers ?? []) {
    const name = JSON.stringify(container.name);
    const kept = containers.get(container.name);
    if (kept === undefined) checks.forbidden(`existing ephemeral containers ${name} may not be removed\n`);
    else if (!same(kept, container)) {
      checks.forbidden(`existing ephemeral containers ${name} may not be changed\n`);
    }
  }
}

/** Fields that cannot change. */
function fixed(spec: PodSpec | undefined): object {
  const { activeDeadlineSeconds: _, tolerations: __, ...rest } = spec ?? { containers: [] };
  // Scheduling gates are removed and ephemeral containers added later.
  const { schedulingGates: ___, ephemeralContainers: ____, ...kept } = rest;
  const withoutImages = (containers: readonly Container[] = []): object[] =>
    containers.map(({ image: _____, ...container }) => container);
  return {
    ...kept,
    containers: withoutImages(kept.containers),
    initContainers: withoutImages(kept.initContainers),
  };
}
