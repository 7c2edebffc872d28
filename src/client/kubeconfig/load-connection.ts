import type { Connection } from "../transport/connection.js";
import { connectionOf, type ContextOptions } from "./connection-of.js";
import { inClusterConnection, isInCluster, type InClusterOptions } from "./in-cluster.js";
import { KubeconfigError } from "./kubeconfig-error.js";
import { kubeconfigPaths, loadKubeconfig, type KubeconfigSource } from "./load-kubeconfig.js";
import { surroundings } from "./surroundings.js";

export interface LoadOptions
  extends KubeconfigSource, ContextOptions, Pick<InClusterOptions, "serviceAccount"> {}

/**
 * Creates the connection that kubectl would use: from the given kubeconfig, `$KUBECONFIG`, `~/.kube/config`, or the service
 * account of the pod.
 *
 * @example
 * const connection = await loadConnection();
 * const staging = await loadConnection({ kubeconfig: "staging.yaml", context: "admin", onWarning: console.warn });
 */
export async function loadConnection(options: LoadOptions = {}): Promise<Connection> {
  const { env } = surroundings(options);
  const config = await loadKubeconfig(options);
  const named = options.text !== undefined || Boolean(options.kubeconfig) || Boolean(options.context);
  // A kubeconfig without a current context counts as missing.
  const silent = config.currentContext === undefined && !named;
  if (silent && (await isInCluster(env, options.serviceAccount))) return inClusterConnection(options);
  if (config.files.length === 0) throw new KubeconfigError(nothingFound(options, env));
  return connectionOf(config, options);
}

function nothingFound({ context }: LoadOptions, env: NodeJS.Dict<string>): string {
  const { paths, from } = kubeconfigPaths(undefined, env);
  const tried = `${paths.join(", ")}${from === "environment" ? " (from $KUBECONFIG)" : ""}`;
  const problem = context
    ? `There is no context ${JSON.stringify(context)}: `
    : "There is no cluster to talk to: ";
  return `${problem}${tried} does not exist${context ? "" : ", and this is not a pod with a service account"}; pass kubeconfig, or set KUBECONFIG to a file`;
}
