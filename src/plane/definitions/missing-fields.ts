import type { CustomResourceDefinition, StructuralSchema } from "../../model/core.js";
import type { StoredDefinition } from "./definition.js";

/**
 * Reasons why a program cannot use a definition of another field manager: scope, kind, versions or fields that the program
 * needs are missing or different. Validation rules may differ; the server reports violations when values are written.
 */
export function missingFrom(found: StoredDefinition, wanted: CustomResourceDefinition): readonly string[] {
  const { scope, names } = wanted.spec;
  if (found.spec.scope !== scope) return [`it is ${found.spec.scope}, not ${scope}`];
  if (found.spec.names.kind !== names.kind)
    return [`its kind is ${found.spec.names.kind}, not ${names.kind}`];
  return wanted.spec.versions.flatMap((version) => {
    const theirs = found.spec.versions.find(({ name }) => name === version.name);
    if (theirs?.served !== true) return [`it does not serve ${version.name}`];
    const status = version.subresources?.status && !theirs.subresources?.status;
    return [
      ...(status ? [`${version.name} has no status subresource`] : []),
      ...missingFields(theirs.schema?.openAPIV3Schema ?? {}, version.schema.openAPIV3Schema),
    ];
  });
}

/** Fields of `wanted` that `found` prunes or defines with another type, and fields that only `found` requires. */
function missingFields(found: StructuralSchema, wanted: StructuralSchema, path = ""): string[] {
  const name = path === "" ? "the object" : path;
  if (found.type !== undefined && wanted.type !== undefined && found.type !== wanted.type) {
    return [`${name} is ${found.type} there, and ${wanted.type} here`];
  }
  const open = found["x-kubernetes-preserve-unknown-fields"] === true;
  const theirs = found.properties ?? {};
  const fields = Object.entries(wanted.properties ?? {}).flatMap(([field, schema]) => {
    const at = path === "" ? field : `${path}.${field}`;
    const their = Object.hasOwn(theirs, field) ? theirs[field] : valuesOf(found);
    if (their !== undefined) return missingFields(their, schema, at);
    return open || path === "metadata" ? [] : [`${at} is unknown there`];
  });
  for (const field of found.required ?? []) {
    if (Object.hasOwn(wanted.properties ?? {}, field) || wanted.additionalProperties !== undefined) continue;
    if (wanted["x-kubernetes-preserve-unknown-fields"] === true) continue;
    fields.push(`${path === "" ? field : `${path}.${field}`} is required there, and unknown here`);
  }
  const [item, values] = [wanted.items, valuesOf(wanted)];
  if (item !== undefined && found.items !== undefined) {
    fields.push(...missingFields(found.items, item, `${path}[]`));
  }
  const theirValues = valuesOf(found);
  if (values !== undefined && theirValues !== undefined) {
    fields.push(...missingFields(theirValues, values, `${path}.*`));
  } else if (values !== undefined && !open) fields.push(`${name} does not allow additional keys there`);
  return fields;
}

function valuesOf({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
