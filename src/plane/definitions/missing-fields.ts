import type { CustomResourceDefinition, StructuralSchema } from "../../model/core.js";
import type { StoredDefinition } from "./definition.js";

/**
 * What keeps a program from working with a definition that somebody else made: it serves other things than the program
 * asks for, or has no room for fields the program writes. Rules for values may differ; the server then says so when a value
 * breaks one.
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
      ...(status ? [`${version.name} has no status of its own`] : []),
      ...missingFields(theirs.schema?.openAPIV3Schema ?? {}, version.schema.openAPIV3Schema),
    ];
  });
}

/** Fields of `wanted` that `found` would drop or takes for something else, and those it requires beyond them. */
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
  } else if (values !== undefined && !open) fields.push(`${name} takes no keys of one's own there`);
  return fields;
}

function valuesOf({ additionalProperties }: StructuralSchema): StructuralSchema | undefined {
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}
