import type { Draft } from "../../resources/resource-type.js";

/** The version that the client has seen; undefined when it does not say. */
export function versionIn(metadata: Draft["metadata"]): string | undefined {
  const version = metadata["resourceVersion"] as string | undefined;
  return version && version !== "0" ? version : undefined;
}
