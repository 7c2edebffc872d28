import { ConnectionError } from "../../transport.js";

/** Explanation and hint by error code. */
const causes: readonly (readonly [codes: readonly string[], what: string, wayOut: string])[] = [
  [["ECONNREFUSED"], "the connection was refused", "is the server running, and are host and port right?"],
  [["ENOTFOUND"], "the host name cannot be resolved", "is it right, and does this machine's DNS have it?"],
  [["EAI_AGAIN"], "the host name cannot be resolved at the moment", "can this machine reach its DNS server?"],
  [
    ["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"],
    "the host is unreachable",
    "is the address right, and is a VPN or a proxy needed?",
  ],
  [
    ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"],
    "the connection timed out",
    "is the address right, does a firewall drop the packets, and is a VPN or a proxy needed?",
  ],
  [
    [
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
    ],
    "its certificate is signed by an unknown authority",
    "set the CA certificate (certificate-authority in a kubeconfig)",
  ],
  [
    ["ERR_TLS_CERT_ALTNAME_INVALID"],
    "its certificate is not valid for this host name",
    "use a name of the certificate, or set the name to expect (tls-server-name in a kubeconfig)",
  ],
  [["CERT_HAS_EXPIRED"], "its certificate has expired", "renew it, and check this machine's clock"],
  [["CERT_NOT_YET_VALID"], "its certificate is not valid yet", "check this machine's clock"],
  [
    [
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "ERR_SSL_PACKET_LENGTH_TOO_LONG",
      // From Node 24 on.
      "ERR_SSL_DATA_LENGTH_TOO_LONG",
      "EPROTO",
    ],
    "it does not speak TLS",
    "is it http:// instead of https://?",
  ],
  [
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE"],
    "it requires a client certificate",
    "set one (client-certificate in a kubeconfig)",
  ],
  [
    ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
    "the connection was closed before the response was complete",
    "has the server been restarted?",
  ],
];

/** Error codes of transient failures. */
const transientCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
]);

/** True if a retry may succeed. */
export function isTransient(cause: unknown): boolean {
  return transientCodes.has(codeOf(cause) ?? "");
}

/** Error with the server, the problem and a hint. */
export function networkFailure(
  cause: unknown,
  { server, doing, after = "" }: { readonly server: string; readonly doing: string; readonly after?: string },
): ConnectionError {
  return new ConnectionError(`cannot ${doing} at ${server}: ${explain(cause)}${after}`, { cause });
}

/** Explanation of a network error, with its code for a web search. */
function explain(cause: unknown): string {
  const code = codeOf(cause);
  const text = messageOf(cause);
  if (cause instanceof Error && cause.name === "HTTPParserError") {
    return `${text}; is it https:// instead of http://?`;
  }
  const [, what, wayOut] = causes.find(([codes]) => codes.includes(code ?? "")) ?? [];
  if (what === undefined) return text;
  return `${what} (${code === "ERR_TLS_CERT_ALTNAME_INVALID" ? text : code}); ${wayOut}`;
}

function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  // Several addresses were tried; each has an error of its own.
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
