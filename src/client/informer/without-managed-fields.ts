import type { KubeObject } from "../../model/core.js";

/**
 * A transform that leaves out managedFields, often half of an object and of use to the server alone. Handed in as it is, so
 * that all who do share one informer.
 *
 * @example
 * await informers.open(Page, { transform: withoutManagedFields });
 */
export function withoutManagedFields(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
