import type { AnyKind, ObjectOf } from "../../client/kinds/kind.js";
import type { InformerScope } from "../../client/informer/informers.js";
import type { IndexFunction, Source } from "../../client/source/source.js";
import { controllerOf, type KubeObject, type OwnerReference } from "../../model/core.js";
import type { Predicate } from "./predicates.js";

/** Name of an object to reconcile. */
export interface ReconcileRequest {
  readonly name: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
}

/** Cache of the controller's objects, for mappers. */
export interface Lookup {
  byIndex(index: string, value: string): readonly KubeObject[];
  list(namespace?: string): Iterable<KubeObject>;
}

/** Maps a changed object to the objects to reconcile. */
export type Mapper<T extends KubeObject = KubeObject> = (
  object: T,
  lookup: Lookup,
) => Iterable<ReconcileRequest | KubeObject>;

/** Other objects whose changes trigger runs. Made by {@link watch}. */
export interface Watch {
  readonly kind: AnyKind;
  readonly to: Mapper;
  readonly where?: Predicate | undefined;
  readonly scope?: InformerScope | undefined;
  readonly from?: Source | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction>> | undefined;
}

export interface ControllerWatchOptions<T extends KubeObject> {
  readonly to: Mapper<T>;
  readonly where?: Predicate<T> | undefined;
  readonly scope?: InformerScope | undefined;
  /** Source of the objects instead of a watch on the API, such as a poller. */
  readonly from?: Source<T> | undefined;
  /** Indexes of these objects, by name, for `readAll(kind, { index, value })`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
}

/**
 * Watches objects of another kind, and triggers runs when they change.
 *
 * @example
 * watches: [watch(Theme, { to: toIndexed("theme") })]
 */
export function watch<const K extends AnyKind>(kind: K, options: ControllerWatchOptions<ObjectOf<K>>): Watch {
  return { kind, ...(options as unknown as ControllerWatchOptions<KubeObject>) };
}

/** Maps to the controller's objects that have the changed object's name, or the result of `value`, in an index. */
export function toIndexed<T extends KubeObject>(
  index: string,
  value: (object: T) => string = (object) => object.metadata.name ?? "",
): Mapper<T> {
  return (object, lookup) => lookup.byIndex(index, value(object));
}

/** Maps to the owner of the changed object: its controller, or with `any` all owners of that kind. */
export function toOwner(
  owner: { readonly apiVersion: string; readonly kind: string },
  options: { readonly any?: boolean } = {},
): Mapper {
  const [group] = owner.apiVersion.split("/");
  // A reference may name another version of the kind.
  const matches = (reference: OwnerReference): boolean =>
    reference.kind === owner.kind && sameGroup(reference.apiVersion, owner.apiVersion, group ?? "");
  return (object) => {
    const references = options.any ? (object.metadata.ownerReferences ?? []) : [controllerOf(object)];
    const namespace = object.metadata.namespace ?? "";
    return references
      .filter((reference) => reference !== undefined && matches(reference))
      .map((reference) => ({ name: reference?.name ?? "", namespace }));
  };
}

function sameGroup(one: string, other: string, group: string): boolean {
  return one === other || (other.includes("/") && one.startsWith(`${group}/`));
}

/** Maps to all objects of the controller. */
export const toAll: Mapper = (_object, lookup) => lookup.list();
