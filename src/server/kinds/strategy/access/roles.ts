import type { ClusterRole, PolicyRule } from "kubernetes-types/rbac/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import { validatePathSegmentName } from "../../../../model/object/names.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { column } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { warnNotEnforced } from "./not-enforced.js";

const columns = [
  nameColumn,
  column("Created At", "Creation time.", ({ metadata }) => metadata.creationTimestamp ?? "", {
    type: "date",
  }),
];

/** Roles are stored and not enforced; authorization is configured where the server is started. */
export const role: KindRules = rolesIn(true);
export const clusterRole: KindRules = rolesIn(false);

function rolesIn(namespaced: boolean): KindRules {
  const validate = (object: Draft): fieldErrors.FieldError[] => {
    const checks = new Checks("rules");
    const { rules, aggregationRule } = as<ClusterRole>(object);
    for (const [index, rule] of (rules ?? []).entries()) validateRule(rule, namespaced, checks.at(index));
    if (aggregationRule) {
      validateAggregation(aggregationRule, new Checks("aggregationRule.clusterRoleSelectors", checks.errors));
    }
    return checks.errors;
  };
  return {
    columns,
    strategy: strategyOf({
      validateName: validatePathSegmentName,
      allowCreateOnUpdate: true,
      warnings: warnNotEnforced,
      validate,
    }),
  };
}

function validateAggregation(
  { clusterRoleSelectors = [] }: NonNullable<ClusterRole["aggregationRule"]>,
  checks: Checks,
): void {
  if (clusterRoleSelectors.length === 0) {
    checks.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [index, selector] of clusterRoleSelectors.entries()) {
    const at = checks.at(index);
    const errors = validateLabelSelector(selector, at.path);
    checks.add(errors);
    if (errors.length > 0) at.invalid(null, "invalid label selector.");
  }
}

function validateRule(rule: PolicyRule, namespaced: boolean, checks: Checks): void {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) checks.at("verbs").required("verbs must contain at least one value");
  if (nonResourceURLs.length > 0) {
    const at = checks.at("nonResourceURLs");
    if (namespaced) at.invalid(nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      at.invalid(nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (apiGroups.length === 0) {
    checks.at("apiGroups").required("resource rules must supply at least one api group");
  }
  if (resources.length === 0) {
    checks.at("resources").required("resource rules must supply at least one resource");
  }
}
