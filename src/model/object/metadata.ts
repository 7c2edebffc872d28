import { type FieldError, forbidden, invalid, required } from "./field-errors.js";
import { childPath, type FieldPath } from "./field-path.js";
import { validateFinalizers, validateNoNewFinalizers, validateStandardFinalizers } from "./finalizers.js";
import { validateAnnotations, validateLabels } from "./labels.js";
import { validateManagedFields } from "./managed-fields-entry.js";
import { nameIsDns1123Subdomain, type ValidateName, validateDns1123Label } from "./names.js";
import type { ObjectMeta } from "./object.js";
import { validateOwnerReferences } from "./owner-references.js";

/** Rules for the metadata of a kind. */
export interface MetadataRules {
  readonly namespaced: boolean;
  /** Validator for names. Default: a DNS-1123 subdomain. */
  readonly validateName?: ValidateName;
  /** Built-in kind: its finalizers are standard ones or have a domain. */
  readonly builtIn?: boolean;
  /** Path of the metadata in errors. Default: `metadata`. */
  readonly path?: FieldPath;
}

/**
 * Validates the metadata of an object to be created, after its name was generated. The decoder has checked
 * the types of the fields.
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

/** Rules for an update of the metadata of a kind. */
export type MetadataUpdateRules = Pick<MetadataRules, "builtIn" | "path">;

/** Validates the metadata of an object that replaces `old`. */
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
    // Identical parts were validated when they were first written.
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

/** Value that stands for a missing field. */
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
