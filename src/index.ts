/**
 * Names that most programs need. The complete API of each part is in `fettle/model`, `fettle/client`, `fettle/runtime`,
 * `fettle/store`, `fettle/server` and `fettle/plane`; the built-in kinds of Kubernetes are in `fettle/kubernetes`.
 */
export { resource } from "./model/resource/resource.js";
export { customResourceDefinition } from "./model/resource/custom-resource-definition.js";
export { DefinitionError } from "./model/resource/convert/definition-error.js";
export { schema } from "./model/resource/markers.js";
export type { Resource, ResourceOptions, Spec, SpecInput, Status } from "./model/resource/resource-types.js";
export type { KubeObject, ObjectMeta, OwnerReference } from "./model/object/object.js";
export type { Condition, ConditionStatus } from "./model/conditions/conditions.js";
export { ApiError } from "./model/errors/api-error.js";
export { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound } from "./model/errors/predicates.js";
export type { Clock } from "./model/time/clock.js";
export { quantity } from "./model/object/quantity.js";
export { duration, type Duration } from "./model/time/duration.js";
export type { Store } from "./store/store.js";
export { MemoryStore } from "./store/memory/memory-store.js";
export { openSqliteStore } from "./store/sqlite/sqlite-store.js";

export type { Client, ObjectRef } from "./client/client.js";
export { createClient } from "./client/create-client.js";
export { kind, type ExternalKind, type ObjectOf } from "./client/kinds/kind.js";
export { loadConnection } from "./client/kubeconfig/load-connection.js";
export { poll, type Poller } from "./client/polling/poll.js";
export { httpTransport } from "./client/transport/http/http-transport.js";

export { controller, type Controller } from "./runtime/controller/controller.js";
export { plainController } from "./runtime/controller/plain.js";
export { PermanentError } from "./runtime/controller/outcome.js";
export { predicates } from "./runtime/controller/predicates.js";
export { strategies } from "./runtime/controller/strategies.js";
export { onEvent } from "./runtime/controller/event-watch.js";
export { triggers, type TriggerSource } from "./runtime/controller/triggers.js";
export { toAll, toIndexed, toOwner, watch } from "./runtime/controller/watch.js";
export { startControllers, type Controllers } from "./runtime/start/start-controllers.js";
export { exponentialBackoff, maxOf, tokenBucket } from "./runtime/queue/rate-limiter.js";
export { schedule } from "./runtime/schedule/schedule.js";
export { cron } from "./runtime/schedule/cron.js";
export { window } from "./runtime/schedule/window.js";

export type { State } from "./events/state/state.js";
export {
  defineOperator,
  type OperatorDefinition,
  type OperatorParts,
  type SetupContext,
} from "./plane/operators/define-operator.js";
export { restResource } from "./plane/routes/rest/rest-resource.js";
export { operator, type Operator, type OperatorOptions } from "./plane/operator.js";
export { controlPlane, type ControlPlane, type ControlPlaneOptions } from "./plane/control-plane.js";
