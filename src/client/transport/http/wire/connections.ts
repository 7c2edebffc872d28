import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type * as Undici from "undici";
import type { buildConnector, Dispatcher } from "undici";
import type { ClientCertificate, Connection } from "../../connection.js";

/** More requests at a time wait for a connection to become free. */
const mostConnections = 64;
const connectTimeout = 10_000;
/** Unless the server says how long it keeps idle connections. Shorter than what load balancers forget them after. */
const keepIdleFor = 30_000;
/** A peer that is gone without a word is noticed by TCP, also while nothing is sent. */
const probeAfter = 30_000;

/** Connections that are made with one certificate. */
export interface Lines {
  readonly requests: Dispatcher;
  /**
   * A connection for one watch alone, so that any number of them leaves the requests theirs. Whoever opens it destroys it:
   * undici answers the abort of a request with a new connection, and destroying is the one way to hang up for good.
   */
  openWatch(): Dispatcher;
}

interface Certified extends Lines {
  readonly certificate: ClientCertificate | undefined;
}

/**
 * The connections to one server. HTTP/1.1, one request at a time on each: a watch that is not read stops only its own.
 * When the client certificate changes, requests go over new connections and the old ones end with what runs on them.
 */
export class Connections {
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

  /** Where to send the next request. */
  async lines(): Promise<Lines> {
    // Loading it takes as long as a fifth of a whole start, and a control plane that is its own client needs none of it.
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

  /** Ends what is under way and resolves when no socket is left. */
  async close(reason: Error): Promise<void> {
    this.#closed = true;
    const ended = [...this.#dispatchers].map((dispatcher) => dispatcher.destroy(reason));
    // Undici waits for connections that are just being made; these would keep the process for nobody.
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

  /** Hangs up on a watch. */
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
      keepAliveInitialDelay: probeAfter,
      rejectUnauthorized: tls?.insecure !== true,
      ...(tls?.ca !== undefined && { ca: tls.ca }),
      ...(tls?.serverName !== undefined && { servername: tls.serverName }),
      ...(certificate !== undefined && { cert: certificate.cert, key: certificate.key }),
    } satisfies ConnectionOptions & buildConnector.BuildOptions;
    const options = {
      pipelining: 1,
      keepAliveTimeout: keepIdleFor,
      // How long is too long depends on the call, and is measured on our clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    // One for all, so that TLS sessions are resumed.
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
      requests: tracked(open(mostConnections)),
      openWatch: () =>
        tracked(proxy === undefined ? new Client(this.#origin, { ...options, connect }) : open(1)),
    };
  }

  #tracked(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      if (this.#closed) return callback(new Error("the transport is closed"), null);
      // The type does not say so, but the socket is handed back before it is connected.
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
