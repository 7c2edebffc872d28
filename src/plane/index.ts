export {
  controlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type ListenOptions,
} from "./control-plane.js";
export { inProcess, type InProcessOptions } from "./in-process.js";
export { ManifestError, parseManifests, type Applied } from "./apply-manifests.js";
export { DefinitionRefused } from "./definitions/definition.js";
export { registerDefinitions } from "./definitions/register-definitions.js";
export { backup } from "./backup/backup.js";
export { BackupDamaged } from "./backup/format.js";
export { restore, RestoreRefused } from "./backup/restore.js";
export { salvage, type SalvageOptions, type SalvageSummary } from "./backup/salvage.js";
export { verifyDataFolder, type Verification, type VerifyOptions } from "./backup/verify.js";
export type { EventsOptions } from "./events/start-events.js";
export type { EventPartsOptions } from "./events/event-parts-options.js";
export { fileRunStore, type FileRunStore, type RunFilesOptions } from "./runs/file-run-store.js";
export type { Monitoring, MonitoringOptions } from "./monitoring/start-monitoring.js";
export type { PeerConflict } from "./peers/conflicts.js";
export type { ConflictReason } from "./peers/merge.js";
export type { MergePolicy, PeerOptions, PeersOptions, PullOptions } from "./peers/peer-options.js";
export type { PeerPhase, PeerState, PulledKindState } from "./peers/peer-state.js";
export { operator, type Operator, type OperatorOptions } from "./operator.js";
export {
  defineOperator,
  type OperatorDefinition,
  type OperatorDescription,
  type OperatorHealthCheck,
  type OperatorParts,
  type ResourceAccess,
  type SetupContext,
} from "./operators/define-operator.js";
export {
  restResource,
  type RestDocument,
  type RestMetadata,
  type RestMethod,
  type RestResource,
  type RestResourceOptions,
  type RestView,
} from "./routes/rest/rest-resource.js";
export type { RestOptions } from "./routes/rest/rest-route.js";
export type { RestEndpoint } from "./routes/rest/endpoints.js";
export type { DebugOptions, OperatorRoutes, RoutesOptions } from "./routes/routes.js";
export type { DebugEndpoint } from "./routes/debug/debug-route.js";
export type { Topic, TopicDeclarations } from "./routes/topics.js";
export type { WebSocketOptions } from "./routes/websocket/websocket-route.js";
export type { PlaneStateOptions } from "./state/plane-state.js";
export { loadConfig, type LoadConfigOptions } from "./config/load-config.js";
export { ConfigError, type Config, type LoadedConfig } from "./config/config.js";
