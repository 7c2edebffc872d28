import { fieldErrors, type KubeObject, names } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import { nameColumn } from "../../output-formats/columns.js";
import { builtInAgeColumn, column } from "./columns.js";
import type { KindRules } from "./kind-rules.js";

export const lease: KindRules = {
  columns: [
    nameColumn,
    column("Holder", "Current holder.", (object) => specOf(object).holderIdentity ?? ""),
    builtInAgeColumn,
  ],
  strategy: {
    validateName: names.nameIsDns1123Subdomain,
    generation: false,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: true,
    prepareCreate: dropCoordination,
    prepareUpdate: dropCoordination,
    validate,
    validateUpdate: validate,
  },
};

interface Spec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
}

function specOf(object: KubeObject | Draft): Spec {
  return (object.spec as Spec | undefined) ?? {};
}

/** Coordinated leader election is off, as in Kubernetes by default, so its fields are dropped. */
function dropCoordination(object: Draft): void {
  const spec = object["spec"] as Record<string, unknown> | undefined;
  delete spec?.["strategy"];
  delete spec?.["preferredHolder"];
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = specOf(object);
  const errors: fieldErrors.FieldError[] = [];
  if (duration !== undefined && duration <= 0) {
    errors.push(fieldErrors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  if (transitions !== undefined && transitions < 0) {
    const detail = "must be greater than or equal to 0";
    errors.push(fieldErrors.invalid("spec.leaseTransitions", transitions, detail));
  }
  return errors;
}
