export {
  controlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type ListenOptions,
} from "./control-plane.js";
export { inProcess, type InProcessOptions } from "./in-process.js";
export { ManifestError, parseManifests, type Applied } from "./apply-manifests.js";
export { registerDefinitions } from "./definitions/register-definitions.js";
export { backup } from "./backup/backup.js";
export { restore } from "./backup/restore.js";
export { operator, type Operator, type OperatorOptions } from "./operator.js";
export { loadConfig, type LoadConfigOptions } from "./config/load-config.js";
export { ConfigError, type Config, type LoadedConfig } from "./config/config.js";
