import { failures } from "../../../model/core.js";
import type { HttpRequest } from "../exchange.js";
import type { User } from "../../access/user.js";

/**
 * Returns the user of a request; undefined without credentials. Throws a 401 ApiError for invalid credentials.
 */
export type Authenticate = (request: HttpRequest) => User | undefined;

/** Source of bearer tokens. */
export interface TokenSource {
  /** Finds the user of a token. Its timing must not depend on how much of a wrong token is right. */
  find(token: string): User | undefined;
  /** Changes whenever the tokens change. */
  readonly generation: number;
}

interface CachedUser {
  readonly credentials: string;
  readonly user: User;
  readonly generation: number;
}

const socketProtocol = "base64url.bearer.authorization.k8s.io.";

/** Authenticates bearer tokens in the `Authorization` header or, for WebSockets of browsers, in the subprotocols. */
export function bearerTokens(tokens: TokenSource): Authenticate {
  // The last token of each connection, so that it is looked up once.
  const cache = new WeakMap<object, CachedUser>();
  return (request) => {
    const token = tokenOf(request);
    if (token === undefined) return undefined;
    const connection = connectionOf(request);
    const cached = cache.get(connection);
    const { generation } = tokens;
    if (cached?.credentials === token && cached.generation === generation) return cached.user;
    const user = tokens.find(token);
    if (user === undefined) throw failures.unauthorized("Unauthorized");
    cache.set(connection, { credentials: token, user, generation });
    return user;
  };
}

/** Object that all requests of a connection share: the session of HTTP/2, the socket of HTTP/1. */
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
  // A browser expects one of its other subprotocols in the response, so there must be one.
  if (more.length > 0 || protocols.length === 1) throw failures.unauthorized("Unauthorized");
  return Buffer.from(encoded.slice(socketProtocol.length), "base64url").toString();
}

function protocolsOf(header: string): string[] {
  return header.split(",").map((protocol) => protocol.trim());
}

/** Selects the subprotocol of the response: the first that is not a token. */
export function publicProtocol(protocols: Iterable<string>): string | undefined {
  for (const protocol of protocols) if (!protocol.startsWith(socketProtocol)) return protocol;
  return undefined;
}
