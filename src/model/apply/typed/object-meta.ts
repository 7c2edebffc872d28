import type { StructuralSchema } from "../../schema/structural-schema.js";

const text: StructuralSchema = { type: "string" };
const number: StructuralSchema = { type: "integer" };
const flag: StructuralSchema = { type: "boolean" };
const time: StructuralSchema = { type: "string", format: "date-time" };
const texts: StructuralSchema = { type: "object", additionalProperties: text };

/** Schema of metadata for field ownership, the same for all kinds. */
export const objectMetaSchema: StructuralSchema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: number,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: number,
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: flag,
          blockOwnerDeletion: flag,
        },
      },
    },
    finalizers: { type: "array", "x-kubernetes-list-type": "set", items: text },
    managedFields: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "object" } },
  },
};
