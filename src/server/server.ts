import { join } from "node:path";
import { systemClock } from "../model/core.js";
import { startApi, type Api, type ApiOptions } from "./api.js";
import { bearerTokens } from "./http/auth/authenticate.js";
import { ensureCredentials } from "./http/auth/credentials.js";
import { writeKubeconfig } from "./http/auth/kubeconfig.js";
import { TokenFile } from "./http/auth/token-file.js";
import { anyOf, StaticTokens } from "./http/auth/tokens.js";
import { serveHttp, type HttpOptions } from "./http/server.js";
import type { KeyPair } from "./http/tls/certificate.js";
import { ensureCertificates, type ServerCertificates } from "./http/tls/certificates.js";
import { storeMetrics } from "./store-metrics.js";

type PassedOn =
  | "host"
  | "port"
  | "hosts"
  | "origins"
  | "limits"
  | "version"
  | "healthChecks"
  | "metrics"
  | "extensions";

export interface ServerOptions extends ApiOptions, Pick<HttpOptions, PassedOn> {
  /** Where tokens, certificates and the kubeconfig are kept. */
  readonly data: string;
  /** Where the kubeconfig is written; `kubeconfig` in the data folder unless told. */
  readonly kubeconfig?: string | undefined;
  /** More tokens than the administrator's, in kube-apiserver's format: `token,user,uid,"group1,group2"`. */
  readonly tokenFile?: string | undefined;
  /**
   * A certificate and key in PEM. Unless told, a certificate by an authority of the server's own: kubectl and everything
   * else built on client-go sends its token over TLS only. `false` for none.
   */
  readonly tls?: boolean | KeyPair | undefined;
}

/** An API server that can be reached. */
export interface Server extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  /** The administrator's. */
  readonly token: string;
  /** The path of a kubeconfig with url and token in it. */
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
      limits,
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
