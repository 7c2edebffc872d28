import type { ClientCertificate, Connection, ConnectionTls, HeaderLines } from "../transport/connection.js";
import type { Authorization } from "./credentials/authorization.js";

/** Parts of a connection. */
export interface ConnectionParts {
  readonly server: string;
  readonly namespace: string;
  readonly tls?: ConnectionTls | undefined;
  readonly proxy?: string | undefined;
  /** Constant headers. */
  readonly headers?: HeaderLines | undefined;
  readonly authorization?: Authorization | undefined;
  readonly certificate?: (() => Promise<ClientCertificate | undefined>) | undefined;
}

export function assemble(parts: ConnectionParts): Connection {
  const { server, namespace, tls, proxy, headers = {}, authorization, certificate } = parts;
  return {
    server,
    namespace,
    ...(tls !== undefined && Object.values(tls).some((value) => value !== undefined) ? { tls } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    async headers(request = {}) {
      request.signal?.throwIfAborted();
      const value = await authorization?.(request);
      return value === undefined ? headers : { ...headers, Authorization: value };
    },
    ...(certificate === undefined ? {} : { certificate }),
  };
}
