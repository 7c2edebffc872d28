import { inKeyOrder } from "./bad-value.js";
import { type FieldError, invalid, required } from "./field-errors.js";
import { childPath, type FieldPath, indexPath } from "./field-path.js";
import { type OwnerReference, parseApiVersion } from "./object.js";

/** Owner reference that may be incomplete. */
type UncheckedReference = Partial<OwnerReference>;

/** Limit for errors about additional controllers, each of which quotes the whole list. */
const maxReportedControllers = 16;

/** Validates owner references, each one and all together. */
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
  // Events expire on their own, so nothing may depend on one.
  if (groupVersion?.group === "" && groupVersion.version === "v1" && kind === "Event") {
    errors.push(
      invalid(path, inKeyOrder(inWireOrder(reference)), "/v1, Kind=Event is disallowed from being an owner"),
    );
  }
  return errors;
}

/** Orders the fields like Kubernetes does. */
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
