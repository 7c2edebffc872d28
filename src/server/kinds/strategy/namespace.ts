import { fieldErrors, type KubeObject, names } from "../../../model/core.js";
import { validateStandardFinalizers } from "../../../model/object/finalizers.js";
import { validateQualifiedName } from "../../../model/object/names.js";
import type { Draft } from "../../resources/resource-type.js";
import { nameColumn } from "../../output-formats/columns.js";
import { builtInAgeColumn, column } from "./columns.js";
import type { KindRules } from "./kind-rules.js";

/** Label with the name of the namespace, for label selectors. */
const nameLabel = "kubernetes.io/metadata.name";

/** Keeps a namespace until it is empty. */
const kubernetesFinalizer = "kubernetes";

/** Namespaces that cannot be deleted. */
const undeletable: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

export const namespace: KindRules = {
  columns: [nameColumn, column("Status", "The status of the namespace", phaseOf), builtInAgeColumn],
  selectableFields: new Map([["status.phase", phaseOf]]),
  // Also where a client leaves it out, whatever it writes.
  defaults: labelWithName,
  strategy: {
    validateName: names.nameIsDns1123Label,
    generation: false,
    allowUnconditionalUpdate: true,
    allowCreateOnUpdate: false,
    keptByStatus: [],
    prepareCreate(object) {
      object["status"] = { phase: "Active" };
      labelWithName(object);
    },
    completeCreate(object) {
      const finalizers = finalizersOf(object);
      object["spec"] = {
        finalizers: finalizers.includes(kubernetesFinalizer)
          ? finalizers
          : [...finalizers, kubernetesFinalizer],
      };
    },
    prepareUpdate(object, old) {
      // Only the finalize subresource changes these.
      object["spec"] = old.spec ?? {};
      labelWithName(object);
    },
    validate,
    validateUpdate: (object, old) => [...validate(object), ...validatePhase(object, old)],
    forbidDelete: ({ metadata }) =>
      undeletable.has(metadata.name ?? "") ? "this namespace may not be deleted" : undefined,
    holdsDeleted: (object) => finalizersOf(object).length > 0,
    prepareDelete(object) {
      delete object.metadata["deletionGracePeriodSeconds"];
      object["status"] = { ...(object["status"] as object | undefined), phase: "Terminating" };
    },
  },
};

interface Spec {
  readonly finalizers?: readonly string[];
}

function finalizersOf(object: KubeObject | Draft): readonly string[] {
  return (object.spec as Spec | undefined)?.finalizers ?? [];
}

function phaseOf(object: KubeObject): string {
  return (object.status as { readonly phase?: string } | undefined)?.phase ?? "";
}

function labelWithName({ metadata }: Draft): void {
  const name = metadata["name"] as string | undefined;
  if (!name) return;
  metadata["labels"] = { ...(metadata["labels"] as Record<string, string> | undefined), [nameLabel]: name };
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const path = "spec.finalizers";
  const errors: fieldErrors.FieldError[] = [];
  for (const finalizer of finalizersOf(object)) {
    for (const fault of validateQualifiedName(finalizer)) {
      errors.push(fieldErrors.invalid(path, finalizer, fault));
    }
    for (const { detail } of validateStandardFinalizers([finalizer], path)) {
      errors.push(fieldErrors.invalid(path, finalizer, detail));
    }
  }
  return errors;
}

/** The phase is Terminating exactly while a namespace is being deleted. */
function validatePhase(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const phase = phaseOf(object);
  if (phase === phaseOf(old)) return [];
  const deleted = Boolean(object.metadata["deletionTimestamp"]);
  const expected = deleted ? "Terminating" : "Active";
  if (phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? "not " : ""}empty`;
  return [fieldErrors.invalid("status.Phase", phase, detail)];
}
