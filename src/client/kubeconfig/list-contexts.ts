import type { Kubeconfig } from "./kubeconfig.js";

/** Summary of a context, as in `kubectl config get-contexts`. */
export interface ContextSummary {
  readonly name: string;
  readonly current: boolean;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
  /** Undefined when the context names a missing cluster. */
  readonly server: string | undefined;
}

/** Contexts of a kubeconfig, sorted by name. */
export function listContexts(config: Kubeconfig): ContextSummary[] {
  return [...config.contexts.values()]
    .map(({ name, cluster, user, namespace }) => ({
      name,
      current: name === config.currentContext,
      cluster,
      user,
      namespace,
      server: cluster === undefined ? undefined : config.clusters.get(cluster)?.server,
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
