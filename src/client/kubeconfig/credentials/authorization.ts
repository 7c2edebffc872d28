import { KubeconfigError } from "../kubeconfig-error.js";

/** Request for credentials; `renew` after a 401. */
export interface CredentialsRequest {
  readonly renew?: boolean;
  readonly signal?: AbortSignal;
}

/** Returns the Authorization header, if any. */
export type Authorization = (request: CredentialsRequest) => Promise<string | undefined>;

/** `what` names the token in the error, which never contains the token itself. */
export function bearer(token: string, what: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new KubeconfigError(
      `${what} has characters that a token cannot have: spaces, line breaks or characters outside of ASCII`,
    );
  }
  return `Bearer ${token}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
