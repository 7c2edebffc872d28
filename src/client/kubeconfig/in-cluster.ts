import { readFile, stat } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Connection } from "../transport/connection.js";
import { assemble } from "./assemble.js";
import { checkAuthority } from "./credentials/pem.js";
import { tokenFile } from "./credentials/token-file.js";
import { codeOf, KubeconfigError, reasonOf } from "./kubeconfig-error.js";
import { environmentProxy } from "./proxy/environment-proxy.js";
import {
  surroundings,
  type Environment,
  type Surroundings,
  type SurroundingsOptions,
} from "./surroundings.js";

export interface InClusterOptions extends Omit<SurroundingsOptions, "interactive"> {
  /** Default: the namespace of the pod. */
  readonly namespace?: string | undefined;
  /** Mount path of the service account. */
  readonly serviceAccount?: string | undefined;
}

const mountPoint = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Creates the connection of a pod to its cluster with its service account. The token is reread when it rotates.
 *
 * @example
 * const connection = await inClusterConnection();
 */
export async function inClusterConnection(options: InClusterOptions = {}): Promise<Connection> {
  const around = surroundings(options);
  const folder = options.serviceAccount ?? mountPoint;
  const server = serverAddress(around.env);
  if (server === undefined) {
    throw new KubeconfigError(
      "This is not a pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; use a kubeconfig",
    );
  }
  const token = tokenFile(join(folder, "token"), "service account", around);
  await token.get().catch((error: unknown) => {
    throw new KubeconfigError(
      `The pod's service account cannot be used, although KUBERNETES_SERVICE_HOST is set: ${reasonOf(error)}; is automountServiceAccountToken false?`,
      { cause: error },
    );
  });
  return assemble({
    server,
    namespace: options.namespace || (await podNamespace(folder, around.env)),
    tls: { ca: await clusterAuthority(join(folder, "ca.crt"), around) },
    proxy: environmentProxy(server, around.env),
    authorization: ({ renew }) => token.get(renew),
  });
}

/** True in a pod with a service account. */
export async function isInCluster(env: Environment, serviceAccount = mountPoint): Promise<boolean> {
  if (serverAddress(env) === undefined) return false;
  const found = await stat(join(serviceAccount, "token")).catch(() => undefined);
  return found?.isFile() ?? false;
}

function serverAddress(env: Environment): string | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

async function podNamespace(folder: string, env: Environment): Promise<string> {
  if (env["POD_NAMESPACE"]) return env["POD_NAMESPACE"];
  const text = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  return text.trim() || "default";
}

async function clusterAuthority(path: string, { warn }: Surroundings): Promise<Buffer | undefined> {
  try {
    return checkAuthority(await readFile(path), path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") {
      throw new KubeconfigError(`The cluster's authority ${path} cannot be used: ${reasonOf(error)}`, {
        cause: error,
      });
    }
    warn(`${path} does not exist, so the system's authorities are trusted instead`);
    return undefined;
  }
}
