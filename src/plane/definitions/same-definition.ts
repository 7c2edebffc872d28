import { isDeepStrictEqual } from "node:util";
import type { CustomResourceDefinition } from "../../model/core.js";
import type { StoredDefinition } from "./definition.js";

/** Whether a server has just this definition; what it fills in by itself does not count. */
export function isSameDefinition(found: StoredDefinition, wanted: CustomResourceDefinition): boolean {
  const { conversion, preserveUnknownFields, ...spec } = found.spec;
  const isPlain = (conversion?.strategy ?? "None") === "None" && preserveUnknownFields !== true;
  return isPlain && isDeepStrictEqual(spec, wanted.spec);
}

/** Whether objects have to obey other rules than before: the schema of the version that is stored differs. */
export function isOtherSchema(found: StoredDefinition, wanted: CustomResourceDefinition): boolean {
  return wanted.spec.versions.some(({ name, schema }) => {
    const before = found.spec.versions.find((version) => version.name === name);
    return before === undefined || !isDeepStrictEqual(before.schema, schema);
  });
}

/** What a definition that is there cannot become, since a server keeps it for as long as the definition exists. */
export function unchangeable(found: StoredDefinition, wanted: CustomResourceDefinition): string | undefined {
  const { scope, names, versions } = wanted.spec;
  if (found.spec.scope !== scope) return `its scope is ${found.spec.scope} and cannot become ${scope}`;
  if (found.spec.names.kind !== names.kind) {
    return `its kind is ${found.spec.names.kind} and cannot become ${names.kind}`;
  }
  const gone = found.status?.storedVersions?.filter(
    (stored) => !versions.some(({ name }) => name === stored),
  );
  if (gone === undefined || gone.length === 0) return undefined;
  const [version = ""] = versions.map(({ name }) => name);
  return `its objects are stored as ${gone.join(" and ")}, and ${version} alone could not read them`;
}
