import { parseIdl } from "./idl/parse-idl.js";
import type { StructType } from "./idl/type-definition.js";
import { apiTypes } from "./api-types/index.js";

interface Types {
  readonly all: readonly StructType[];
  readonly kinds: ReadonlyMap<string, StructType>;
  readonly meta: ReadonlyMap<string, StructType>;
}

let types: Types | undefined;

function load(): Types {
  if (types !== undefined) return types;
  const all = parseIdl(apiTypes);
  const kinds = new Map<string, StructType>();
  const metaKinds = new Map<string, StructType>();
  for (const type of all) {
    if (!type.kind) continue;
    kinds.set(`${type.group.apiVersion} ${type.name}`, type);
    if (type.group.name === "meta/v1") metaKinds.set(type.name, type);
  }
  types = { all, kinds, meta: metaKinds };
  return types;
}

/** All described types. Names are parsed on first use, fields of a type when they are first used. */
export function allTypes(): readonly StructType[] {
  return load().all;
}

/**
 * Built-in kind by apiVersion and kind. Kinds of meta/v1 are found in every group version, since clients send
 * DeleteOptions with the apiVersion of the object.
 */
export function findBuiltInKind(apiVersion: string, kind: string): StructType | undefined {
  const { kinds, meta } = load();
  return kinds.get(`${apiVersion} ${kind}`) ?? meta.get(kind);
}

/** Type by group and name: `findType("meta/v1", "Condition")`. */
export function findType(group: string, name: string): StructType | undefined {
  return load().all.find((type) => type.group.name === group && type.name === name);
}
