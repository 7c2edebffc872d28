import type { Node } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateQualifiedName } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none, wide } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

const rolePrefix = "node-role.kubernetes.io/";

export const node: KindRules = {
  columns: [
    nameColumn,
    column("Status", "Readiness of the node.", statusOf),
    column("Roles", "Roles of the node.", rolesOf),
    builtInAgeColumn,
    column("Version", "Version of the kubelet.", (object) => infoOf(object).kubeletVersion ?? ""),
    column("Internal-IP", "Address inside the cluster.", (object) => addressOf(object, "InternalIP"), wide),
    column("External-IP", "Address outside the cluster.", (object) => addressOf(object, "ExternalIP"), wide),
    column("OS-Image", "Operating system image.", (object) => infoOf(object).osImage || "<unknown>", wide),
    column(
      "Kernel-Version",
      "Kernel version.",
      (object) => infoOf(object).kernelVersion || "<unknown>",
      wide,
    ),
    column(
      "Container-Runtime",
      "Container runtime.",
      (object) => infoOf(object).containerRuntimeVersion || "<unknown>",
      wide,
    ),
  ],
  selectableFields: new Map([
    ["spec.unschedulable", (object) => String(as<Node>(object).spec?.unschedulable ?? false)],
  ]),
  // A kubelet registers its node with a status, so new nodes keep it.
  strategy: strategyOf({
    validate,
    validateUpdate(object, old) {
      const [now, before] = [as<Node>(object).spec?.providerID, as<Node>(old).spec?.providerID];
      const checks = new Checks("spec.providerID", validate(object));
      if (before && now !== before) {
        checks.forbidden('node updates may not change providerID except from "" to valid');
      }
      return checks.errors;
    },
  }),
  defaults(object) {
    const { status } = as<Node>(object);
    if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  },
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("metadata.taints");
  for (const [index, { key, effect }] of (as<Node>(object).spec?.taints ?? []).entries()) {
    const at = checks.at(index);
    at.at("key").faults(key, validateQualifiedName(key));
    if (!effect) at.at("effect").required();
    else at.at("effect").oneOf(effect, ["NoSchedule", "PreferNoSchedule", "NoExecute"]);
  }
  return checks.errors;
}

function infoOf(object: KubeObject): Partial<NonNullable<NonNullable<Node["status"]>["nodeInfo"]>> {
  return as<Node>(object).status?.nodeInfo ?? {};
}

function statusOf(object: KubeObject): string {
  const { status, spec } = as<Node>(object);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const readiness = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${readiness},SchedulingDisabled` : readiness;
}

function rolesOf({ metadata }: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return none([...roles].sort().join(","));
}

function addressOf(object: KubeObject, type: string): string {
  return none(as<Node>(object).status?.addresses?.find((each) => each.type === type)?.address);
}
