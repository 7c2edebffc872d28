import type { StructuralSchema } from "../schema/structural-schema.js";

/** Kubernetes' own schema of a condition, the one every tool that waits for conditions expects. */
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

/** What a controller reports about every kind. Fields the schema lacks would be pruned from the status. */
export const standardStatus: Readonly<Record<string, StructuralSchema>> = {
  conditions: {
    type: "array",
    items: condition,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  },
  observedGeneration: { type: "integer", format: "int64" },
};
