import type { Json } from "../object/json.js";
import { compareDocuments, type Delta, type ItemDelta } from "./delta.js";
import { withoutIgnored } from "./ignore.js";

/** Field names and list positions from the document to a value. */
export type ValuePath = readonly (string | number)[];

/** One difference between two objects. */
export type FieldChange =
  | { readonly kind: "add"; readonly path: ValuePath; readonly to: Json }
  | { readonly kind: "remove"; readonly path: ValuePath; readonly from: Json }
  | { readonly kind: "change"; readonly path: ValuePath; readonly from: Json; readonly to: Json };

export interface DiffOptions {
  /**
   * Fields to ignore: `metadata.managedFields`, `status`, `spec.containers[*].image`,
   * `metadata.annotations["example.com/touched"]`.
   */
  readonly ignore?: readonly string[];
}

/**
 * Computes the changes that turn `from` into `to`; empty if they are equal. List items are matched by name,
 * type or another key if they have one, and by content otherwise, so that an insertion in the middle is one
 * addition.
 *
 * The changes can be applied in order, and each path is valid when its turn comes: in a list, first removals
 * from last to first, then additions from first to last, then changes inside kept items. Fields come in
 * document order.
 *
 * @example
 * diff({ a: 1, list: ["x", "z"] }, { a: 2, list: ["x", "y", "z"] });
 * // [{ kind: "change", path: ["a"], from: 1, to: 2 }, { kind: "add", path: ["list", 1], to: "y" }]
 */
export function diff(from: Json | undefined, to: Json | undefined, options: DiffOptions = {}): FieldChange[] {
  const changes: FieldChange[] = [];
  collect(compareWithout(from, to, options.ignore), [], changes);
  return changes;
}

/** Compares two documents without the ignored fields. */
export function compareWithout(
  from: Json | undefined,
  to: Json | undefined,
  ignore: readonly string[] = [],
): Delta {
  if (ignore.length === 0) return compareDocuments(from, to);
  const [before, after] = [from, to].map((side) =>
    side === undefined ? side : withoutIgnored(side, ignore),
  );
  return compareDocuments(before, after);
}

function collect(delta: Delta, path: ValuePath, changes: FieldChange[]): void {
  switch (delta.kind) {
    case "same":
      return;
    case "object":
      for (const field of delta.fields) {
        if (field.delta.kind !== "same") collect(field.delta, [...path, field.key], changes);
      }
      return;
    case "list":
      return collectList(delta.items, path, changes);
    default:
      changes.push({ ...delta, path });
  }
}

function collectList(items: readonly ItemDelta[], path: ValuePath, changes: FieldChange[]): void {
  for (const { from, delta } of items.toReversed()) {
    if (delta.kind === "remove") collect(delta, [...path, from], changes);
  }
  for (const { to, delta } of items) if (delta.kind === "add") collect(delta, [...path, to], changes);
  for (const { to, delta } of items) {
    if (delta.kind !== "remove" && delta.kind !== "add" && delta.kind !== "same") {
      collect(delta, [...path, to], changes);
    }
  }
}
