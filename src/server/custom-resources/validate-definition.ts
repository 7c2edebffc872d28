import { fieldErrors, isConditionTrue, names as nameRules, type Json } from "../../model/core.js";
import { childPath, type FieldPath, indexPath, keyPath } from "../../model/object/field-path.js";
import { jsonEqual } from "../../model/object/json.js";
import { approvalAnnotation, approvalOf } from "./api-approval.js";
import { type Definition, type DefinitionSpec, versionSchema } from "./definition.js";
import { validateNames, validateRequiredNames } from "./validation/names.js";
import type { CheckRules } from "./validation/schema.js";
import { validateShape } from "./validation/shape.js";
import { validateVersion } from "./validation/version.js";

type FieldError = fieldErrors.FieldError;

export interface ValidateDefinitionOptions {
  /** Checks CEL rules. Default: they are not checked. */
  readonly checkRules?: CheckRules | undefined;
}

/**
 * Faults of a definition whose defaults and status are set (`applyDefinitionDefaults`, `prepareDefinitionCreate`). Metadata
 * is checked elsewhere, except where it depends on the spec. With `old`, the definition replaces that one, and unchanged
 * parts are not validated again.
 */
export function validateDefinition(
  object: object,
  old?: object,
  options: ValidateDefinitionOptions = {},
): FieldError[] {
  const wrong = validateShape(object);
  if (wrong.length > 0) return wrong;
  const definition = object as Definition;
  const before = old as Definition | undefined;
  return [
    ...(before ? [] : validateName(definition)),
    ...validateSpec(definition.spec, before?.spec, options),
    ...(before ? validateImmutable(definition, before) : []),
    ...validateNames(definition.status?.acceptedNames, "status.acceptedNames"),
    ...validateStoredVersions(definition),
    ...validateApproval(definition, before),
    ...validatePreserve(definition.spec),
  ];
}

function validateName({ metadata, spec }: Definition): FieldError[] {
  const { name = "" } = metadata;
  if (name === `${spec.names.plural}.${spec.group}`) return [];
  return [fieldErrors.invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

function validateSpec(
  spec: DefinitionSpec,
  old: DefinitionSpec | undefined,
  options: ValidateDefinitionOptions,
): FieldError[] {
  const errors = [...validateGroup(spec.group), ...validateChoice(spec.scope, "spec.scope", scopes)];
  for (const [index, version] of spec.versions.entries()) {
    const at = childPath(versionPath(index), "schema", "openAPIV3Schema");
    if (!versionSchema(version)) errors.push(fieldErrors.required(at));
  }
  for (const [index, version] of spec.versions.entries()) {
    const path = versionPath(index);
    const { name } = version;
    const faults = nameRules.validateDns1035Label(name);
    if (faults.length > 0) errors.push(fieldErrors.invalid(childPath(path, "name"), name, faults.join(",")));
    const before = old?.versions.find((each) => each.name === name);
    const same = (a: unknown, b: unknown): boolean =>
      a !== undefined && b !== undefined && jsonEqual(a as Json, b as Json);
    const unchangedSchema =
      before !== undefined &&
      same(versionSchema(before), versionSchema(version)) &&
      (before.subresources?.status !== undefined) === (version.subresources?.status !== undefined);
    const unchangedSelectableFields = same(before?.selectableFields, version.selectableFields);
    errors.push(
      ...validateVersion(version, path, { ...options, unchangedSchema, unchangedSelectableFields }),
    );
  }
  return [
    ...errors,
    ...validateVersionList(spec),
    ...validateRequiredNames(spec.names, "spec.names"),
    ...validateNames(spec.names, "spec.names"),
    ...validateConversion(spec),
  ];
}

function versionPath(index: number): FieldPath {
  return indexPath("spec.versions", index);
}

const scopes = ["Cluster", "Namespaced"];

function validateGroup(group = ""): FieldError[] {
  const path = "spec.group";
  if (group === "") return [fieldErrors.required(path)];
  const faults = nameRules.validateDns1123Subdomain(group);
  if (faults.length > 0) return [fieldErrors.invalid(path, group, faults.join(","))];
  if (group.includes(".")) return [];
  return [fieldErrors.invalid(path, group, "should be a domain with at least one dot")];
}

function validateChoice(value = "", path: FieldPath, choices: readonly string[]): FieldError[] {
  if (value === "") return [fieldErrors.required(path)];
  return choices.includes(value) ? [] : [fieldErrors.notSupported(path, value, choices)];
}

function validateVersionList({ versions }: DefinitionSpec): FieldError[] {
  const path = "spec.versions";
  const errors: FieldError[] = [];
  const given = versions.map(({ name }) => name);
  if (new Set(given).size < given.length) {
    errors.push(fieldErrors.invalid(path, given, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    errors.push(fieldErrors.invalid(path, given, "must have exactly one version marked as storage version"));
  }
  return errors;
}

function validateConversion({ conversion, preserveUnknownFields }: DefinitionSpec): FieldError[] {
  if (!conversion) return [];
  const path = "spec.conversion";
  const at = childPath(path, "strategy");
  const { strategy = "", webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy !== "None" && preserveUnknownFields) {
    errors.push(fieldErrors.invalid(at, strategy, "must be None if spec.preserveUnknownFields is true"));
  }
  if (strategy === "Webhook") {
    const why =
      "this server does not call conversion webhooks, though a Kubernetes API server would accept this; use None, which changes nothing but the apiVersion";
    errors.push(fieldErrors.forbidden(at, why));
  } else errors.push(...validateChoice(strategy, at, ["None", "Webhook"]));
  if (strategy === "Webhook" || !webhook) return errors;
  const why = "should not be set when strategy is not set to Webhook";
  const { clientConfig, conversionReviewVersions } = webhook as Record<string, unknown>;
  if (clientConfig) errors.push(fieldErrors.forbidden(childPath(path, "webhookClientConfig"), why));
  if (Array.isArray(conversionReviewVersions) && conversionReviewVersions.length > 0) {
    errors.push(fieldErrors.forbidden(childPath(path, "conversionReviewVersions"), why));
  }
  return errors;
}

/** Group and plural never change; scope and kind do not change once established. */
function validateImmutable({ spec }: Definition, { spec: old, status }: Definition): FieldError[] {
  const fields: [FieldPath, string, string][] = [
    ["spec.group", spec.group, old.group],
    ["spec.names.plural", spec.names.plural, old.names.plural],
  ];
  if (isConditionTrue(status?.conditions, "Established")) {
    fields.unshift(
      ["spec.scope", spec.scope, old.scope],
      ["spec.names.kind", spec.names.kind, old.names.kind],
    );
  }
  return fields
    .filter(([, value, before]) => value !== before)
    .map(([path, value]) => fieldErrors.invalid(path, value, "field is immutable"));
}

function validateStoredVersions({ spec, status }: Definition): FieldError[] {
  const path = "status.storedVersions";
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [fieldErrors.invalid(path, stored, "must have at least one stored version")];
  }
  const errors: FieldError[] = [];
  for (const { name, storage } of spec.versions) {
    if (!storage || stored.includes(name)) continue;
    errors.push(fieldErrors.invalid(path, stored, `must have the storage version ${name}`));
  }
  for (const [index, name] of stored.entries()) {
    if (spec.versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(fieldErrors.invalid(indexPath(path, index), name, why));
  }
  return errors;
}

function validateApproval(definition: Definition, old: Definition | undefined): FieldError[] {
  const approval = approvalOf(definition);
  if (!approval || (old && approvalOf(old)?.state === approval.state)) return [];
  const path = keyPath("metadata.annotations", approvalAnnotation);
  if (approval.state === "Missing") return [fieldErrors.required(path, approval.reason)];
  if (approval.state !== "Invalid") return [];
  return [fieldErrors.invalid(path, definition.metadata.annotations?.[approvalAnnotation], approval.reason)];
}

function validatePreserve({ preserveUnknownFields }: DefinitionSpec): FieldError[] {
  if (!preserveUnknownFields) return [];
  const why =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [fieldErrors.invalid("spec.preserveUnknownFields", true, why)];
}
