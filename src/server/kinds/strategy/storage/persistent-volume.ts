import type { PersistentVolume, PersistentVolumeSpec } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import { validateDns1123Subdomain } from "../../../../model/object/names.js";
import type { Draft } from "../../../resources/resource-type.js";
import { compareQuantities } from "../../typed/quantity.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, wide } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";
import { validateHostPath } from "../pods/validate-pod.js";
import { modesCell, setPending, validateModes } from "./access-modes.js";

export const persistentVolume: KindRules = {
  columns: [
    nameColumn,
    column("Capacity", "Capacity.", (object) => specOf(object).capacity?.["storage"] ?? "0"),
    column("Access Modes", "Access modes.", (object) => modesCell(specOf(object).accessModes)),
    column(
      "Reclaim Policy",
      "Reclaim policy.",
      (object) => specOf(object).persistentVolumeReclaimPolicy ?? "",
    ),
    column("Status", "Phase of the volume.", (object) =>
      object.metadata.deletionTimestamp ? "Terminating" : (as<PersistentVolume>(object).status?.phase ?? ""),
    ),
    column("Claim", "Claim that the volume is bound to.", (object) => {
      const { claimRef } = specOf(object);
      return claimRef ? `${claimRef.namespace ?? ""}/${claimRef.name ?? ""}` : "";
    }),
    column("StorageClass", "Storage class.", (object) => specOf(object).storageClassName ?? ""),
    column(
      "VolumeAttributesClass",
      "Volume attributes class.",
      (object) => specOf(object).volumeAttributesClassName ?? "<unset>",
    ),
    column("Reason", "Reason of the phase.", (object) => as<PersistentVolume>(object).status?.reason ?? ""),
    builtInAgeColumn,
    column("VolumeMode", "Filesystem or Block.", (object) => specOf(object).volumeMode ?? "<unset>", wide),
  ],
  strategy: strategyOf({
    returnsDeleted: true,
    prepareCreate: setPending,
    validate,
    validateUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],
  }),
};

function specOf(object: KubeObject | Draft): PersistentVolumeSpec {
  return as<PersistentVolume>(object).spec ?? {};
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const spec = specOf(object);
  const checks = new Checks("spec");
  validateModes(spec.accessModes, "", checks.at("accessModes"));
  validateCapacity(spec.capacity ?? {}, checks.at("capacity"));
  const { storageClassName, hostPath } = spec;
  if (storageClassName) {
    checks.at("storageClassName").faults(storageClassName, validateDns1123Subdomain(storageClassName));
  }
  if (hostPath) validateHostPath(hostPath.path, checks.at("hostPath", "path"));
  const policies = ["Delete", "Recycle", "Retain"];
  checks.at("persistentVolumeReclaimPolicy").oneOf(spec.persistentVolumeReclaimPolicy, policies);
  checks.at("volumeMode").oneOf(spec.volumeMode, ["Block", "Filesystem"]);
  const [first, ...more] = Object.keys(sourceOf(spec));
  if (first === undefined) checks.required("must specify a volume type");
  for (const other of more) checks.at(other).forbidden("may not specify more than 1 volume type");
  return checks.errors;
}

function validateCapacity(capacity: Readonly<Record<string, string>>, checks: Checks): void {
  const names = Object.keys(capacity);
  if (names.length === 0) checks.required();
  if (names.length !== 1 || names[0] !== "storage") {
    checks.notSupported(names.length === 0 ? null : capacity, ["storage"]);
  }
  for (const [name, size] of Object.entries(capacity)) {
    if (compareQuantities(size, "0") > 0) continue;
    checks.key(name).invalid(size, "must be greater than zero");
    if (compareQuantities(size, "0") < 0) {
      checks.key(name).invalid(Number(size), "must be a valid resource quantity");
    }
  }
}

function validateUpdate(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const [now, before] = [specOf(object), specOf(old)];
  const checks = new Checks("spec");
  if (!same(sourceOf(now), sourceOf(before))) {
    checks.at("persistentvolumesource").forbidden("spec.persistentvolumesource is immutable after creation");
  }
  new Checks("volumeMode", checks.errors).unchanged(now.volumeMode, before.volumeMode);
  return checks.errors;
}

/** The volume source: the spec without all other fields. */
function sourceOf(spec: PersistentVolumeSpec): object {
  const { accessModes: _a, capacity: _c, claimRef: _r, mountOptions: _o, nodeAffinity: _n, ...rest } = spec;
  const { persistentVolumeReclaimPolicy: _p, storageClassName: _s, volumeMode: _m, ...source } = rest;
  const { volumeAttributesClassName: _v, ...only } = source;
  return only;
}
