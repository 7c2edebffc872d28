export type { Json, JsonArray, JsonObject } from "./object/json.js";
export {
  controllerOf,
  formatApiVersion,
  isOwnedBy,
  ownerReference,
  parseApiVersion,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
} from "./object/object.js";
export { deepFreeze } from "./object/freeze.js";
export { fraction, generateName, jitter, newUid, systemRandom, type Random } from "./object/random.js";
export { quantity } from "./object/quantity.js";
export * as names from "./object/names.js";
export * as fieldErrors from "./object/field-errors.js";
export { foregroundFinalizer, orphanFinalizer } from "./object/finalizers.js";
export { validateFieldManager } from "./object/managed-fields-entry.js";
export { validateObjectMeta, validateObjectMetaUpdate, type MetadataRules } from "./object/metadata.js";

export { ApiError, asApiError, fromStatus, statusOf } from "./errors/api-error.js";
export * as failures from "./errors/failures.js";
export * from "./errors/predicates.js";
export type { ApiStatus, StatusCause, StatusDetails, StatusReason } from "./errors/status.js";

export {
  everything,
  labelSelector,
  nothing,
  parseLabelSelector,
  validateLabelSelector,
  type LabelSelector,
  type LabelSelectorExpression,
  type LabelSelectorSpec,
} from "./selector/label-selector.js";
export { parseFieldSelector, type FieldSelector } from "./selector/field-selector.js";
export { SelectorError } from "./selector/selector-error.js";

export {
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
  type Condition,
  type ConditionStatus,
  type ConditionUpdate,
} from "./conditions/conditions.js";

export { applyJsonPatch, type JsonPatchOptions } from "./patch/json-patch.js";
export { type JsonPatchOperation } from "./patch/json-patch-operation.js";
export { formatJsonPointer, parseJsonPointer } from "./patch/json-pointer.js";
export { applyMergePatch, createMergePatch } from "./patch/merge-patch.js";
export { PatchError, type PatchErrorKind } from "./patch/patch-error.js";
export {
  applyStrategicMergePatch,
  patchSchemaOf,
  type PatchSchema,
  type PatchStrategy,
} from "./patch/strategic-merge.js";
export { diff, type FieldChange, type DiffOptions, type ValuePath } from "./diff/changes.js";
export { jsonPatchOf, toJsonPatch } from "./diff/to-json-patch.js";
export { renderDiff, type RenderOptions } from "./diff/render.js";

export {
  customResourceDefinition,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type PrinterColumn,
} from "./resource/custom-resource-definition.js";
export { checkStructural } from "./schema/structural-check.js";
export type { StructuralSchema } from "./schema/structural-schema.js";

export { compilePattern, type Pattern } from "./regex/pattern.js";

export { sleep, systemClock, type Clock, type Timer } from "./time/clock.js";
export { duration, formatAge, formatDuration, type Duration } from "./time/duration.js";
export { TimeLimitError, within, type TimeLimit } from "./time/within.js";
export { formatMicroTime, formatTime, parseTime } from "./time/timestamp.js";
export { VirtualClock } from "./time/virtual-clock.js";
