import { type Condition, type KubeObject, removeCondition } from "../../model/core.js";
import { checkRules } from "../../model/cel/rules/check-rules.js";
import { nameIsDns1123Subdomain } from "../../model/object/names.js";
import type { Draft, KindStrategy } from "../resources/resource-type.js";
import { prepareDefinitionCreate, prepareDefinitionUpdate } from "./defaults.js";
import { cleanupFinalizer, type Definition, type DefinitionStatus } from "./definition.js";
import { terminating } from "./terminating.js";
import { validateDefinition } from "./validate-definition.js";
import { definitionWarnings } from "./warnings.js";

/** Strategy of CustomResourceDefinition. */
export const definitionStrategy: KindStrategy = {
  validateName: nameIsDns1123Subdomain,
  generation: true,
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: false,
  prepareCreate: prepareDefinitionCreate,
  prepareUpdate: prepareDefinitionUpdate,
  validate: (object) => validateDefinition(object, undefined, { checkRules }),
  validateUpdate: (object, old) => validateDefinition(object, old, { checkRules }),
  // During deletion the cleanup finalizer keeps the definition.
  holdsDeleted: ({ metadata }) => !metadata.deletionTimestamp,
  prepareDelete,
  warnings: (object) => definitionWarnings(object as KubeObject as Definition),
};

/** Adds the cleanup finalizer when deletion begins. */
function prepareDelete(definition: Draft): void {
  const { finalizers = [], deletionTimestamp } = definition.metadata as {
    finalizers?: readonly string[];
    deletionTimestamp: string;
  };
  if (!finalizers.includes(cleanupFinalizer)) {
    definition.metadata["finalizers"] = [...finalizers, cleanupFinalizer];
  }
  delete definition.metadata["deletionGracePeriodSeconds"];
  const status = (definition["status"] ?? {}) as DefinitionStatus;
  const pending: Condition = { ...terminating.pending, lastTransitionTime: deletionTimestamp };
  const conditions = [...removeCondition(status.conditions, pending.type), pending];
  definition["status"] = { ...status, conditions } satisfies DefinitionStatus;
}
