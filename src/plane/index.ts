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
export { fileRunStore, type FileRunStore, type RunFilesOptions } from "./runs/file-run-store.js";
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
export { loadConfig, type LoadConfigOptions } from "./config/load-config.js";
export { ConfigError, type Config, type LoadedConfig } from "./config/config.js";
