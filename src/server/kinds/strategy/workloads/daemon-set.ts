import type { DaemonSet, RollingUpdateDaemonSet } from "kubernetes-types/apps/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft, TableColumn } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns, labelsCell, selectorCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { validateSelectedTemplate, withFixedSelector } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const daemonSet: KindRules = {
  columns: [
    nameColumn,
    count("Desired", "Number of nodes that should run a pod.", "desiredNumberScheduled"),
    count("Current", "Number of nodes that run a pod.", "currentNumberScheduled"),
    count("Ready", "Number of nodes with a ready pod.", "numberReady"),
    count("Up-to-date", "Number of nodes with a pod of the newest template.", "updatedNumberScheduled"),
    count("Available", "Number of nodes with an available pod.", "numberAvailable"),
    column("Node Selector", "Labels of the nodes that run a pod.", (object) =>
      labelsCell(as<DaemonSet>(object).spec?.template.spec?.nodeSelector),
    ),
    builtInAgeColumn,
    ...containerColumns((object) => as<DaemonSet>(object).spec?.template.spec),
    column(
      "Selector",
      "Label selector of the pods.",
      (object) => selectorCell(as<DaemonSet>(object).spec?.selector),
      wide,
    ),
  ],
  defaults(object) {
    const { spec } = as<DaemonSet>(object);
    const strategy = spec?.updateStrategy;
    if (strategy?.type === "RollingUpdate") strategy.rollingUpdate ??= { maxUnavailable: 1, maxSurge: 0 };
    defaultPodSpec(spec?.template.spec);
  },
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    validate,
    validateUpdate: withFixedSelector(validate),
  }),
};

type Count =
  | "currentNumberScheduled"
  | "desiredNumberScheduled"
  | "numberAvailable"
  | "numberReady"
  | "updatedNumberScheduled";

function count(name: string, description: string, field: Count): TableColumn {
  const cell = (object: KubeObject): number => as<DaemonSet>(object).status?.[field] ?? 0;
  return column(name, description, cell, { type: "integer" });
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<DaemonSet>(object);
  const checks = new Checks("spec");
  validateSelectedTemplate(spec ?? {}, { name: "DaemonSet", inSelector: "daemonset" }, checks);
  checks.at("minReadySeconds").notNegative(spec?.minReadySeconds);
  checks.at("revisionHistoryLimit").notNegative(spec?.revisionHistoryLimit);
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const at = checks.at("updateStrategy");
  if (type === "RollingUpdate") validateRollingUpdate(rollingUpdate ?? {}, at.at("rollingUpdate"));
  else if (type !== "OnDelete") at.notSupported(spec?.updateStrategy, ["RollingUpdate", "OnDelete"]);
  return checks.errors;
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, checks: Checks): void {
  checks.at("maxUnavailable").amount(maxUnavailable, 100);
  checks.at("maxSurge").amount(maxSurge, 100);
  const [missing, surplus] = [maxUnavailable, maxSurge].map((value) =>
    Number.parseInt(String(value ?? 0), 10),
  );
  if (missing === 0 && surplus === 0) {
    checks.at("maxUnavailable").required("cannot be 0 when maxSurge is 0");
  }
  if (missing !== 0 && surplus !== 0) {
    checks.at("maxSurge").invalid(maxSurge, "may not be set when maxUnavailable is non-zero");
  }
}
