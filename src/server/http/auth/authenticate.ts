import { failures } from "../../../model/core.js";
import type { HttpRequest } from "../exchange.js";
import type { User } from "../../access/user.js";

/**
 * Says who sent a request; undefined when it brings no credentials. Throws a 401 ApiError when it brings some that are
 * wrong.
 */
export type Authenticate = (request: HttpRequest) => User | undefined;

/** Where tokens are looked up. */
export interface TokenSource {
  /** The user that has a token, if there is one. Must not tell by its timing how near a wrong one comes. */
  find(token: string): User | undefined;
  /** Changes whenever another answer is possible. */
  readonly generation: number;
}

interface Remembered {
  readonly credentials: string;
  readonly user: User;
  readonly generation: number;
}

const socketProtocol = "base64url.bearer.authorization.k8s.io.";

/** Bearer tokens, in the `Authorization` header or, for WebSockets in browsers, among the subprotocols. */
export function bearerTokens(tokens: TokenSource): Authenticate {
  // Whoever has shown a token on a connection may show it again without it being looked up again.
  const remembered = new WeakMap<object, Remembered>();
  return (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const connection = connectionOf(request);
    const known = remembered.get(connection);
    const { generation } = tokens;
    if (known?.credentials === token && known.generation === generation) return known.user;
    const user = tokens.find(token);
    if (user === undefined) throw failures.unauthorized("Unauthorized");
    remembered.set(connection, { credentials: token, user, generation });
    return user;
  };
}

/** All requests of one HTTP/2 session share it, as those of an HTTP/1 connection share their socket. */
function connectionOf(request: HttpRequest): object {
  const { stream } = request as { stream?: { session?: object } };
  return stream?.session ?? request.socket;
}

function tokenOf(request: HttpRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const [scheme = "", token] = authorization.trim().split(" ", 2);
    if (token && scheme.toLowerCase() === "bearer") return token;
  }
  const { "sec-websocket-protocol": protocols, upgrade } = request.headers;
  return protocols === undefined || upgrade === undefined ? undefined : protocolToken(protocols);
}

function protocolToken(header: string): string | undefined {
  const protocols = protocolsOf(header);
  const [encoded, ...more] = protocols.filter((protocol) => protocol.startsWith(socketProtocol));
  if (encoded === undefined) return undefined;
  // One of the others is sent back; a browser takes no answer without one.
  if (more.length > 0 || protocols.length === 1) throw failures.unauthorized("Unauthorized");
  return Buffer.from(encoded.slice(socketProtocol.length), "base64url").toString();
}

function protocolsOf(header: string): string[] {
  return header.split(",").map((protocol) => protocol.trim());
}

/** The subprotocol to agree on: the first that is no credential. */
export function publicProtocol(protocols: Iterable<string>): string | undefined {
  for (const protocol of protocols) if (!protocol.startsWith(socketProtocol)) return protocol;
  return undefined;
}
