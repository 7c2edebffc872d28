import type { KindInfo } from "./kind.js";
import * as kubernetes from "./kubernetes.js";

/** Kubernetes' own kinds: nobody has to be asked what they are called in URLs. */
export const builtInKinds: readonly KindInfo[] = Object.values(kubernetes);
