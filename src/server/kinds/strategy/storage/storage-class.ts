import type { StorageClass } from "kubernetes-types/storage/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateQualifiedName } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

const isDefault = "storageclass.kubernetes.io/is-default-class";

export const storageClass: KindRules = {
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) =>
        `${metadata.name ?? ""}${metadata.annotations?.[isDefault] === "true" ? " (default)" : ""}`,
    },
    column("Provisioner", "Provisioner of volumes.", (object) => as<StorageClass>(object).provisioner ?? ""),
    column(
      "ReclaimPolicy",
      "Reclaim policy of volumes.",
      (object) => as<StorageClass>(object).reclaimPolicy ?? "Delete",
    ),
    column(
      "VolumeBindingMode",
      "Time of binding and provisioning.",
      (object) => as<StorageClass>(object).volumeBindingMode ?? "Immediate",
    ),
    column(
      "AllowVolumeExpansion",
      "Volumes can be expanded.",
      (object) => as<StorageClass>(object).allowVolumeExpansion ?? false,
    ),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    returnsDeleted: true,
    validate,
    validateUpdate: (object, old) => validateUpdate(object, old),
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { provisioner, reclaimPolicy, volumeBindingMode, parameters = {} } = as<StorageClass>(object);
  const checks = new Checks("");
  if (!provisioner) checks.at("provisioner").required();
  else checks.at("provisioner").faults(provisioner, validateQualifiedName(provisioner.toLowerCase()));
  if (Object.hasOwn(parameters, "")) checks.at("parameters").invalid("", "field can not be empty.");
  checks.at("reclaimPolicy").oneOf(reclaimPolicy, ["Delete", "Retain"]);
  checks.at("volumeBindingMode").oneOf(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
  return checks.errors;
}

function validateUpdate(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const [now, before] = [as<StorageClass>(object), as<StorageClass>(old)];
  const checks = new Checks("");
  for (const field of ["parameters", "provisioner", "reclaimPolicy"] as const) {
    if (!same(now[field], before[field])) checks.at(field).forbidden(`updates to ${field} are forbidden.`);
  }
  checks.at("volumeBindingMode").unchanged(now.volumeBindingMode, before.volumeBindingMode);
  return checks.errors;
}
