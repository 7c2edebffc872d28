import type { StructuralSchema } from "../schema/structural-schema.js";

/** Kubernetes' schema of a condition, which tools that wait for conditions expect. */
const condition: StructuralSchema = {
  type: "object",
  properties: {
    type: {
      type: "string",
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    reason: {
      type: "string",
      minLength: 1,
      maxLength: 1024,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    message: { type: "string", maxLength: 32768 },
    lastTransitionTime: { type: "string", format: "date-time" },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
  },
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
};

/** True for the schema of an object whose status has the standard fields. */
export function hasStandardStatus(root: StructuralSchema): boolean {
  const fields = root.properties?.["status"]?.properties ?? {};
  return Object.keys(standardStatus).every((field) => Object.hasOwn(fields, field));
}

/** Schemas of the standard status fields. Fields that the schema lacks would be pruned. */
export const standardStatus: Readonly<Record<string, StructuralSchema>> = {
  conditions: {
    type: "array",
    items: condition,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  },
  observedGeneration: { type: "integer", format: "int64" },
};
