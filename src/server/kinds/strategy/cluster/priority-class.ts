import type { PriorityClass } from "kubernetes-types/scheduling/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, wide } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

const highest = 1_000_000_000;
const systemClasses: ReadonlySet<string> = new Set(["system-cluster-critical", "system-node-critical"]);

export const priorityClass: KindRules = {
  columns: [
    nameColumn,
    column("Value", "Priority value.", (object) => as<PriorityClass>(object).value ?? 0, { type: "integer" }),
    column(
      "Global-Default",
      "Default for pods without a priority class.",
      (object) => as<PriorityClass>(object).globalDefault ?? false,
      { type: "boolean" },
    ),
    builtInAgeColumn,
    column(
      "PreemptionPolicy",
      "Preemption policy.",
      (object) => as<PriorityClass>(object).preemptionPolicy ?? "",
      wide,
    ),
  ],
  strategy: strategyOf({
    // Kubernetes sets the generation of a priority class once and never counts on.
    prepareCreate(object) {
      object.metadata["generation"] = 1;
    },
    validate,
    validateUpdate(object, old) {
      const [now, before] = [as<PriorityClass>(object), as<PriorityClass>(old)];
      const checks = new Checks("");
      if (now.value !== before.value) checks.at("value").forbidden("may not be changed in an update.");
      checks.at("preemptionPolicy").unchanged(now.preemptionPolicy, before.preemptionPolicy);
      return checks.errors;
    },
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { value, preemptionPolicy, metadata } = as<PriorityClass>(object);
  const checks = new Checks("");
  const name = metadata?.name ?? "";
  if (name.startsWith("system-")) {
    if (!systemClasses.has(name)) {
      checks
        .at("metadata", "name")
        .forbidden(
          `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
        );
    }
  } else if (value > highest) {
    checks.at("value").forbidden(`maximum allowed value of a user defined priority is ${highest}`);
  }
  checks.at("preemptionPolicy").oneOf(preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  return checks.errors;
}
