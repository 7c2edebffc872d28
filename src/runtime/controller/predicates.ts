import type { Change } from "../../client/informer/source.js";
import type { Json, KubeObject } from "../../model/core.js";
import { jsonEqual } from "../../model/patch/json-equal.js";

/** Whether a change matters. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** Predicates that compare what was with what is, and so have nothing to say of a creation or a deletion. */
const comparing = new WeakSet<Predicate<never>>();

/** A change of one thing; creation and deletion always count. */
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

const generationOrLeaving = changeOf(({ metadata }) => [
  metadata.generation ?? null,
  metadata.deletionTimestamp ?? null,
]);

/**
 * Which changes matter to a controller.
 *
 * @example
 * where: or(changed.generation, changed.labels)
 */
export const changed = {
  /** The desired state, or the wish to be deleted. Kinds that count no generations, such as ConfigMap: all but the status. */
  generation: compared(
    (change) =>
      generationOrLeaving(change) ||
      (change.object.metadata.generation === undefined && change.type === "UPDATED"),
  ),
  labels: changeOf(({ metadata }) => metadata.labels),
  annotations: changeOf(({ metadata }) => metadata.annotations),
  /** Anything at all, but not what a relist tells again. */
  resourceVersion: changeOf(({ metadata }) => metadata.resourceVersion),
  status: changeOf(({ status }) => status),
} as const;

/** Metadata without finalizers, which are controllers' notes to each other, and without bookkeeping. */
const wantedMetadata = changeOf(({ metadata }) => {
  const { finalizers: _, managedFields: __, resourceVersion: ___, ...wanted } = metadata;
  return wanted;
});

const content = changeOf((object) => {
  const { metadata: _, status: __, ...rest } = object;
  return rest;
});

/**
 * Everything but changes of the status and the finalizers alone, both of which controllers write themselves: what a
 * controller looks at unless told otherwise. The generation is among the metadata, so that the content is compared only
 * where no count has told that it changed.
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

/** The opposite; of `changed.labels` and the like, creation and deletion still count. */
export function not<T extends KubeObject>(predicate: Predicate<NoInfer<T>>): Predicate<T> {
  return combined([predicate], (change) => !predicate(change));
}

/** What is made of nothing but predicates that compare is one of them. */
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
