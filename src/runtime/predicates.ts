import type { Change } from "../client/informer/source.js";
import type { Json, KubeObject } from "../model/core.js";
import { jsonEqual } from "../model/patch/json-equal.js";

/** Whether a change matters. */
export type Predicate<T extends KubeObject = KubeObject> = (change: Change<T>) => boolean;

/** A change of one thing; creation and deletion always count. */
function changeOf(part: (object: KubeObject) => unknown): Predicate {
  return ({ type, object, old }) =>
    type === "CREATED" ||
    type === "DELETED" ||
    old === undefined ||
    !jsonEqual((part(object) ?? null) as Json, (part(old) ?? null) as Json);
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
  generation: ((change) =>
    generationOrLeaving(change) ||
    (change.object.metadata.generation === undefined && change.type === "UPDATED")) satisfies Predicate,
  labels: changeOf(({ metadata }) => metadata.labels),
  annotations: changeOf(({ metadata }) => metadata.annotations),
  /** Anything at all, but not what a relist tells again. */
  resourceVersion: changeOf(({ metadata }) => metadata.resourceVersion),
  status: changeOf(({ status }) => status),
} as const;

/** What somebody wants of an object: its metadata without finalizers, which are controllers' notes to each other. */
const wishes = changeOf((object) => {
  const { metadata, status: _, ...content } = object;
  const { finalizers: __, managedFields: ___, resourceVersion: ____, ...wanted } = metadata;
  // Where changes are counted, the count speaks for the content.
  return metadata.generation === undefined ? { wanted, content } : wanted;
});

/**
 * Everything but changes of the status and the finalizers alone, both of which controllers write themselves: what a
 * controller looks at unless told otherwise.
 */
export const desired: Predicate = (change) => change.type !== "STATUS_UPDATED" && wishes(change);

/** Every change. */
export const anything: Predicate = () => true;

export function and<T extends KubeObject>(...predicates: readonly Predicate<NoInfer<T>>[]): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

export function or<T extends KubeObject>(...predicates: readonly Predicate<NoInfer<T>>[]): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

export function not<T extends KubeObject>(predicate: Predicate<NoInfer<T>>): Predicate<T> {
  return (change) => !predicate(change);
}
