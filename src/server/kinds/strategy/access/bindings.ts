import type { RoleBinding, Subject } from "kubernetes-types/rbac/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { inKeyOrder } from "../../../../model/object/bad-value.js";
import { validateDns1123Subdomain, validatePathSegmentName } from "../../../../model/object/names.js";
import type { Draft, TableColumn } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, wide } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { warnNotEnforced } from "./not-enforced.js";

const group = "rbac.authorization.k8s.io";

/** Bindings are stored and not enforced. */
export const roleBinding: KindRules = bindingsIn(true);
export const clusterRoleBinding: KindRules = bindingsIn(false);

function bindingsIn(namespaced: boolean): KindRules {
  const validate = (object: Draft): fieldErrors.FieldError[] => validateBinding(object, namespaced);
  return {
    columns: [
      nameColumn,
      column("Role", "Granted role.", (object) => {
        const { kind, name } = as<RoleBinding>(object).roleRef ?? {};
        return `${kind ?? ""}/${name ?? ""}`;
      }),
      builtInAgeColumn,
      subjects("Users", "Users who have it.", "User"),
      subjects("Groups", "Groups that have it.", "Group"),
      subjects("ServiceAccounts", "Service accounts that have it.", "ServiceAccount"),
    ],
    defaults(object) {
      for (const subject of as<RoleBinding>(object).subjects ?? []) {
        if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
      }
    },
    strategy: strategyOf({
      validateName: validatePathSegmentName,
      allowCreateOnUpdate: true,
      warnings: warnNotEnforced,
      validate,
      validateUpdate(object, old) {
        const checks = new Checks("roleRef", validate(object));
        const [now, before] = [as<RoleBinding>(object).roleRef, as<RoleBinding>(old).roleRef];
        if (!same(now, before)) {
          const reported = inKeyOrder({ APIGroup: now.apiGroup, Kind: now.kind, Name: now.name });
          checks.invalid(reported, "cannot change roleRef");
        }
        return checks.errors;
      },
    }),
  };
}

function subjects(name: string, description: string, kind: string): TableColumn {
  const cell = (object: KubeObject): string =>
    (as<RoleBinding>(object).subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map((subject) =>
        kind === "ServiceAccount" ? `${subject.namespace ?? ""}/${subject.name}` : subject.name,
      )
      .join(", ");
  return column(name, description, cell, wide);
}

function validateBinding(object: Draft, namespaced: boolean): fieldErrors.FieldError[] {
  const { roleRef, subjects: all = [] } = as<RoleBinding>(object);
  const checks = new Checks("roleRef");
  checks.at("apiGroup").oneOf(roleRef?.apiGroup ?? "", [group]);
  checks.at("kind").oneOf(roleRef?.kind ?? "", namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"]);
  if (!roleRef?.name) checks.at("name").required();
  else checks.at("name").faults(roleRef.name, validatePathSegmentName(roleRef.name));
  for (const [index, subject] of all.entries()) {
    validateSubject(subject, namespaced, new Checks(`subjects[${index}]`, checks.errors));
  }
  return checks.errors;
}

function validateSubject(subject: Subject, namespaced: boolean, checks: Checks): void {
  const { kind, name, apiGroup = "", namespace } = subject;
  if (!name) checks.at("name").required();
  switch (kind) {
    case "ServiceAccount":
      if (name) checks.at("name").faults(name, validateDns1123Subdomain(name));
      checks.at("apiGroup").oneOf(apiGroup, [""]);
      if (!namespaced && !namespace) checks.at("namespace").required();
      break;
    case "User":
    case "Group":
      checks.at("apiGroup").oneOf(apiGroup, [group]);
      break;
    default:
      checks.at("kind").oneOf(kind, ["ServiceAccount", "User", "Group"]);
  }
}
