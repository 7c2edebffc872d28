import type { AnyKind, ObjectOf } from "../../client/kinds/kind.js";
import type { InformerScope } from "../../client/informer/informers.js";
import type { IndexFunction, Source } from "../../client/informer/source.js";
import { controllerOf, type KubeObject, type OwnerReference } from "../../model/core.js";
import type { Predicate } from "./predicates.js";

/** An object to look at. */
export interface Request {
  readonly name: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
}

/** What a mapper can look things up in: the objects that the controller is for. */
export interface Lookup {
  byIndex(index: string, value: string): readonly KubeObject[];
  list(namespace?: string): Iterable<KubeObject>;
}

/** The objects to reconcile when another one has changed. */
export type Mapper<T extends KubeObject = KubeObject> = (
  object: T,
  lookup: Lookup,
) => Iterable<Request | KubeObject>;

/** Other objects whose changes concern those of a controller. Made by {@link watch}. */
export interface Watch {
  readonly kind: AnyKind;
  readonly to: Mapper;
  readonly where?: Predicate | undefined;
  readonly scope?: InformerScope | undefined;
  readonly from?: Source | undefined;
  readonly indexes?: Readonly<Record<string, IndexFunction>> | undefined;
}

export interface WatchOptions<T extends KubeObject> {
  readonly to: Mapper<T>;
  readonly where?: Predicate<T> | undefined;
  readonly scope?: InformerScope | undefined;
  /** Where objects come from instead of a watch on the API: a poller. */
  readonly from?: Source<T> | undefined;
  /** Ways to find objects of this kind, by name: what `readAll` is asked for with `{ index, value }`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
}

/**
 * Watches another kind.
 *
 * @example
 * watches: [watch(Theme, { to: toIndexed("theme") })]
 */
export function watch<const K extends AnyKind>(kind: K, options: WatchOptions<ObjectOf<K>>): Watch {
  return { kind, ...(options as unknown as WatchOptions<KubeObject>) };
}

/** The objects that an index of the controller has under the name of the changed one, or under what `value` makes of it. */
export function toIndexed<T extends KubeObject>(
  index: string,
  value: (object: T) => string = (object) => object.metadata.name ?? "",
): Mapper<T> {
  return (object, lookup) => lookup.byIndex(index, value(object));
}

/** The owner of the changed object: the one that controls it, or with `any` all of that kind. */
export function toOwner(
  owner: { readonly apiVersion: string; readonly kind: string },
  options: { readonly any?: boolean } = {},
): Mapper {
  const [group] = owner.apiVersion.split("/");
  // A kind keeps its name over versions, so that a reference may name another version of it.
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

/** All objects of the controller: a change of one thing concerns them all. */
export const toAll: Mapper = (_object, lookup) => lookup.list();
