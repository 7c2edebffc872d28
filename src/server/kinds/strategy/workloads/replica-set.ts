import type { ReplicaSet } from "kubernetes-types/apps/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, containerColumns, column, selectorCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { countColumns } from "./count-columns.js";
import { replicaPaths, validateSelectedTemplate, withFixedSelector } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const replicaSet: KindRules = {
  columns: [
    nameColumn,
    ...countColumns,
    builtInAgeColumn,
    ...containerColumns((object) => as<ReplicaSet>(object).spec?.template?.spec),
    column(
      "Selector",
      "Label selector of the pods.",
      (object) => selectorCell(as<ReplicaSet>(object).spec?.selector),
      wide,
    ),
  ],
  selectableFields: new Map([
    ["status.replicas", (object) => String(as<ReplicaSet>(object).status?.replicas ?? 0)],
  ]),
  defaults: (object) => defaultPodSpec(as<ReplicaSet>(object).spec?.template?.spec),
  scale: replicaPaths,
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    validate,
    validateUpdate: withFixedSelector(validate),
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<ReplicaSet>(object);
  const checks = new Checks("spec");
  checks.at("replicas").notNegative(spec?.replicas);
  checks.at("minReadySeconds").notNegative(spec?.minReadySeconds);
  // Kubernetes says "deployment" here.
  validateSelectedTemplate(
    spec ?? {},
    { name: "ReplicaSet", inSelector: "deployment", invalidSelector: "invalid label selector" },
    checks,
  );
  return checks.errors;
}
