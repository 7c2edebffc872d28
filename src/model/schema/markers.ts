import { z } from "zod";

import type { ValidationRule } from "./structural-schema.js";

/**
 * What Kubernetes' schemas can say and zod cannot: each takes or makes a zod schema and writes the extension
 * into its metadata, where the conversion finds it. `.meta({ "x-kubernetes-…": … })` does the same by hand.
 */

type ArrayOf<Item extends z.core.$ZodType> = z.ZodArray<Item>;
type ObjectShape = Readonly<Record<string, z.core.$ZodType>>;

/**
 * A list whose items are told apart by some of their fields, so that two writers can each own items of it.
 *
 * @example
 * listMap(z.array(z.object({ name: z.string(), port: z.int() })), ["name"])
 */
export function listMap<Shape extends ObjectShape>(
  list: ArrayOf<z.ZodObject<Shape>>,
  keys: readonly (keyof Shape & string)[],
): ArrayOf<z.ZodObject<Shape>> {
  return list.meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] });
}

/**
 * A list whose items are unique and have no order of their own.
 *
 * @example
 * listSet(z.array(z.string()))
 */
export function listSet<Item extends z.core.$ZodType>(list: ArrayOf<Item>): ArrayOf<Item> {
  return list.meta({ "x-kubernetes-list-type": "set" });
}

/**
 * A list, map or object that one writer owns as a whole.
 *
 * @example
 * atomic(z.record(z.string(), z.string()))
 */
export function atomic<Schema extends z.ZodType>(schema: Schema): Schema {
  const key = schema instanceof z.ZodArray ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
  return schema.meta({ [key]: "atomic" });
}

/**
 * Keeps the fields of an object that its schema does not name; without it they are pruned.
 *
 * @example
 * preserve(z.object({ replicas: z.int() }))
 */
export function preserve<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.meta({ "x-kubernetes-preserve-unknown-fields": true });
}

/**
 * Adds a CEL rule that the API server checks on every write. `self` is the value at this place, `oldSelf`
 * what it was before.
 *
 * @example
 * rule(z.object({ min: z.int(), max: z.int() }), "self.min <= self.max", "min must not be above max")
 */
export function rule<Schema extends z.ZodType>(
  schema: Schema,
  cel: string,
  message?: string,
  options: Omit<ValidationRule, "rule" | "message"> = {},
): Schema {
  const before = schema.meta()?.["x-kubernetes-validations"];
  const added: ValidationRule = { rule: cel, ...(message !== undefined && { message }), ...options };
  return schema.meta({ "x-kubernetes-validations": [...(Array.isArray(before) ? before : []), added] });
}

/** A whole number or a text, such as a port by number or by name. */
export function intOrString(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true });
}

const quantityPattern =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;

/** An amount with a unit as Kubernetes writes them: `500m`, `128Mi`, `2`. */
export function quantity(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(quantityPattern)]).meta({ "x-kubernetes-int-or-string": true });
}

const embedded = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().optional() }).optional(),
});

/** A whole object of any kind inside another one. The API server checks its apiVersion, kind and metadata. */
export function embeddedResource(): typeof embedded {
  return embedded.meta({ "x-kubernetes-embedded-resource": true });
}

/**
 * Markers for zod schemas that have a meaning of their own in Kubernetes' structural schemas.
 *
 * @example
 * spec: z.object({ ports: schema.listMap(z.array(Port), ["name"]), memory: schema.quantity() })
 */
export const schema = {
  atomic,
  embeddedResource,
  intOrString,
  listMap,
  listSet,
  preserve,
  quantity,
  rule,
} as const;
