import type { ClientCertificate } from "../transport/connection.js";
import type { ExecCluster } from "./exec/exec-info.js";
import { ExecPlugin } from "./exec/exec-plugin.js";
import type { KubeconfigUser } from "./kubeconfig.js";
import { KubeconfigError } from "./kubeconfig-error.js";
import type { Surroundings } from "./surroundings.js";
import { basic, bearer, type Authorization } from "./credentials/authorization.js";
import { checkPair, contentOf } from "./credentials/pem.js";
import { Rotating } from "./credentials/rotating.js";
import { tokenFile } from "./credentials/token-file.js";

/** Credentials of a user. */
export interface Credentials {
  readonly authorization?: Authorization | undefined;
  /** Constant client certificate. */
  readonly fixed?: ClientCertificate | undefined;
  /** Client certificate that may change. */
  readonly certificate?: (() => Promise<ClientCertificate | undefined>) | undefined;
}

export interface CredentialsContext {
  readonly cluster: ExecCluster;
  readonly surroundings: Surroundings;
  readonly trusted: boolean;
  readonly execTimeout: number;
}

/**
 * Credentials of a user entry. If there are several, kubectl's precedence applies: those in the kubeconfig before an exec
 * plugin, a token file before a token.
 */
export async function credentialsOf(
  user: KubeconfigUser,
  { cluster, surroundings, trusted, execTimeout }: CredentialsContext,
): Promise<Credentials> {
  const { where, exec } = user;
  if (!trusted) refuseUntrusted(user);
  if (user.authProvider !== undefined) refuseAuthProvider(user.authProvider, where);
  const fixed = await fixedAuthorization(user, surroundings);
  const own = await ownCertificate(user, surroundings);
  if (exec === undefined || fixed !== undefined) return { authorization: fixed, ...own };
  const plugin = new ExecPlugin({ config: exec, where, cluster, surroundings, timeout: execTimeout });
  const authorization: Authorization = (request) => plugin.authorization(request);
  return own === undefined
    ? { authorization, certificate: () => plugin.certificate() }
    : { authorization, ...own };
}

/** A kubeconfig that somebody else put here could run a program, or send any file as a token to a server of its choice. */
function refuseUntrusted({ where, exec, tokenFile, certificate, key }: KubeconfigUser): void {
  const refused =
    exec !== undefined
      ? `runs the program ${JSON.stringify(exec.command)}`
      : tokenFile !== undefined || certificate.file !== undefined || key.file !== undefined
        ? "reads credentials from other files"
        : undefined;
  if (refused === undefined) return;
  throw new KubeconfigError(
    `${where}: this kubeconfig was found, not named, and ${refused}; if you trust it, name it (--kubeconfig, KUBECONFIG)`,
  );
}

async function fixedAuthorization(
  user: KubeconfigUser,
  surroundings: Surroundings,
): Promise<Authorization | undefined> {
  const { where, token, username, password = "" } = user;
  const hasToken = token !== undefined || user.tokenFile !== undefined;
  if (hasToken && username !== undefined) {
    throw new KubeconfigError(`${where}: token and username are both set; remove one of them`);
  }
  if (username !== undefined) {
    const header = basic(username, password);
    return async () => header;
  }
  const header = token === undefined ? undefined : bearer(token, `${where}: token`);
  if (user.tokenFile === undefined) return header === undefined ? undefined : async () => header;

  const file = tokenFile(user.tokenFile, where, surroundings);
  if (header !== undefined) return ({ renew }) => file.get(renew).catch(() => header);
  // Read now, so that a wrong path fails here and not with the first request.
  await file.get();
  return ({ renew }) => file.get(renew);
}

async function ownCertificate(
  user: KubeconfigUser,
  surroundings: Surroundings,
): Promise<Pick<Credentials, "fixed" | "certificate"> | undefined> {
  const { where, certificate, key } = user;
  const read = async (): Promise<ClientCertificate | undefined> => {
    const cert = await contentOf(certificate, where, "client-certificate");
    const secret = await contentOf(key, where, "client-key");
    if (cert === undefined) return undefined;
    if (secret === undefined) {
      throw new KubeconfigError(
        `${where}: client-certificate needs its key: add client-key or client-key-data`,
      );
    }
    return checkPair({ cert, key: secret }, `${where}: client-certificate`);
  };
  const first = await read();
  if (first === undefined) return undefined;
  if (certificate.file === undefined && key.file === undefined) return { fixed: first };

  let last = first;
  const files = new Rotating(
    `The client certificate ${certificate.file ?? key.file}`,
    async () => {
      const next = (await read()) ?? last;
      // A new object means new connections, so an unchanged certificate stays the same object.
      if (!equal(last.cert, next.cert) || !equal(last.key, next.key)) last = next;
      return last;
    },
    surroundings,
  );
  await files.get();
  return { certificate: () => files.get() };
}

function equal(one: string | Buffer, other: string | Buffer): boolean {
  return Buffer.from(one).equals(Buffer.from(other));
}

const authProviderReplacements = new Map([
  ["gcp", "install gke-gcloud-auth-plugin and run: gcloud container clusters get-credentials"],
  ["azure", "install kubelogin and run: kubelogin convert-kubeconfig"],
  ["oidc", "install the kubectl plugin oidc-login and run: kubectl oidc-login setup"],
]);

/** Kubernetes has replaced auth providers by exec plugins. */
function refuseAuthProvider(name: string, where: string): never {
  const wayOut = authProviderReplacements.get(name) ?? "use an exec plugin, a token or a client certificate";
  throw new KubeconfigError(
    `${where}: auth-provider ${JSON.stringify(name)} is not supported, since exec plugins have replaced it; ${wayOut}`,
  );
}
