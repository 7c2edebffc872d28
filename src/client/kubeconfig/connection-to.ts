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
  /** Such as `https://api.example.com:6443`. */
  readonly server: string;
  /** `default` unless told. */
  readonly namespace?: string | undefined;
  /** A bearer token, or what fetches one for every request; `renew` when the last was not accepted. */
  readonly token?: string | ((request: CredentialsRequest) => Promise<string>) | undefined;
  /** A file with a token that is replaced from time to time. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificates of authorities in PEM. */
  readonly ca?: string | Buffer | undefined;
  readonly certificate?: ClientCertificate | undefined;
  readonly serverName?: string | undefined;
  /** Believes any certificate. */
  readonly insecure?: boolean | undefined;
  /** None with `false`; what the environment says unless told. */
  readonly proxy?: string | false | undefined;
  readonly impersonate?: Impersonation | undefined;
}

const where = "connectionTo";

/**
 * A connection made by hand.
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
