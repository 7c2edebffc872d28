import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateDns1123Subdomain } from "../../../../model/object/names.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { compareQuantities } from "../../typed/quantity.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, wide } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { modesCell, setPending, validateModes } from "./access-modes.js";

export const persistentVolumeClaim: KindRules = {
  columns: [
    nameColumn,
    column("Status", "Phase of the claim.", (object) =>
      object.metadata.deletionTimestamp ? "Terminating" : (statusOf(object).phase ?? ""),
    ),
    column("Volume", "Bound volume.", (object) => specOf(object).volumeName ?? ""),
    column("Capacity", "Capacity.", (object) =>
      specOf(object).volumeName ? (statusOf(object).capacity?.["storage"] ?? "0") : "",
    ),
    column("Access Modes", "Access modes.", (object) =>
      specOf(object).volumeName ? modesCell(statusOf(object).accessModes) : "",
    ),
    column("StorageClass", "Storage class.", (object) => specOf(object).storageClassName ?? ""),
    column(
      "VolumeAttributesClass",
      "Volume attributes class.",
      (object) => specOf(object).volumeAttributesClassName ?? "<unset>",
    ),
    builtInAgeColumn,
    column("VolumeMode", "Filesystem or Block.", (object) => specOf(object).volumeMode ?? "<unset>", wide),
  ],
  defaults(object) {
    const { spec } = as<PersistentVolumeClaim>(object);
    // dataSourceRef replaces dataSource and is set to the same.
    if (spec?.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource };
  },
  strategy: strategyOf({
    returnsDeleted: true,
    prepareCreate: setPending,
    validate,
    validateUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],
  }),
};

function specOf(object: KubeObject | Draft): PersistentVolumeClaimSpec {
  return as<PersistentVolumeClaim>(object).spec ?? {};
}

function statusOf(object: KubeObject): NonNullable<PersistentVolumeClaim["status"]> {
  return as<PersistentVolumeClaim>(object).status ?? {};
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const spec = specOf(object);
  const checks = new Checks("spec");
  validateModes(spec.accessModes, "at least 1 access mode is required", checks.at("accessModes"));
  const size = spec.resources?.requests?.["storage"];
  const at = checks.at("resources").key("storage");
  if (size === undefined) at.required();
  else if (compareQuantities(size, "0") <= 0) at.invalid(size, "must be greater than zero");
  checks.at("volumeMode").oneOf(spec.volumeMode, ["Block", "Filesystem"]);
  const { storageClassName } = spec;
  if (storageClassName) {
    checks.at("storageClassName").faults(storageClassName, validateDns1123Subdomain(storageClassName));
  }
  checks.add(validateLabelSelector(spec.selector, checks.at("selector").path));
  return checks.errors;
}

/** Only the requested size of a bound claim may change. */
function validateUpdate(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const bound = as<PersistentVolumeClaim>(object).status?.phase === "Bound";
  const fixed = ({
    resources,
    volumeName: _n,
    volumeAttributesClassName: _c,
    ...rest
  }: PersistentVolumeClaimSpec) => ({
    ...rest,
    resources: bound ? {} : (resources ?? {}),
  });
  const [now, before] = [specOf(object), specOf(old)];
  const checks = new Checks("spec");
  const rebound = before.volumeName && now.volumeName !== before.volumeName;
  if (rebound || !same(fixed(now), fixed(before))) {
    checks.forbidden(
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
    );
  }
  return checks.errors;
}
