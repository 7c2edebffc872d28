import type { Connection } from "../transport/connection.js";
import { assemble } from "./assemble.js";
import { credentialsOf } from "./credentials-of.js";
import { impersonationHeaders } from "./credentials/impersonation.js";
import { checkAuthority, contentOf } from "./credentials/pem.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig.js";
import { KubeconfigError } from "./kubeconfig-error.js";
import { environmentProxy } from "./proxy/environment-proxy.js";
import { proxyUrl } from "./proxy/proxy-url.js";
import { serverUrl } from "./server-url.js";
import { surroundings, type SurroundingsOptions } from "./surroundings.js";

export interface ContextOptions extends SurroundingsOptions {
  /** Context. Default: the current one. */
  readonly context?: string | undefined;
  /** Default: the context's namespace. */
  readonly namespace?: string | undefined;
  /**
   * Trusts the kubeconfig to run exec plugins and to read token files. Default: true. Pass false for a file that was found
   * rather than named by the user, such as one in the current folder.
   */
  readonly trusted?: boolean | undefined;
  /** Timeout of a non-interactive exec plugin in milliseconds. Default: 60000. */
  readonly execTimeout?: number | undefined;
}

/**
 * Creates the connection of a context of a kubeconfig. Files are read and checked now; exec plugins run with the first
 * request.
 *
 * @example
 * const config = await loadKubeconfig();
 * const connection = await connectionOf(config, { context: "production" });
 */
export async function connectionOf(config: Kubeconfig, options: ContextOptions = {}): Promise<Connection> {
  const around = surroundings(options);
  const context = chosenContext(config, options.context);
  const cluster = clusterOf(config, context);
  const user = userOf(config, context);

  const ca = await authority(cluster);
  const { server: address } = cluster;
  if (address === undefined) {
    throw new KubeconfigError(`${cluster.where}: cluster ${JSON.stringify(cluster.name)} has no server`);
  }
  const credentials =
    user &&
    (await credentialsOf(user, {
      cluster: { ...cluster, server: address, ca, config: cluster.execConfig },
      surroundings: around,
      trusted: options.trusted ?? true,
      execTimeout: options.execTimeout ?? 60_000,
    }));

  const hasTls = ca !== undefined || cluster.insecure || hasCertificate(user);
  const server = serverUrl(address, hasTls, `${cluster.where}: server`);
  return assemble({
    server,
    namespace: options.namespace || context.namespace || "default",
    tls: {
      ca,
      certificate: credentials?.fixed,
      serverName: cluster.serverName,
      insecure: cluster.insecure || undefined,
    },
    proxy:
      cluster.proxyUrl === undefined
        ? environmentProxy(server, around.env)
        : proxyUrl(cluster.proxyUrl, `${cluster.where}: proxy-url`),
    headers: user && impersonationHeaders(user.impersonate, user.where),
    authorization: credentials?.authorization,
    certificate: credentials?.certificate,
  });
}

function chosenContext(config: Kubeconfig, wanted: string | undefined): KubeconfigContext {
  const name = wanted || config.currentContext;
  const found = name === undefined ? undefined : config.contexts.get(name);
  if (found !== undefined) return found;
  const problem =
    name === undefined
      ? "no current-context is set"
      : `there is no context ${JSON.stringify(name)}${wanted ? "" : ", which current-context names"}`;
  const names = [...config.contexts.keys()].sort().map((each) => JSON.stringify(each));
  const wayOut = names.length > 0 ? `choose one of ${names.join(", ")}` : "it has no contexts at all";
  throw new KubeconfigError(`${config.files.join(", ")}: ${problem}; ${wayOut}`);
}

function clusterOf(config: Kubeconfig, context: KubeconfigContext): KubeconfigCluster {
  const cluster = context.cluster === undefined ? undefined : config.clusters.get(context.cluster);
  if (cluster === undefined) missing(context, "cluster", context.cluster, config.clusters);
  return cluster;
}

/** User entry of the context; undefined for a context without user, as for servers without authentication. */
function userOf(config: Kubeconfig, context: KubeconfigContext): KubeconfigUser | undefined {
  if (context.user === undefined) return undefined;
  const user = config.users.get(context.user);
  if (user === undefined) missing(context, "user", context.user, config.users);
  return user;
}

function missing(
  context: KubeconfigContext,
  what: string,
  name: string | undefined,
  there: ReadonlyMap<string, unknown>,
): never {
  const names = [...there.keys()].sort().map((each) => JSON.stringify(each));
  const problem =
    name === undefined ? `names no ${what}` : `names the ${what} ${JSON.stringify(name)}, which is not there`;
  throw new KubeconfigError(
    `${context.where}: context ${JSON.stringify(context.name)} ${problem}; ${what}s are: ${names.join(", ") || "none"}`,
  );
}

async function authority(cluster: KubeconfigCluster): Promise<Buffer | undefined> {
  const { where } = cluster;
  const ca = await contentOf(cluster.ca, where, "certificate-authority");
  if (ca === undefined) return undefined;
  if (cluster.insecure) {
    throw new KubeconfigError(
      `${where}: certificate-authority and insecure-skip-tls-verify contradict each other; remove one of them`,
    );
  }
  return checkAuthority(ca, `${where}: certificate-authority`);
}

function hasCertificate(user: KubeconfigUser | undefined): boolean {
  return user?.certificate.file !== undefined || user?.certificate.data !== undefined;
}
