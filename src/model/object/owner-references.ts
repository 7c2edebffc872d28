import { inKeyOrder } from "./bad-value.js";
import { type FieldError, invalid, required } from "./field-errors.js";
import { childPath, type FieldPath, indexPath } from "./field-path.js";
import { type OwnerReference, parseApiVersion } from "./object.js";

/** An owner reference before anyone has checked that it is whole. */
type UncheckedReference = Partial<OwnerReference>;

/** Each further controller is reported beside the whole list; past this many nobody reads on. */
const maxReportedControllers = 16;

/** Faults of the owners of an object, each on its own and all together. */
export function validateOwnerReferences(
  references: readonly UncheckedReference[] | undefined,
  path: FieldPath,
): FieldError[] {
  if (!references) return [];
  const errors: FieldError[] = [];
  let controller: string | undefined;
  let reported = 0;
  for (const [index, reference] of references.entries()) {
    errors.push(...validateOwnerReference(reference, indexPath(path, index)));
    if (reference.controller !== true) continue;
    const name = `${reference.kind ?? ""}/${reference.name ?? ""}`;
    if (controller === undefined) controller = name;
    else if (reported++ < maxReportedControllers) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalid(path, inKeyOrder(references.map(inWireOrder)), detail));
    }
  }
  return errors;
}

function validateOwnerReference(reference: UncheckedReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion, kind } = reference;
  const groupVersion = parseApiVersion(apiVersion ?? "");
  for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
    if (!reference[field]) errors.push(required(childPath(path, field), "must not be empty"));
    else if (field === "apiVersion" && !groupVersion?.version) {
      errors.push(invalid(childPath(path, field), apiVersion, "must be <group>/<version> or <version>"));
    }
  }
  // Events come and go by themselves, so nothing may depend on one.
  if (groupVersion?.group === "" && groupVersion.version === "v1" && kind === "Event") {
    errors.push(
      invalid(path, inKeyOrder(inWireOrder(reference)), "/v1, Kind=Event is disallowed from being an owner"),
    );
  }
  return errors;
}

/** The order in which Kubernetes writes the fields of an owner reference. */
function inWireOrder(reference: UncheckedReference): OwnerReference {
  const { apiVersion = "", kind = "", name = "", uid = "", controller, blockOwnerDeletion } = reference;
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}
