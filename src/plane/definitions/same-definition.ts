import { isDeepStrictEqual } from "node:util";
import type { CustomResourceDefinition } from "../../model/core.js";
import type { StoredDefinition } from "./definition.js";

/** Tests whether a stored definition equals the wanted one, apart from the server's defaults. */
export function isSameDefinition(found: StoredDefinition, wanted: CustomResourceDefinition): boolean {
  const { conversion, preserveUnknownFields, ...spec } = found.spec;
  const isPlain = (conversion?.strategy ?? "None") === "None" && preserveUnknownFields !== true;
  return isPlain && isDeepStrictEqual(spec, wanted.spec);
}

/** Tests whether the schema of any version differs, so that stored objects may violate it. */
export function hasOtherSchema(found: StoredDefinition, wanted: CustomResourceDefinition): boolean {
  return wanted.spec.versions.some(({ name, schema }) => {
    const before = found.spec.versions.find((version) => version.name === name);
    return before === undefined || !isDeepStrictEqual(before.schema, schema);
  });
}

/** Reason why a definition cannot be updated: a field that a server does not allow to change. */
export function immutableDifference(
  found: StoredDefinition,
  wanted: CustomResourceDefinition,
): string | undefined {
  const { scope, names, versions } = wanted.spec;
  if (found.spec.scope !== scope) return `its scope is ${found.spec.scope} and cannot be changed to ${scope}`;
  if (found.spec.names.kind !== names.kind) {
    return `its kind is ${found.spec.names.kind} and cannot be changed to ${names.kind}`;
  }
  const removed = found.status?.storedVersions?.filter(
    (stored) => !versions.some(({ name }) => name === stored),
  );
  if (removed === undefined || removed.length === 0) return undefined;
  const [version = ""] = versions.map(({ name }) => name);
  return `it has objects stored as ${removed.join(" and ")}, which ${version} alone cannot read`;
}
