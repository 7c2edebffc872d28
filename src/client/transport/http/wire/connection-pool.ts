import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type * as Undici from "undici";
import type { buildConnector, Dispatcher } from "undici";
import type { ClientCertificate, Connection } from "../../connection.js";

/** Maximum number of connections for requests; further requests wait. */
const maxConnections = 64;
const connectTimeout = 10_000;
/** Default keep-alive of idle connections; shorter than the idle timeout of common load balancers. */
const idleTimeout = 30_000;
/** Delay of TCP keep-alive probes, which detect a dead peer on an idle connection. */
const probeDelay = 30_000;

/** Dispatchers of one client certificate. */
export interface Dispatchers {
  readonly requests: Dispatcher;
  /**
   * Opens a connection for one watch, so that watches do not use up the connections of requests. The caller destroys it:
   * undici reconnects after the abort of a request, and only destroying closes the connection for good.
   */
  openWatch(): Dispatcher;
}

interface Certified extends Dispatchers {
  readonly certificate: ClientCertificate | undefined;
}

/**
 * Connections to one server. HTTP/1.1, one request at a time on each: a watch that is not read blocks only its own connection.
 * When the client certificate changes, requests use new connections, and the old ones close after their last response.
 */
export class ConnectionPool {
  readonly #connection: Connection;
  readonly #origin: string;
  readonly #sockets = new Set<Socket>();
  readonly #dispatchers = new Set<Dispatcher>();
  #current: Certified | undefined;
  #closed = false;

  constructor(connection: Connection, origin: string) {
    this.#connection = connection;
    this.#origin = origin;
  }

  /** Dispatchers for the current client certificate. */
  async dispatchers(): Promise<Dispatchers> {
    // Loading undici takes a fifth of a whole start, and a control plane that is its own client does not need it.
    const undici = await import("undici");
    const certificate = (await this.#connection.certificate?.()) ?? this.#connection.tls?.certificate;
    const current = this.#current;
    if (current !== undefined && isSame(current.certificate, certificate)) return current;
    this.#current = this.#open(undici, certificate);
    if (current !== undefined) {
      void current.requests.close().then(() => this.#dispatchers.delete(current.requests));
    }
    return this.#current;
  }

  /** Aborts all requests; resolves when all sockets are closed. */
  async close(reason: Error): Promise<void> {
    this.#closed = true;
    const ended = [...this.#dispatchers].map((dispatcher) => dispatcher.destroy(reason));
    // Undici waits for pending connects, which would keep the process alive.
    const gone = [...this.#sockets].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once("close", () => resolve());
          socket.destroy();
        }),
    );
    await Promise.all([...ended, ...gone]);
    this.#dispatchers.clear();
    this.#current = undefined;
  }

  /** Closes the connection of a watch. */
  async drop(watch: Dispatcher, reason: Error): Promise<void> {
    if (!this.#dispatchers.delete(watch)) return;
    await watch.destroy(reason);
  }

  #open(
    { buildConnector, Client, Pool, ProxyAgent }: typeof Undici,
    certificate: ClientCertificate | undefined,
  ): Certified {
    const { proxy, tls } = this.#connection;
    const secure = {
      timeout: connectTimeout,
      keepAliveInitialDelay: probeDelay,
      rejectUnauthorized: tls?.insecure !== true,
      ...(tls?.ca !== undefined && { ca: tls.ca }),
      ...(tls?.serverName !== undefined && { servername: tls.serverName }),
      ...(certificate !== undefined && { cert: certificate.cert, key: certificate.key }),
    } satisfies ConnectionOptions & buildConnector.BuildOptions;
    const options = {
      pipelining: 1,
      keepAliveTimeout: idleTimeout,
      // Timeouts are per call, on our clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    // One connector for all, so that TLS sessions are resumed.
    const connect = this.#tracked(buildConnector(secure));
    const open = (connections: number): Dispatcher => {
      if (proxy === undefined) return new Pool(this.#origin, { ...options, connections, connect });
      return new ProxyAgent({
        ...options,
        connections,
        uri: proxy,
        requestTls: secure,
        clientFactory: (origin, { connect }: { connect?: buildConnector.connector }) =>
          new Pool(origin, { connect: connect && this.#tracked(connect) }),
      });
    };
    const tracked = (dispatcher: Dispatcher): Dispatcher => {
      this.#dispatchers.add(dispatcher);
      return dispatcher;
    };
    return {
      certificate,
      requests: tracked(open(maxConnections)),
      openWatch: () =>
        tracked(proxy === undefined ? new Client(this.#origin, { ...options, connect }) : open(1)),
    };
  }

  #tracked(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      if (this.#closed) return callback(new Error("the transport is closed"), null);
      // Contrary to its type, the connector returns the socket before it is connected.
      const socket = connect(options, callback) as unknown as Socket;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    };
  }
}

function isSame(one: ClientCertificate | undefined, other: ClientCertificate | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return isSameText(one.cert, other.cert) && isSameText(one.key, other.key);
}

function isSameText(one: string | Buffer, other: string | Buffer): boolean {
  return one === other || one.toString() === other.toString();
}
