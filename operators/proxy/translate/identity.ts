import type { KubeObject } from "fettle";

/** Metadata of an object that results and precedence need, always present. */
export interface Identity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly generation: number;
  /** Time of creation as text that sorts by time; objects that are not stored yet come last. */
  readonly created: string;
  /** Namespace and name: `default/web`. */
  readonly path: string;
}

const notStored = "9999";

export function identityOf({ metadata }: Pick<KubeObject, "metadata">): Identity {
  const { uid = "", name = "", namespace = "", generation = 0, creationTimestamp } = metadata;
  return {
    uid,
    name,
    namespace,
    generation,
    created: creationTimestamp ?? notStored,
    path: namespace === "" ? name : `${namespace}/${name}`,
  };
}

/** Orders by age, then by namespace and name: the rule of the Gateway API for objects that exclude each other. */
export function compareAge(one: Identity, other: Identity): number {
  return compareText(one.created, other.created) || compareText(one.path, other.path);
}

/** Orders by code units: the same in every locale. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
