import type { LimitRange, ResourceQuota } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { compareQuantities } from "../../typed/quantity.js";
import { Checks } from "../checks.js";
import { ageColumn, column, nameColumn } from "../columns.js";
import { as, type KindRules, strategyOf, withoutStatus } from "../kind-rules.js";

/** Bounds for pods. Nobody holds pods against them here. */
export const limitRange: KindRules = {
  columns: [
    nameColumn(),
    column("Created At", "When it was created.", ({ metadata }) => metadata.creationTimestamp ?? ""),
  ],
  defaults(object) {
    for (const item of as<LimitRange>(object).spec?.limits ?? []) {
      if (item.type !== "Container") continue;
      item.default = { ...item.max, ...item.default };
      item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
      if (Object.keys(item.default).length === 0) delete item.default;
      if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
    }
  },
  strategy: strategyOf({ allowCreateOnUpdate: true, validate: validateRange, validateUpdate: validateRange }),
};

function validateRange(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("spec.limits");
  for (const [index, { type, min = {}, max = {} }] of (as<LimitRange>(object).spec?.limits ?? []).entries()) {
    const at = checks.at(index);
    if (!type) at.at("type").required();
    for (const [name, least] of Object.entries(min)) {
      const most = Object.hasOwn(max, name) ? max[name] : undefined;
      if (most !== undefined && compareQuantities(least, most) > 0) {
        const detail = `min value ${least} is greater than max value ${most}`;
        at.at("min").key(name).invalid(least, detail);
      }
    }
  }
  return checks.errors;
}

/** Bounds for namespaces. Nobody counts here. */
export const resourceQuota: KindRules = {
  columns: [
    nameColumn(),
    column("Request", "What is used of what there is.", (object) => used(object, false)),
    column("Limit", "What may be used of what there is.", (object) => used(object, true)),
    ageColumn,
  ],
  strategy: strategyOf({
    returnsDeleted: true,
    prepareCreate: withoutStatus,
    validate: validateQuota,
    validateUpdate: validateQuota,
  }),
};

function validateQuota(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("spec.hard");
  for (const [name, amount] of Object.entries(as<ResourceQuota>(object).spec?.hard ?? {})) {
    if (compareQuantities(amount, "0") < 0) {
      checks.key(name).invalid(amount, "must be greater than or equal to 0");
    }
  }
  return checks.errors;
}

function used(object: KubeObject, limits: boolean): string {
  const { hard = {}, used = {} } = as<ResourceQuota>(object).status ?? {};
  const names = Object.keys(hard).filter((name) => name.startsWith("limits.") === limits);
  return names
    .sort()
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
