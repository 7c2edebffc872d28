import { setCondition, type Clock, type Condition } from "../../model/core.js";
import type { ResourceType } from "../resources/resource-type.js";

/** Objects of one kind that are left in a terminating namespace. */
export interface Remainder {
  readonly type: ResourceType;
  readonly count: number;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** True if some objects, created after the deletion started, are not marked for deletion yet. */
  readonly hasUnmarked: boolean;
}

/** Conditions that report the progress of a namespace's deletion. */
export function deletionConditions(
  before: readonly Condition[],
  left: readonly Remainder[],
  clock: Clock,
): readonly Condition[] {
  const finalizers = new Map<string, number>();
  for (const remainder of left) {
    for (const [name, count] of remainder.finalizers)
      finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  }
  // In a fixed order, so that an unchanged status is not written again.
  const counted = left
    .map(({ type, count }) => `${type.plural}.${type.group} has ${count} resource instances`)
    .sort();
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  const updates: readonly (readonly [type: string, wrong: boolean, reason: string, message: string])[] = [
    [
      "NamespaceDeletionDiscoveryFailure",
      false,
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      false,
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    left.length > 0
      ? [
          "NamespaceContentRemaining",
          true,
          "SomeResourcesRemain",
          `Some resources are remaining: ${counted.join(", ")}`,
        ]
      : ["NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"],
    finalizers.size > 0
      ? [
          "NamespaceFinalizersRemaining",
          true,
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${held.join(", ")}`,
        ]
      : [
          "NamespaceFinalizersRemaining",
          false,
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ],
  ];
  let conditions = before;
  for (const [type, wrong, reason, message] of updates) {
    conditions = setCondition(conditions, { type, status: wrong ? "True" : "False", reason, message }, clock);
  }
  return conditions;
}
