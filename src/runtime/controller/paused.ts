import type { KubeObject } from "../../model/core.js";

/** Annotation of objects that no controller reconciles until it is removed. */
export const pausedAnnotation = "fettle.dev/paused";

/** True when the annotation of an object pauses it: any value but `false` does. */
export function isAnnotatedPaused({ metadata }: Pick<KubeObject, "metadata">): boolean {
  const value = metadata.annotations?.[pausedAnnotation];
  return value !== undefined && value !== "false";
}
