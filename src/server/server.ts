import { join } from "node:path";
import { systemClock } from "../model/core.js";
import { startApi, type Api, type ApiOptions } from "./api.js";
import { bearerTokens } from "./http/auth/authenticate.js";
import { ensureCredentials } from "./http/auth/credentials.js";
import { writeKubeconfig } from "./http/auth/kubeconfig.js";
import { TokenFile } from "./http/auth/token-file.js";
import { anyOf, StaticTokens } from "./http/auth/tokens.js";
import { defaultLimits } from "./http/limits/limits.js";
import { serveHttp, type HttpOptions } from "./http/server.js";
import type { KeyPair } from "./http/tls/certificate.js";
import { ensureCertificates, type ServerCertificates } from "./http/tls/certificates.js";
import { storeMetrics } from "./store-metrics.js";

type HttpOption =
  | "host"
  | "port"
  | "hosts"
  | "origins"
  | "limits"
  | "version"
  | "healthChecks"
  | "metrics"
  | "extensions";

/** Options of {@link startServer}. */
export interface ServerOptions extends ApiOptions, Pick<HttpOptions, HttpOption> {
  /** Data folder: tokens, certificates and the kubeconfig. */
  readonly data: string;
  /** Path of the kubeconfig to write. Default: `kubeconfig` in the data folder. */
  readonly kubeconfig?: string | undefined;
  /** File with tokens of further users, in kube-apiserver's format: `token,user,uid,"group1,group2"`. */
  readonly tokenFile?: string | undefined;
  /**
   * Certificate and key in PEM, or `false` to disable TLS. Default: a certificate signed by the server's own CA, since kubectl
   * and other clients built on client-go send tokens over TLS only.
   */
  readonly tls?: boolean | KeyPair | undefined;
}

/** A running API server. */
export interface Server extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  /** Token of the administrator. */
  readonly token: string;
  /** Path of a kubeconfig with url and token. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/**
 * Starts the API and serves it over HTTP.
 *
 * @example
 * const store = await openSqliteStore("data/store");
 * const server = await startServer({ store, data: "data", port: 7700 });
 * // KUBECONFIG=data/kubeconfig kubectl get namespaces
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const {
    store,
    data,
    host,
    port,
    hosts,
    origins,
    limits,
    maxObjectBytes = 0,
    version,
    extensions,
    healthChecks = [],
    metrics = [],
    clock = systemClock,
  } = options;
  const onError = options.onError ?? (() => {});
  const admin = await ensureCredentials(data);
  const certificates = await certificatesFor(options);
  const tokens = new StaticTokens([admin]);
  const file =
    options.tokenFile === undefined
      ? undefined
      : new TokenFile(options.tokenFile, { onError: (error) => onError(error, "token file") });
  const api = await startApi(options).catch((error: unknown) => {
    file?.close();
    throw error;
  });
  const stop = async (): Promise<void> => {
    file?.close();
    await api.close();
  };
  try {
    const http = await serveHttp({
      pipeline: api.pipeline,
      host,
      port,
      hosts,
      origins,
      // A body may have comments, spaces and fields that are not stored.
      limits: { bodyBytes: Math.max(defaultLimits.bodyBytes, 2 * maxObjectBytes), ...limits },
      version,
      extensions,
      metrics: [storeMetrics(store, api.registry.types, clock), ...metrics],
      tls: certificates,
      clock,
      authenticate: bearerTokens(file === undefined ? tokens : anyOf(tokens, file)),
      healthChecks: [{ name: "store", check: async () => void (await store.status()) }, ...healthChecks],
      onError: (error) => onError(error, "request"),
    });
    const path = options.kubeconfig ?? join(data, "kubeconfig");
    await writeKubeconfig(path, {
      server: http.url,
      token: admin.token,
      ca: certificates && "ca" in certificates ? certificates.ca : undefined,
    });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await http.close();
      await stop();
    };
    const server: Server = {
      api,
      url: http.url,
      token: admin.token,
      kubeconfig: path,
      close() {
        closing ??= close();
        return closing;
      },
      [Symbol.asyncDispose]: () => server.close(),
    };
    return server;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function certificatesFor({
  tls = true,
  data,
  host,
  hosts,
  clock,
}: ServerOptions): Promise<ServerCertificates | KeyPair | undefined> {
  if (tls === false) return undefined;
  if (tls !== true) return tls;
  return ensureCertificates(data, {
    names: [...(host === undefined ? [] : [host]), ...(hosts ?? [])],
    clock,
  });
}
