import type { Deployment, DeploymentStrategy } from "kubernetes-types/apps/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns, selectorCell, wide } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { replicaPaths, validateSelectedTemplate, withFixedSelector } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const deployment: KindRules = {
  columns: [
    nameColumn,
    column("Ready", "Ready pods out of desired pods.", (object) => {
      const { spec, status } = as<Deployment>(object);
      return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
    }),
    column(
      "Up-to-date",
      "Number of pods of the newest template.",
      (object) => as<Deployment>(object).status?.updatedReplicas ?? 0,
    ),
    column(
      "Available",
      "Number of available pods.",
      (object) => as<Deployment>(object).status?.availableReplicas ?? 0,
    ),
    builtInAgeColumn,
    ...containerColumns((object) => as<Deployment>(object).spec?.template.spec),
    column(
      "Selector",
      "Label selector of the pods.",
      (object) => selectorCell(as<Deployment>(object).spec?.selector),
      wide,
    ),
  ],
  defaults(object) {
    const { spec } = as<Deployment>(object);
    const strategy = spec?.strategy;
    if (strategy?.type === "RollingUpdate") {
      strategy.rollingUpdate ??= { maxUnavailable: "25%", maxSurge: "25%" };
    }
    defaultPodSpec(spec?.template.spec);
  },
  scale: replicaPaths,
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    prepareUpdate(object, old) {
      // Annotations are copied to replica sets, so their changes count.
      if (!same(object.metadata["annotations"] ?? {}, old.metadata.annotations ?? {})) {
        object.metadata["generation"] = (old.metadata.generation ?? 0) + 1;
      }
    },
    validate,
    validateUpdate: withFixedSelector(validate),
    keptByStatus: ["labels"],
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<Deployment>(object);
  const checks = new Checks("spec");
  checks.at("replicas").notNegative(spec?.replicas);
  validateSelectedTemplate(
    spec ?? {},
    { name: "ReplicaSet", inSelector: "deployment", invalidSelector: "invalid label selector" },
    checks,
  );
  validateStrategy(spec?.strategy ?? {}, checks.at("strategy"));
  checks.at("minReadySeconds").notNegative(spec?.minReadySeconds);
  checks.at("revisionHistoryLimit").notNegative(spec?.revisionHistoryLimit);
  checks.at("progressDeadlineSeconds").notNegative(spec?.progressDeadlineSeconds);
  const deadline = spec?.progressDeadlineSeconds ?? Number.POSITIVE_INFINITY;
  if (deadline <= (spec?.minReadySeconds ?? 0)) {
    checks.at("progressDeadlineSeconds").invalid(deadline, "must be greater than minReadySeconds");
  }
  return checks.errors;
}

function validateStrategy(strategy: DeploymentStrategy, checks: Checks): void {
  const { type, rollingUpdate } = strategy;
  if (type !== "Recreate" && type !== "RollingUpdate") {
    checks.notSupported(strategy, ["Recreate", "RollingUpdate"]);
  }
  if (rollingUpdate === undefined) return;
  const at = checks.at("rollingUpdate");
  if (type === "Recreate") at.forbidden("may not be specified when strategy `type` is 'Recreate'");
  const { maxUnavailable, maxSurge } = rollingUpdate;
  at.at("maxUnavailable").amount(maxUnavailable, 100);
  at.at("maxSurge").amount(maxSurge);
  if (isNothing(maxUnavailable) && isNothing(maxSurge)) {
    at.at("maxUnavailable").invalid(maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
}

function isNothing(amount: number | string | undefined): boolean {
  return amount === 0 || (typeof amount === "string" && /^0+%$/.test(amount));
}
