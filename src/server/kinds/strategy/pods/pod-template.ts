import type { PodTemplate } from "kubernetes-types/core/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { column, containerColumns, labelsCell } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { defaultPodSpec } from "./pod-defaults.js";
import { validateTemplate } from "./validate-pod.js";

export const podTemplate: KindRules = {
  columns: [
    nameColumn,
    ...containerColumns((object) => as<PodTemplate>(object).template?.spec, 0),
    column("Pod Labels", "Labels of the pods.", (object) =>
      labelsCell(as<PodTemplate>(object).template?.metadata?.labels),
    ),
  ],
  defaults: (object) => defaultPodSpec(as<PodTemplate>(object).template?.spec),
  strategy: strategyOf({ generation: true, returnsDeleted: true, validate }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("template");
  validateTemplate(as<PodTemplate>(object).template, checks);
  return checks.errors;
}
