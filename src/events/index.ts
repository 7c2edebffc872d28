export type {
  CloudEvent,
  EventDocument,
  EventExtensions,
  EventInput,
} from "../model/cloud-events/cloud-event.js";
export { eventDocument, orderingKey } from "../model/cloud-events/cloud-event.js";
export { eventPattern, EventPatternError } from "../model/cloud-events/event-pattern.js";
export type {
  DeliveryOptions,
  EventHandler,
  EventSubscription,
  HandleEvent,
  HandlerContext,
} from "./handler.js";
export { subscription, type SubscriptionDescription } from "./subscription.js";
export type { ActiveSubscription, Events, SubscriptionState } from "./events.js";
export { eventBus, type EventBus, type EventBusOptions } from "./bus/event-bus.js";
export { createEvent, EventCycleError, InvalidEvent, type CreateEventOptions } from "./create-event.js";
export { eventsOf, type KindEvents, type ObjectTransition } from "./object/event-naming.js";
export {
  EventLogExpired,
  type DeadEvent,
  type AppendOptions,
  type LogBatch,
  type EventLog,
  type LogReadOptions,
  type LogPosition,
  type SubscriptionCursor,
} from "./log/event-log.js";
export type { State } from "./state/state.js";
export { openState, type OpenState, type OpenStateOptions } from "./state/open-state.js";
export {
  StateWatchTooSlow,
  type StateChange,
  type StateWatch,
  type StateWatchOptions,
} from "./state/state-watch.js";
export type { Memoized, MemoizeOptions } from "./state/memoize.js";
export { redisState, type RedisStateOptions } from "./state/redis/redis-state.js";
export { memoryState } from "./state/memory-state.js";
export {
  StateUnavailable,
  type StateBackend,
  type StateListener,
  type StateRecord,
} from "./state/state-backend.js";
export { EventRejected } from "./event-rejected.js";
export { eventType, type EventAttributes, type EventTypeDefinition } from "./types/event-type.js";
export { EventTypes } from "./types/event-types.js";
export {
  AlertRaised,
  AlertResolved,
  BackendHealthChanged,
  CertificateExpiring,
  ConfigCreated,
  ConfigDeleted,
  ConfigUpdated,
  HealthChanged,
  HealthCheckCompleted,
  HealthCheckRequested,
  knownEventTypes,
  RateLimitExceeded,
  RunFinished,
  SystemError,
} from "./types/known-types.js";
export {
  decodeHttp,
  encodeHttp,
  validateEvent,
  type HttpMessage,
  type HttpMode,
} from "./encode/http-message.js";
export {
  pipeline,
  type HandlerReference,
  type EventPipelineOptions,
  type StageOptions,
} from "./pipeline/pipeline-options.js";
export { Pipeline, type PipelineStage } from "./pipeline/pipeline.js";
export type {
  BatchItem,
  PipelineHandler,
  PipelineParts,
  PipelineReport,
} from "./pipeline/pipeline-handler.js";
export { builtInHandlers, startPipeline } from "./pipeline/start-pipeline.js";
export { sinkOf, type SinkOptions } from "./sinks/sink-of.js";
export type { Sink, SinkParts } from "./sinks/sink.js";
export { SignatureError, verifySignature } from "./sinks/signature.js";
export {
  definePlugin,
  type PluginContext,
  type PluginDefinition,
  type PluginDescription,
  type PluginEventContext,
} from "./plugins/define-plugin.js";
export { PluginPermissionError } from "./plugins/permissions.js";
export {
  PluginHttpError,
  type PluginHttp,
  type PluginRequest,
  type PluginResponse,
} from "./plugins/plugin-http.js";
export {
  loadPlugins,
  type LoadPluginsOptions,
  type PluginEntry,
  type PluginsOptions,
} from "./plugins/load-plugins.js";
export {
  startPlugins,
  type PluginHealthCheck,
  type PluginInstallation,
  type RunningPlugins,
  type StartPluginsOptions,
} from "./plugins/start-plugins.js";
export type { PluginParts } from "./plugins/running-plugin.js";
