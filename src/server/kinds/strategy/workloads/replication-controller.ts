import type { ReplicationController } from "kubernetes-types/core/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns, labelsCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { validateTemplate } from "../pods/validate-pod.js";
import { countColumns } from "./count-columns.js";
import { replicaPaths, validateMatch } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const replicationController: KindRules = {
  columns: [
    nameColumn,
    ...countColumns,
    builtInAgeColumn,
    ...containerColumns((object) => as<ReplicationController>(object).spec?.template?.spec),
    column(
      "Selector",
      "Label selector of the pods.",
      (object) => labelsCell(as<ReplicationController>(object).spec?.selector),
      wide,
    ),
  ],
  selectableFields: new Map([
    ["status.replicas", (object) => String(as<ReplicationController>(object).status?.replicas ?? 0)],
  ]),
  defaults(object) {
    const { spec } = as<ReplicationController>(object);
    const labels = spec?.template?.metadata?.labels;
    if (spec && labels) {
      spec.selector ??= { ...labels };
      object.metadata["labels"] ??= { ...labels };
    }
    defaultPodSpec(spec?.template?.spec);
  },
  scale: replicaPaths,
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    validate,
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { selector = {}, template, replicas, minReadySeconds } = as<ReplicationController>(object).spec ?? {};
  const checks = new Checks("spec");
  checks.at("minReadySeconds").notNegative(minReadySeconds);
  const selects = Object.keys(selector).length > 0;
  if (!selects) checks.at("selector").required();
  checks.at("replicas").notNegative(replicas);
  const at = checks.at("template");
  if (template === undefined) at.required();
  else {
    if (selects) validateMatch({ matchLabels: selector }, template, at);
    validateTemplate(template, at);
    at.at("spec", "restartPolicy").oneOf(template.spec?.restartPolicy, ["Always"]);
  }
  return checks.errors;
}
