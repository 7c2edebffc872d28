import type { StructuralSchema } from "./structural-schema.js";

/** Step of a path: into a named field, or into the items of a list. */
export type PathStep = { readonly field: string } | { readonly items: string };

const fieldStep = /^\.((?:[^.[\]\\'"\s]|\\.)+)/;
const quotedStep = /^\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/;
const itemsStep = /^\[(\*|-?\d+|\?\(@\.[^[\]()]+\))\]/;

/**
 * Parses the subset of JSONPath that printer columns use: `.spec.pages`, `.metadata.labels['app']`,
 * `.spec.items[0]`, `.status.conditions[?(@.type=="Ready")].status`. Undefined for any other syntax.
 */
export function parseColumnPath(path: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  for (let rest = path; rest !== "";) {
    const field = fieldStep.exec(rest) ?? quotedStep.exec(rest);
    const step = field ?? itemsStep.exec(rest);
    if (!step) return undefined;
    const name = step[1] ?? step[2] ?? "";
    steps.push(field ? { field: name.replaceAll(/\\(.)/g, "$1") } : { items: name });
    rest = rest.slice(step[0].length);
  }
  return steps.length > 0 ? steps : undefined;
}

const text: StructuralSchema = { type: "string" };
const time: StructuralSchema = { type: "string", format: "date-time" };
const integer: StructuralSchema = { type: "integer" };
const texts: StructuralSchema = { type: "object", additionalProperties: text };
const list: StructuralSchema = { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } };

/** Schema of metadata, for resolving paths. A CRD does not contain it. */
const metadata: StructuralSchema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: time,
    deletionTimestamp: time,
    deletionGracePeriodSeconds: integer,
    labels: texts,
    annotations: texts,
    finalizers: { type: "array", items: text },
    ownerReferences: list,
    managedFields: list,
  },
};

/** Finds the schema at a path; undefined if there is no such field. */
export function schemaAt(root: StructuralSchema, steps: readonly PathStep[]): StructuralSchema | undefined {
  let schema: StructuralSchema | undefined = root;
  for (const [index, step] of steps.entries()) {
    schema = index === 0 && "field" in step && step.field === "metadata" ? metadata : stepInto(schema, step);
    if (!schema) return undefined;
  }
  return schema;
}

function stepInto(schema: StructuralSchema, step: PathStep): StructuralSchema | undefined {
  const { properties, additionalProperties, items } = schema;
  if ("items" in step) {
    if (items) return items;
  } else {
    if (properties && Object.hasOwn(properties, step.field)) return properties[step.field];
    if (typeof additionalProperties === "object") return additionalProperties;
  }
  // Unknown fields are preserved here, so the path may exist.
  return schema["x-kubernetes-preserve-unknown-fields"] ? schema : undefined;
}
