import { ConnectionError } from "../../transport.js";

/** What went wrong, and what can be done about it, by the code of an error. */
const causes: readonly (readonly [codes: readonly string[], what: string, wayOut: string])[] = [
  [["ECONNREFUSED"], "the connection was refused", "is the server running, and are host and port right?"],
  [["ENOTFOUND"], "its name is not known", "is the host name right, and does this machine's DNS know it?"],
  [["EAI_AGAIN"], "its name could not be looked up for now", "does this machine reach its DNS server?"],
  [
    ["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"],
    "there is no way to it from here",
    "is the address right, and is a VPN or a proxy needed?",
  ],
  [
    ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"],
    "nothing answers there",
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
    "its certificate is signed by an authority that is not known here",
    "give the authority's certificate (certificate-authority in a kubeconfig)",
  ],
  [
    ["ERR_TLS_CERT_ALTNAME_INVALID"],
    "its certificate is for other names",
    "use one of these names, or say which to expect (tls-server-name in a kubeconfig)",
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
    "it wants a client certificate",
    "give one (client-certificate in a kubeconfig)",
  ],
  [
    ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
    "the connection was closed before the answer was complete",
    "has the server been restarted?",
  ],
];

/** These come and go; anything else stays until somebody repairs it. */
const passing = new Set([
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

/** Whether another try may do better. */
export function isPassing(cause: unknown): boolean {
  return passing.has(codeOf(cause) ?? "");
}

/** The error for people: which server, what went wrong, and the likely way out. */
export function networkFailure(
  cause: unknown,
  { server, doing, after = "" }: { readonly server: string; readonly doing: string; readonly after?: string },
): ConnectionError {
  return new ConnectionError(`cannot ${doing} at ${server}: ${explain(cause)}${after}`, { cause });
}

/** What the network said, in words; with the code, by which the web can be searched. */
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
  // Several addresses were tried, and each has its own error.
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
