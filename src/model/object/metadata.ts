import { type FieldError, forbidden, invalid, required } from "./field-errors.js";
import { childPath, type FieldPath } from "./field-path.js";
import { validateFinalizers, validateNoNewFinalizers, validateStandardFinalizers } from "./finalizers.js";
import { validateAnnotations, validateLabels } from "./labels.js";
import { validateManagedFields } from "./managed-fields-entry.js";
import { nameIsDns1123Subdomain, type ValidateName, validateDns1123Label } from "./names.js";
import type { ObjectMeta } from "./object.js";
import { validateOwnerReferences } from "./owner-references.js";

/** How metadata of a kind is to be checked. */
export interface MetadataRules {
  readonly namespaced: boolean;
  /** The rule for names of this kind; a DNS-1123 subdomain unless told. */
  readonly validateName?: ValidateName;
  /** A built-in kind, whose finalizers are standard ones or have a domain. */
  readonly builtIn?: boolean;
  /** Where the metadata stands, for the errors; `metadata` unless told. */
  readonly path?: FieldPath;
}

/**
 * Faults of the metadata of an object that is about to be created, with its name already generated. The
 * types of the fields are the decoder's to check.
 */
export function validateObjectMeta(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  const { path = "metadata", builtIn = false } = rules;
  const finalizersPath = childPath(path, "finalizers");
  return [
    ...validateNames(meta, rules, path),
    ...validateNamespace(meta.namespace, rules.namespaced, childPath(path, "namespace")),
    ...validateGeneration(meta.generation ?? 0, childPath(path, "generation")),
    ...validateLabels(meta.labels, childPath(path, "labels")),
    ...validateAnnotations(meta.annotations, childPath(path, "annotations")),
    ...validateOwnerReferences(meta.ownerReferences, childPath(path, "ownerReferences")),
    ...validateFinalizers(meta.finalizers, finalizersPath),
    ...validateManagedFields(meta.managedFields, childPath(path, "managedFields")),
    ...(builtIn ? validateStandardFinalizers(meta.finalizers, finalizersPath) : []),
  ];
}

/** How metadata of a kind is to be checked when it changes. */
export type MetadataUpdateRules = Pick<MetadataRules, "builtIn" | "path">;

/** Faults of the metadata of an object that is about to replace another version of itself. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  rules: MetadataUpdateRules = {},
): FieldError[] {
  const { path = "metadata", builtIn = false } = rules;
  const finalizersPath = childPath(path, "finalizers");
  return [
    ...(old.deletionTimestamp
      ? validateNoNewFinalizers(meta.finalizers, old.finalizers, finalizersPath)
      : []),
    ...validateResourceVersion(meta.resourceVersion, childPath(path, "resourceVersion")),
    ...validateGeneration(meta.generation ?? 0, childPath(path, "generation"), old.generation ?? 0),
    ...validateUnchanged(meta, old, path),
    // What is the very same as before has been through this before.
    ...(meta.labels === old.labels ? [] : validateLabels(meta.labels, childPath(path, "labels"))),
    ...(meta.annotations === old.annotations
      ? []
      : validateAnnotations(meta.annotations, childPath(path, "annotations"))),
    ...(meta.ownerReferences === old.ownerReferences
      ? []
      : validateOwnerReferences(meta.ownerReferences, childPath(path, "ownerReferences"))),
    ...(meta.managedFields === old.managedFields
      ? []
      : validateManagedFields(meta.managedFields, childPath(path, "managedFields"))),
    ...(builtIn ? validateStandardFinalizers(meta.finalizers, finalizersPath) : []),
  ];
}

function validateNames(meta: ObjectMeta, rules: MetadataRules, path: FieldPath): FieldError[] {
  const { validateName = nameIsDns1123Subdomain } = rules;
  const { name, generateName } = meta;
  const errors: FieldError[] = [];
  if (generateName) {
    const at = childPath(path, "generateName");
    for (const fault of validateName(generateName, true)) errors.push(invalid(at, generateName, fault));
  }
  const at = childPath(path, "name");
  if (!name) errors.push(required(at, "name or generateName is required"));
  else for (const fault of validateName(name, false)) errors.push(invalid(at, name, fault));
  return errors;
}

function validateNamespace(
  namespace: string | undefined,
  namespaced: boolean,
  path: FieldPath,
): FieldError[] {
  if (!namespace) return namespaced ? [required(path)] : [];
  if (!namespaced) return [forbidden(path, "not allowed on this type")];
  return validateDns1123Label(namespace).map((fault) => invalid(path, namespace, fault));
}

function validateResourceVersion(resourceVersion: string | undefined, path: FieldPath): FieldError[] {
  return resourceVersion ? [] : [invalid(path, "", "must be specified for an update")];
}

function validateGeneration(generation: number, path: FieldPath, before = generation): FieldError[] {
  const errors: FieldError[] = [];
  if (generation < 0) errors.push(invalid(path, generation, "must be greater than or equal to 0"));
  if (generation < before) errors.push(invalid(path, generation, "must not be decremented"));
  return errors;
}

/** What a field is taken to be when it is absent. */
const immutableFields = {
  name: "",
  namespace: "",
  uid: "",
  creationTimestamp: null,
  deletionTimestamp: null,
  deletionGracePeriodSeconds: null,
} as const;

function validateUnchanged(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  let field: keyof typeof immutableFields;
  for (field in immutableFields) {
    const value = meta[field] ?? immutableFields[field];
    if (value === (old[field] ?? immutableFields[field])) continue;
    errors.push(invalid(childPath(path, field), value, "field is immutable"));
  }
  return errors;
}
