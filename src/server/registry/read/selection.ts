import {
  failures,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
} from "../../../model/core.js";
import type { Scope } from "../../../model/object/object-key.js";
import { fieldSelector } from "../../../model/selector/field-selector.js";
import type { ResourceType } from "../../resources/resource-type.js";

/** Requirements of a selector, each of which is checked for every object. Any number of values can be in one. */
const maxRequirements = 1000;

/** Predicate for objects; undefined selects all. */
export type ObjectFilter = ((object: KubeObject) => boolean) | undefined;

/** Parsed selectors of a list or watch. */
export interface Selectors {
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
}

/**
 * Parses the selectors of a list or watch. `name` limits them to one object.
 *
 * @throws {ApiError} 400 for a malformed selector, and for a field that objects of this kind cannot be selected by.
 */
export function parseSelectors(
  type: ResourceType,
  options: { readonly labelSelector?: string | undefined; readonly fieldSelector?: string | undefined },
  name = "",
): Selectors {
  let labels: LabelSelector | undefined;
  let fields: FieldSelector | undefined;
  try {
    if (options.labelSelector) labels = parseLabelSelector(options.labelSelector);
    if (options.fieldSelector) fields = parseFieldSelector(options.fieldSelector);
  } catch (error) {
    if (error instanceof SelectorError) throw failures.badRequest(error.message);
    throw error;
  }
  checkLength("label", labels?.requirements.length);
  checkLength("field", fields?.requirements.length);
  if (name !== "") fields = limitToName(fields, name);
  for (const { field } of fields?.requirements ?? []) checkField(type, field);
  return {
    labels: labels?.empty === false ? labels : undefined,
    fields: fields?.empty === false ? fields : undefined,
  };
}

function checkLength(kind: "label" | "field", length = 0): void {
  if (length <= maxRequirements) return;
  const hint = kind === "label" ? "use sets such as `key in (a,b)`, or list without it" : "list without it";
  throw failures.badRequest(
    `the ${kind} selector has ${length} requirements, and ${maxRequirements} are allowed: ${hint}`,
  );
}

function limitToName(fields: FieldSelector | undefined, name: string): FieldSelector {
  if (fields === undefined || fields.empty) {
    return fieldSelector([{ field: "metadata.name", operator: "=", value: name }]);
  }
  if (fields.exactValue("metadata.name") === name) return fields;
  throw failures.badRequest("fieldSelector metadata.name doesn't match requested name");
}

export function selectionOf(type: ResourceType, { labels, fields }: Selectors): ObjectFilter {
  if (labels === undefined && fields === undefined) return undefined;
  return (object) =>
    (labels === undefined || labels.matches(object.metadata.labels)) &&
    (fields === undefined || fields.matches((field) => readField(type, object, field)));
}

/** Narrowest scope that contains everything selected, and the only name that can be selected, if there is one. */
export function narrowScope(
  { namespaced }: ResourceType,
  scope: Scope,
  { fields }: Selectors,
): { scope: Scope; name?: string | undefined } {
  const name = fields?.exactValue("metadata.name");
  if (!namespaced) return { scope, name };
  const namespace = scope.namespace ?? fields?.exactValue("metadata.namespace");
  return namespace === undefined || namespace === "" ? { scope } : { scope: { namespace }, name };
}

function checkField({ capabilities, selectableFields }: ResourceType, field: string): void {
  if (field === "metadata.name" || field === "metadata.namespace" || selectableFields.has(field)) return;
  throw failures.badRequest(
    capabilities.fieldSelectors === "metadata"
      ? `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

function readField(
  { selectableFields }: ResourceType,
  object: KubeObject,
  field: string,
): string | undefined {
  if (field === "metadata.name") return object.metadata.name;
  if (field === "metadata.namespace") return object.metadata.namespace;
  return selectableFields.get(field)?.(object);
}
