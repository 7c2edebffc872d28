import type { ObjectChange } from "../../client/source/source.js";
import type { Json, KubeObject } from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";

/** Filter of changes: returns whether a change should trigger a run. */
export type Predicate<T extends KubeObject = KubeObject> = (change: ObjectChange<T>) => boolean;

/** Predicates that compare an object before and after an update; creations and deletions always pass them. */
const comparing = new WeakSet<Predicate<never>>();

/** Passes updates that change one part of the object. */
function changeOf(part: (object: KubeObject) => unknown): Predicate {
  return compared(
    ({ object, old }) =>
      old === undefined || !jsonEqual((part(object) ?? null) as Json, (part(old) ?? null) as Json),
  );
}

function compared<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  const whole: Predicate<T> = (change) =>
    change.type === "CREATED" || change.type === "DELETED" || predicate(change);
  comparing.add(whole);
  return whole;
}

const generationOrDeletion = changeOf(({ metadata }) => [
  metadata.generation ?? null,
  metadata.deletionTimestamp ?? null,
]);

/**
 * Passes updates that change one part of the object; creations and deletions always pass.
 *
 * @example
 * where: predicates.or(predicates.changed.generation, predicates.changed.labels)
 */
export const changed = {
  /** Desired state, or deletion requested. For kinds without a generation, such as ConfigMap: all but the status. */
  generation: compared(
    (change) =>
      generationOrDeletion(change) ||
      (change.object.metadata.generation === undefined && change.type === "UPDATED"),
  ),
  labels: changeOf(({ metadata }) => metadata.labels),
  annotations: changeOf(({ metadata }) => metadata.annotations),
  /** Any update, but not the repetitions of a relist. */
  resourceVersion: changeOf(({ metadata }) => metadata.resourceVersion),
  status: changeOf(({ status }) => status),
} as const;

/** Metadata without finalizers and server bookkeeping. */
const wantedMetadata = changeOf(({ metadata }) => {
  const { finalizers: _, managedFields: __, resourceVersion: ___, ...wanted } = metadata;
  return wanted;
});

const content = changeOf((object) => {
  const { metadata: _, status: __, ...rest } = object;
  return rest;
});

/**
 * Default of controllers: all changes but those of the status or the finalizers alone, both of which controllers write
 * themselves. The generation is part of the metadata, so the content is compared only for kinds without one.
 */
export const desired: Predicate = (change) =>
  change.type !== "STATUS_UPDATED" && (wantedMetadata(change) || content(change));

/** Every change. */
export const anything: Predicate = () => true;

export function and<T extends KubeObject>(...predicates: readonly Predicate<NoInfer<T>>[]): Predicate<T> {
  return combined(predicates, (change) => predicates.every((predicate) => predicate(change)));
}

export function or<T extends KubeObject>(...predicates: readonly Predicate<NoInfer<T>>[]): Predicate<T> {
  return combined(predicates, (change) => predicates.some((predicate) => predicate(change)));
}

/** The opposite of a predicate. Creations and deletions still pass the opposite of `changed.labels` and the like. */
export function not<T extends KubeObject>(predicate: Predicate<NoInfer<T>>): Predicate<T> {
  return combined([predicate], (change) => !predicate(change));
}

/** A combination of comparing predicates alone is a comparing predicate. */
function combined<T extends KubeObject>(
  parts: readonly Predicate<NoInfer<T>>[],
  whole: Predicate<T>,
): Predicate<T> {
  return parts.every((part) => comparing.has(part)) ? compared(whole) : whole;
}

/**
 * Predicates for the option `where` of controllers and watches, and their combinations.
 *
 * @example
 * where: predicates.or(predicates.changed.generation, predicates.changed.labels)
 */
export const predicates = { and, or, not, changed, desired, anything } as const;
