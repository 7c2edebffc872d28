import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";

export const podDisruptionBudget: KindRules = {
  columns: [
    nameColumn,
    column("Min Available", "Minimum number of available pods.", (object) =>
      String(as<PodDisruptionBudget>(object).spec?.minAvailable ?? "N/A"),
    ),
    column("Max Unavailable", "Maximum number of unavailable pods.", (object) =>
      String(as<PodDisruptionBudget>(object).spec?.maxUnavailable ?? "N/A"),
    ),
    column(
      "Allowed Disruptions",
      "Number of pods that may be disrupted now.",
      (object) => as<PodDisruptionBudget>(object).status?.disruptionsAllowed ?? 0,
      { type: "integer" },
    ),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    generation: true,
    allowUnconditionalUpdate: false,
    prepareCreate: resetStatus,
    validate,
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } =
    as<PodDisruptionBudget>(object).spec ?? {};
  const checks = new Checks("spec");
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    checks.invalid(object["spec"], "minAvailable and maxUnavailable cannot be both set");
  }
  checks.at("minAvailable").amount(minAvailable, 100);
  checks.at("maxUnavailable").amount(maxUnavailable, 100);
  checks
    .at("unhealthyPodEvictionPolicy")
    .oneOf(unhealthyPodEvictionPolicy, ["AlwaysAllow", "IfHealthyBudget"]);
  checks.add(validateLabelSelector(selector, checks.at("selector").path));
  return checks.errors;
}
