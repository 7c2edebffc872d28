import { failures, type FieldSelector, type KubeObject, type LabelSelector } from "../../../model/core.js";
import type { ResourceType } from "../../resources/resource-type.js";
import type { Scope } from "../requests.js";

/** Chooses objects; undefined where a request chooses all. */
export type Selection = ((object: KubeObject) => boolean) | undefined;

interface Selectors {
  readonly labelSelector?: LabelSelector | undefined;
  readonly fieldSelector?: FieldSelector | undefined;
}

/** @throws a 400 when a field is named that objects of this kind cannot be selected by. */
export function selectionOf(type: ResourceType, { labelSelector, fieldSelector }: Selectors): Selection {
  const labels = labelSelector?.empty === false ? labelSelector : undefined;
  const fields = fieldSelector?.empty === false ? fieldSelector : undefined;
  for (const { field } of fields?.requirements ?? []) checkField(type, field);
  if (labels === undefined && fields === undefined) return undefined;
  return (object) =>
    (labels === undefined || labels.matches(object.metadata.labels)) &&
    (fields === undefined || fields.matches((field) => readField(type, object, field)));
}

/** The narrowest scope that holds all that is selected, and the one name that can be among it. */
export function narrowed(
  { namespaced }: ResourceType,
  scope: Scope,
  { fieldSelector }: Selectors,
): { scope: Scope; name?: string | undefined } {
  const name = fieldSelector?.exactValue("metadata.name");
  if (!namespaced) return { scope, name };
  const namespace = scope.namespace ?? fieldSelector?.exactValue("metadata.namespace");
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
