import type { Json, StructuralSchema } from "../../../model/core.js";
import type { ObjectSchema } from "../../../model/structural/object-schema.js";
import { jsonEqual } from "../../../model/object/json.js";
import type { Draft, Storage } from "../../resources/resource-type.js";

/** One side of a conversion. */
export interface Side {
  readonly apiVersion: string;
  readonly rules: ObjectSchema;
}

/** Conversion between two versions: prunes fields that the other lacks and applies its defaults. */
export function conversionBetween(storage: Side, served: Side): NonNullable<Storage["conversion"]> {
  const to =
    (side: Side) =>
    (object: Draft): Draft => {
      object.apiVersion = side.apiVersion;
      side.rules.prune(object);
      side.rules.applyDefaults(object);
      return object;
    };
  return { fromStorage: to(served), toStorage: to(storage) };
}

/** Keywords that affect pruning and defaulting; all others affect validation only. */
const flags = [
  "type",
  "nullable",
  "default",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
] as const;

type Node = StructuralSchema | boolean | undefined;

/** True if two schemas prune and default alike, so that stored bytes of one serve for the other. */
export function sameStructure(one: Node, other: Node): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object") return false;
  for (const flag of flags) if (!sameJson(one[flag], other[flag])) return false;
  if (!sameStructure(one.items, other.items)) return false;
  if (!sameStructure(one.additionalProperties, other.additionalProperties)) return false;
  const [left, right] = [one.properties ?? {}, other.properties ?? {}];
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameStructure(left[name], right[name]));
}

function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return jsonEqual(one, other);
}
