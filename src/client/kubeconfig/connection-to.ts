import type { ClientCertificate, Connection } from "../transport/connection.js";
import { assemble } from "./assemble.js";
import { basic, bearer, type Authorization, type CredentialsRequest } from "./credentials/authorization.js";
import { impersonationHeaders } from "./credentials/impersonation.js";
import { checkAuthority, checkPair } from "./credentials/pem.js";
import { tokenFile } from "./credentials/token-file.js";
import type { Impersonation } from "./kubeconfig.js";
import { KubeconfigError } from "./kubeconfig-error.js";
import { environmentProxy } from "./proxy/environment-proxy.js";
import { proxyUrl } from "./proxy/proxy-url.js";
import { serverUrl } from "./server-url.js";
import { surroundings, type SurroundingsOptions } from "./surroundings.js";

export interface ConnectionTo extends Omit<SurroundingsOptions, "interactive"> {
  /** URL such as `https://api.example.com:6443`. */
  readonly server: string;
  /** Default namespace. Default: `default`. */
  readonly namespace?: string | undefined;
  /** Bearer token, or a function that returns one for every request; `renew` after a 401. */
  readonly token?: string | ((request: CredentialsRequest) => Promise<string>) | undefined;
  /** File with a token that is rotated. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** CA certificates in PEM. */
  readonly ca?: string | Buffer | undefined;
  readonly certificate?: ClientCertificate | undefined;
  readonly serverName?: string | undefined;
  /** Skip the verification of the server's certificate. */
  readonly insecure?: boolean | undefined;
  /** Proxy URL; `false` for none. Default: from the environment. */
  readonly proxy?: string | false | undefined;
  readonly impersonate?: Impersonation | undefined;
}

const where = "connectionTo";

/**
 * Creates a connection from its parts.
 *
 * @example
 * const connection = connectionTo({ server: "https://127.0.0.1:6443", token, ca: await readFile("ca.crt") });
 */
export function connectionTo(options: ConnectionTo): Connection {
  const { certificate, insecure = false } = options;
  const around = surroundings(options);
  if (insecure && options.ca !== undefined) {
    throw new KubeconfigError(`${where}: ca and insecure contradict each other; leave one of them out`);
  }
  const ca = options.ca === undefined ? undefined : checkAuthority(Buffer.from(options.ca), `${where}: ca`);
  const hasTls = ca !== undefined || insecure || certificate !== undefined;
  const server = serverUrl(options.server, hasTls, `${where}: server`);
  return assemble({
    server,
    namespace: options.namespace || "default",
    tls: {
      ca,
      certificate: certificate && checkPair(certificate, `${where}: certificate`),
      serverName: options.serverName,
      insecure: insecure || undefined,
    },
    proxy:
      options.proxy === false
        ? undefined
        : options.proxy
          ? proxyUrl(options.proxy, `${where}: proxy`)
          : environmentProxy(server, around.env),
    headers: impersonationHeaders(options.impersonate, where),
    authorization: authorization(options),
  });
}

function authorization(options: ConnectionTo): Authorization | undefined {
  const { token, username, password = "" } = options;
  const given = [token, options.tokenFile, username].filter((each) => each !== undefined);
  if (given.length > 1) {
    throw new KubeconfigError(`${where}: only one of token, tokenFile and username can be given`);
  }
  if (typeof token === "function")
    return async (request) => bearer(await token(request), `${where}: the token`);
  if (token !== undefined) {
    const header = bearer(token, `${where}: token`);
    return async () => header;
  }
  if (username !== undefined) {
    const header = basic(username, password);
    return async () => header;
  }
  if (options.tokenFile === undefined) return undefined;
  const file = tokenFile(options.tokenFile, where, surroundings(options));
  return ({ renew }) => file.get(renew);
}
