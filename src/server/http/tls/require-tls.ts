import { isLoopback } from "../auth/hosts.js";

/** A way of listening that is not safe; the message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Tokens must not cross a network in the clear: without TLS only this machine may reach the server. */
export function requireTlsUnlessLoopback(host: string, tls: boolean): void {
  if (tls || isLoopback(host)) return;
  throw new ListenError(
    `cannot listen on ${host} without TLS: tokens and objects would cross the network in the clear. ` +
      "Turn TLS on (a certificate is made if none is given), or listen on 127.0.0.1.",
  );
}
