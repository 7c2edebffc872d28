import type { AnyKind, ObjectOf } from "../../client/kinds/kind.js";
import type { Source } from "../../client/source/source.js";
import { joinKey, splitKey } from "../controller/keys.js";

type CacheOf = (kind: { readonly apiVersion: string; readonly kind: string }) => Source;

/** An object from a cache. A name without a namespace is looked up in the namespace `beside` first. */
export function read<K extends AnyKind>(
  cacheOf: CacheOf,
  kind: K,
  which: string | { readonly name: string; readonly namespace?: string },
  beside: string,
): ObjectOf<K> | undefined {
  const cache = cacheOf(named(kind));
  const { name, namespace = "" } = typeof which === "string" ? splitKey(which) : which;
  return (cache.get(joinKey(namespace || beside, name)) ?? cache.get(name)) as ObjectOf<K> | undefined;
}

/** Objects from a cache: all, those of a namespace, or those with a value in an index. */
export function readAll<K extends AnyKind>(
  cacheOf: CacheOf,
  kind: K,
  by?: { readonly index: string; readonly value: string } | { readonly namespace: string },
): readonly ObjectOf<K>[] {
  const cache = cacheOf(named(kind)) as Source<ObjectOf<K>>;
  if (by !== undefined && "index" in by) return cache.byIndex(by.index, by.value);
  return [...cache.list(by?.namespace)];
}

function named(kind: AnyKind): { readonly apiVersion: string; readonly kind: string } {
  if (typeof kind !== "string") return kind;
  const slash = kind.lastIndexOf("/");
  return { apiVersion: kind.slice(0, slash), kind: kind.slice(slash + 1) };
}
