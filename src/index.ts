/**
 * What most users import. The whole model is in `fettle/model`, the store in `fettle/store`.
 */
export { resource } from "./model/schema/resource.js";
export { customResourceDefinition } from "./model/schema/custom-resource-definition.js";
export { DefinitionError } from "./model/schema/definition-error.js";
export {
  atomic,
  embeddedResource,
  intOrString,
  listMap,
  listSet,
  preserve,
  quantity,
  rule,
} from "./model/schema/markers.js";
export type {
  ObjectOf,
  Resource,
  ResourceOptions,
  Spec,
  SpecInput,
  Status,
} from "./model/schema/resource-types.js";
export type { KubeObject, ObjectMeta, OwnerReference } from "./model/object/object.js";
export type { Condition, ConditionStatus } from "./model/conditions/conditions.js";
export { ApiError } from "./model/errors/api-error.js";
export { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound } from "./model/errors/predicates.js";
export type { Clock } from "./model/time/clock.js";
export { duration, type Duration } from "./model/time/duration.js";
export type { Store } from "./store/store.js";
export { MemoryStore } from "./store/memory/memory-store.js";
export { openSqliteStore } from "./store/sqlite/sqlite-store.js";
