import { KubeconfigError } from "../kubeconfig-error.js";

/** What is asked for with every request. `renew` when the server did not accept the last answer. */
export interface CredentialsRequest {
  readonly renew?: boolean;
  readonly signal?: AbortSignal;
}

/** The Authorization header, if any. */
export type Authorization = (request: CredentialsRequest) => Promise<string | undefined>;

/** `what` names the token in the message; the token itself is never shown. */
export function bearer(token: string, what: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new KubeconfigError(
      `${what} has characters that a token cannot have: spaces, line breaks or letters beyond ASCII`,
    );
  }
  return `Bearer ${token}`;
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
