import { z } from "zod";

import type { ValidationRule } from "../schema/structural-schema.js";
import type { Duration } from "../time/duration.js";

/**
 * Extensions of Kubernetes schemas that zod lacks. Each function writes the extension into the metadata of a
 * zod schema, where the conversion finds it. `.meta({ "x-kubernetes-…": … })` does the same.
 */

type ArrayOf<Item extends z.core.$ZodType> = z.ZodArray<Item>;
type ObjectShape = Readonly<Record<string, z.core.$ZodType>>;

/**
 * List whose items are identified by some of their fields, so that several writers can each own items.
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
 * List of unique items whose order has no meaning.
 *
 * @example
 * listSet(z.array(z.string()))
 */
export function listSet<Item extends z.core.$ZodType>(list: ArrayOf<Item>): ArrayOf<Item> {
  return list.meta({ "x-kubernetes-list-type": "set" });
}

/**
 * List, map or object that one writer owns as a whole.
 *
 * @example
 * atomic(z.record(z.string(), z.string()))
 */
export function atomic<Schema extends z.ZodType>(schema: Schema): Schema {
  const key = schema instanceof z.ZodArray ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
  return schema.meta({ [key]: "atomic" });
}

/**
 * Preserves fields that the schema does not declare; by default they are pruned.
 *
 * @example
 * preserve(z.object({ replicas: z.int() }))
 */
export function preserve<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.meta({ "x-kubernetes-preserve-unknown-fields": true });
}

/**
 * Adds a CEL rule that the API server checks on every write. `self` is the value, `oldSelf` its previous
 * value.
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

/** Integer or string, such as a port by number or name. */
export function intOrString(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]).meta({ "x-kubernetes-int-or-string": true });
}

const quantityPattern =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;

/** Quantity as in Kubernetes: `500m`, `128Mi`, `2`. */
export function quantity(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(quantityPattern)]).meta({ "x-kubernetes-int-or-string": true });
}

const durationPattern = /^([0-9]+(\.[0-9]+)?(w|d|h|m|s|ms|us|ns))+$/;

/** Length of time, such as `90s` or `1h30m`; `duration()` converts it to milliseconds. */
function durationText(): z.ZodType<Exclude<Duration, number>> {
  return z.string().regex(durationPattern) as unknown as z.ZodType<Exclude<Duration, number>>;
}

const embedded = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().optional() }).optional(),
});

/** Object of any kind inside another one. The API server checks its apiVersion, kind and metadata. */
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
  duration: durationText,
  embeddedResource,
  intOrString,
  listMap,
  listSet,
  preserve,
  quantity,
  rule,
} as const;
