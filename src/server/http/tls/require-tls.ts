import { isLoopback } from "../auth/hosts.js";

/** The server cannot listen with these options; the message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Throws when the server would listen on a network without TLS: tokens must not be sent unencrypted. */
export function requireTlsUnlessLoopback(host: string, tls: boolean): void {
  if (tls || isLoopback(host)) return;
  throw new ListenError(
    `cannot listen on ${host} without TLS: tokens and objects would be sent unencrypted. ` +
      "Enable TLS (a certificate is created if none is given), or listen on 127.0.0.1.",
  );
}
