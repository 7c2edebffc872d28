import type { LimitRange, LimitRangeItem, ResourceQuota } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateQualifiedName } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { compareQuantities } from "../../typed/quantity.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";

/** Limits for pods; stored, not enforced. */
export const limitRange: KindRules = {
  columns: [
    nameColumn,
    column("Created At", "Creation time.", ({ metadata }) => metadata.creationTimestamp ?? ""),
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
  strategy: strategyOf({ allowCreateOnUpdate: true, validate: validateRange }),
};

function validateRange(object: Draft): fieldErrors.FieldError[] {
  const checks = new Checks("spec.limits");
  const types = new Set<string>();
  for (const [index, limit] of (as<LimitRange>(object).spec?.limits ?? []).entries()) {
    const at = checks.at(index);
    validateLimitType(limit.type, at.at("type"));
    if (types.has(limit.type)) at.at("type").duplicate(limit.type);
    types.add(limit.type);
    validateLimit(limit, at);
  }
  return checks.errors;
}

function validateLimitType(type: string, checks: Checks): void {
  const faults = validateQualifiedName(type);
  checks.faults(type, faults);
  if (faults.length === 0 && !type.includes("/") && !limitTypes.has(type)) {
    checks.invalid(type, "must be a standard limit type or fully qualified");
  }
}

const limitTypes: ReadonlySet<string> = new Set(["Container", "PersistentVolumeClaim", "Pod"]);

function validateLimit(limit: LimitRangeItem, checks: Checks): void {
  const { min = {}, max = {} } = limit;
  const isPod = limit.type === "Pod";
  for (const field of ["default", "defaultRequest"] as const) {
    if (isPod && limit[field]) checks.at(field).forbidden("may not be specified when `type` is 'Pod'");
  }
  if (limit.type === "PersistentVolumeClaim" && !min["storage"] && !max["storage"]) {
    checks
      .at("limits")
      .required("either minimum or maximum storage value is required, but neither was provided");
  }
  const defaults = isPod ? {} : (limit.default ?? {});
  const requests = isPod ? {} : (limit.defaultRequest ?? {});
  const names = new Set([min, max, defaults, requests].flatMap((amounts) => Object.keys(amounts)));
  for (const name of names) {
    const least = own(min, name);
    const most = own(max, name);
    const given = own(defaults, name);
    const request = own(requests, name);
    const ordered = (low: Amount, high: Amount, field: string, value: string | undefined): void => {
      if (low.value === undefined || high.value === undefined) return;
      if (compareQuantities(low.value, high.value) <= 0) return;
      const detail = `${low.what} value ${low.value} is greater than ${high.what} value ${high.value}`;
      checks.at(field).key(name).invalid(value, detail);
    };
    const [lowest, highest] = [amount("min", least), amount("max", most)];
    ordered(lowest, highest, "min", least);
    ordered(lowest, amount("default request", request), "defaultRequest", request);
    ordered(amount("default request", request), highest, "defaultRequest", request);
    ordered(amount("default request", request), amount("default limit", given), "defaultRequest", request);
    ordered(lowest, amount("default", given), "default", least);
    ordered(amount("default", given), highest, "default", most);
  }
}

interface Amount {
  readonly what: string;
  readonly value: string | undefined;
}

function amount(what: string, value: string | undefined): Amount {
  return { what, value };
}

function own(amounts: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

/** Quotas of namespaces; stored, not enforced. */
export const resourceQuota: KindRules = {
  columns: [
    nameColumn,
    column("Request", "Used and allowed requests.", (object) => used(object, false)),
    column("Limit", "Used and allowed limits.", (object) => used(object, true)),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    returnsDeleted: true,
    prepareCreate: resetStatus,
    validate: validateQuota,
  }),
};

function validateQuota(object: Draft): fieldErrors.FieldError[] {
  const { hard = {}, scopes = [] } = as<ResourceQuota>(object).spec ?? {};
  const checks = new Checks("spec.hard");
  for (const [name, amount] of Object.entries(hard)) {
    const at = checks.key(name);
    at.faults(name, validateQualifiedName(name));
    if (!name.includes("/") && !isQuotaResource(name))
      at.invalid(name, "must be a standard resource for quota");
    if (compareQuantities(amount, "0") < 0) at.invalid(amount, "must be greater than or equal to 0");
    if (countedResources.has(name) && !isInteger(amount)) at.invalid(amount, "must be an integer");
  }
  if (scopes.some((scope) => !quotaScopes.has(scope))) {
    new Checks("spec.scopes", checks.errors).invalid(scopes, "unsupported scope");
  }
  return checks.errors;
}

/** Resources that are counted object by object. */
const countedResources: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
  "services.loadbalancers",
  "services.nodeports",
]);

function isQuotaResource(name: string): boolean {
  return (
    countedResources.has(name) ||
    /^(?:(?:requests|limits)\.)?(?:cpu|memory|ephemeral-storage|hugepages-.+)$/.test(name) ||
    name === "requests.storage"
  );
}

const quotaScopes: ReadonlySet<string> = new Set([
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
]);

/** True for canonical quantities that have no part below 1. */
function isInteger(quantity: string): boolean {
  return !/[num]$|\./.test(quantity);
}

function used(object: KubeObject, limits: boolean): string {
  const { hard = {}, used = {} } = as<ResourceQuota>(object).status ?? {};
  const names = Object.keys(hard).filter((name) => name.startsWith("limits.") === limits);
  return names
    .sort()
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
