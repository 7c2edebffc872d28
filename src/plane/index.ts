export {
  controlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
  type ListenOptions,
} from "./control-plane.js";
export { inProcess, type InProcessOptions } from "./in-process.js";
export { ManifestError, parseManifests, type Applied } from "./apply-manifests.js";
