import type { KindStrategy } from "../../../resources/resource-type.js";

/**
 * Warns whoever creates an object that needs running pods: it is stored, and nothing else happens. Without the warning,
 * `kubectl run` and `kubectl create deployment` seem to work.
 */
export const warnOfMissingPods: NonNullable<KindStrategy["warnings"]> = ({ kind }, old) => {
  if (old !== undefined) return [];
  const effect =
    kind === "Pod"
      ? "this Pod is stored and stays Pending"
      : `this ${kind} is stored, and no pods are created or started for it`;
  return [`nothing here runs pods: ${effect}, unless a controller of your own takes care of it`];
};
