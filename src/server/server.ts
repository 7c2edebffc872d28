import { join } from "node:path";
import { systemClock } from "../model/core.js";
import { startApi, type Api, type ApiOptions } from "./api.js";
import { bearerTokens } from "./http/auth/authenticate.js";
import { namesOfHost } from "./http/auth/hosts.js";
import { ensureCredentials } from "./http/auth/credentials.js";
import { writeKubeconfig } from "./http/auth/kubeconfig.js";
import { TokenFile } from "./http/auth/token-file.js";
import { combineTokenSources, StaticTokens } from "./http/auth/tokens.js";
import { defaultLimits } from "./http/limits/limits.js";
import { serveHttp, type HttpOptions, type HttpServer } from "./http/server.js";
import { canonicalAddress, isSelfSigned, namesOf, type KeyPair } from "./http/tls/certificate.js";
import { followKeyPair, readKeyPair, type KeyPairFiles } from "./http/tls/certificate-files.js";
import { ensureCertificates, type ServerCertificates } from "./http/tls/certificates.js";
import { storeMetrics } from "./store-metrics.js";
import { writeHealth } from "./write-health.js";

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
   * Certificate and key in PEM, or files with them, which are read again when they change; `false` disables TLS. Default: a
   * certificate signed by the server's own CA, since kubectl and other clients built on client-go send tokens over TLS only.
   */
  readonly tls?: boolean | KeyPair | KeyPairFiles | undefined;
  /** Receives warnings for the person who runs the server, such as a token file that other users may read. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Write objects about the server: the Service `kubernetes`, and its CA as `kube-root-ca.crt`. Default: true. */
  readonly publish?: boolean | undefined;
}

/** A running API server. */
export interface Server extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  /** Token of the administrator. */
  readonly token: string;
  /** Path of a kubeconfig with address and token, for clients on this machine. */
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
  let listening: HttpServer | undefined;
  let stopFollowing = (): void => {};
  const file =
    options.tokenFile === undefined
      ? undefined
      : new TokenFile(options.tokenFile, {
          onError: (error) => onError(error, "token file"),
          onWarning: options.onWarning,
          onReload: () => listening?.recheckCredentials(),
        });
  const api = await startApi(options).catch((error: unknown) => {
    file?.close();
    throw error;
  });
  const stop = async (): Promise<void> => {
    stopFollowing();
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
      authenticate: bearerTokens(file === undefined ? tokens : combineTokenSources(tokens, file)),
      healthChecks: [
        { name: "store", check: async () => void (await store.status()) },
        writeHealth(store),
        ...healthChecks,
      ],
      onError: (error) => onError(error, "request"),
    });
    listening = http;
    if (typeof options.tls === "object" && "certFile" in options.tls) {
      stopFollowing = followKeyPair(options.tls, {
        onChange: (pair) => http.setCertificate(pair),
        onError: (error) => onError(error, "certificate"),
      });
    }
    const path = options.kubeconfig ?? join(data, "kubeconfig");
    const ca = certificates && clientAuthority(certificates);
    await writeKubeconfig(path, {
      server: http.localUrl,
      token: admin.token,
      ca,
      serverName: certificates && otherName(certificates, new URL(http.localUrl).hostname),
    });
    if (options.publish !== false) {
      api.publish({ address: http.address, port: http.port, secure: certificates !== undefined, ca });
    }
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

/** CA certificates for clients; undefined if those of the system will do. */
function clientAuthority(certificates: ServerCertificates | KeyPair): string | undefined {
  if ("ca" in certificates) return certificates.ca;
  return isSelfSigned(certificates.cert) ? certificates.cert : undefined;
}

/** A name of the certificate, if it does not have the host's own: clients verify this one instead. */
function otherName({ cert }: KeyPair, host: string): string | undefined {
  const names = namesOf(cert);
  const isCovered = names.includes(canonicalAddress(host.replaceAll(/^\[|\]$/g, "")));
  return isCovered ? undefined : names.find((name) => !name.startsWith("*"));
}

async function certificatesFor({
  tls = true,
  data,
  host,
  hosts,
  clock,
}: ServerOptions): Promise<ServerCertificates | KeyPair | undefined> {
  if (tls === false) return undefined;
  if (tls !== true) return "certFile" in tls ? readKeyPair(tls) : tls;
  return ensureCertificates(data, {
    names: [...(host === undefined ? [] : namesOfHost(host)), ...(hosts ?? [])],
    clock,
  });
}
