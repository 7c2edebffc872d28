import { createServer, ServerResponse, type IncomingMessage, type Server } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { systemClock, type Clock } from "../../model/core.js";
import { anonymous, type User } from "../access/user.js";
import type { Authenticate } from "./auth/authenticate.js";
import { HostCheck, isWildcard, namesOfHost, requireTlsUnlessLoopback } from "./auth/hosts.js";
import { rejectMalformed, Connections, rejectExpectation } from "./connections.js";
import type { RequestPipeline } from "../request/pipeline.js";
import { connectionAccepted } from "../event-loop/turns.js";
import type { HttpContext } from "./context.js";
import type { HttpRequest, HttpResponse } from "./exchange.js";
import { Handler } from "./handler.js";
import { InFlight } from "./limits/in-flight.js";
import { defaultLimits, type Limits } from "./limits/limits.js";
import type { MetricSource } from "./metrics/prometheus.js";
import { requestFamilies } from "./metrics/request-families.js";
import { RequestMetrics } from "./metrics/request-metrics.js";
import { Documents } from "./paths/documents.js";
import type { Extension } from "./paths/extension.js";
import type { HealthCheck } from "./paths/health.js";
import { versionInfo } from "./paths/version.js";
import { checkKeyPair, namesOf, type KeyPair } from "./tls/certificate.js";
import { SocketClosure } from "./socket/socket-connection.js";

export interface HttpOptions {
  readonly pipeline: RequestPipeline;
  /** Address to listen on. Default: 127.0.0.1; others than loopback require TLS. */
  readonly host?: string | undefined;
  /** Default: 0, any free port. */
  readonly port?: number | undefined;
  /** Certificate and key to serve HTTP/2 and HTTP/1.1 over TLS. Default: HTTP/1.1 without TLS. */
  readonly tls?: KeyPair | undefined;
  readonly authenticate: Authenticate;
  /** Host names that clients may use, besides loopback names and those in the certificate. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of web pages that may send requests, besides the server's own. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  /** Further metrics for `/metrics`, such as those of the store. */
  readonly metrics?: readonly MetricSource[] | undefined;
  /** Further paths served beside the Kubernetes API. */
  readonly extensions?: readonly Extension[] | undefined;
  /** Version of this package, for `/version`. */
  readonly version?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Receives errors of the server itself, never those of a client. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A listening HTTP server. */
export interface HttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** URL for clients on this machine, where the name in `url` may not resolve. */
  readonly localUrl: string;
  /** IP address by which clients reach the server: the one it listens on, or one of this machine if it listens on all. */
  readonly address: string;
  readonly port: number;
  /** Ends watches whose credential is no longer valid, or is now that of a user with other groups. */
  recheckCredentials(): void;
  /** Replaces the certificate for new connections. */
  setCertificate(pair: KeyPair): void;
  /**
   * Stops listening, ends watches, and waits for the responses under way, for at most `deadline` milliseconds
   * (default: 10,000).
   */
  close(deadline?: number): Promise<void>;
}

type AnyServer = Server | Http2SecureServer;

/** Serves the API over HTTP. */
export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { pipeline, host = "127.0.0.1", port = 0, tls, clock = systemClock, onError = () => {} } = options;
  requireTlsUnlessLoopback(host, tls !== undefined);
  if (tls !== undefined) checkKeyPair(tls);
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const { types } = pipeline.registry;
  const context: HttpContext = { pipeline, clock, limits, onError, watches: new Map() };
  const metrics = new RequestMetrics();
  const inFlight = new InFlight(limits, metrics.dropped, clock);
  let closing = false;
  let serverAddress: string | undefined;
  const handler = new Handler({
    context,
    types,
    hosts: new HostCheck({
      hosts: [
        ...namesOfHost(host),
        ...(options.hosts ?? []),
        ...(tls === undefined ? [] : namesOf(tls.cert)),
      ],
      origins: options.origins ?? [],
    }),
    authenticate: options.authenticate,
    inFlight,
    metrics,
    metricSources: [requestFamilies(metrics, inFlight), ...(options.metrics ?? [])],
    documents: new Documents(types, () => serverAddress),
    health: {
      checks: [...(options.healthChecks ?? []), shutdownCheck(() => closing)],
      onFailure: onError,
    },
    version: versionInfo(options.version ?? "0.0.0"),
    extensions: options.extensions ?? [],
  });

  const server = tls === undefined ? plainServer(limits) : secureServer(tls, limits);
  server.on("connection", connectionAccepted);
  const connections = new Connections(server, limits);
  const handle = (request: HttpRequest, response: HttpResponse, expectsContinue = false): void => {
    if (closing) response.shouldKeepAlive = false;
    handler.handle(request, response, { expectsContinue });
  };
  // HTTP/2 has classes of its own for requests and responses, with the same methods.
  server.on("request", (request, response) => handle(request as HttpRequest, response as HttpResponse));
  server.on("checkContinue", (request: HttpRequest, response: HttpResponse) =>
    handle(request, response, true),
  );
  server.on("checkExpectation", rejectExpectation);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    handleUpgrade(handler, request, socket, head);
  });
  server.on("clientError", rejectMalformed);

  const bound = await listen(server, port, host);
  const name = isWildcard(host) ? publicName(options) : host;
  const authorityOf = (each: string): string => `${each.includes(":") ? `[${each}]` : each}:${bound.port}`;
  serverAddress = authorityOf(name);
  const scheme = tls === undefined ? "http" : "https";
  server.on("error", onError);

  const close = async (deadline = 10_000): Promise<void> => {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const stopping = new SocketClosure(1001, "the server is shutting down");
    for (const watch of context.watches.keys()) watch.abort(stopping);
    connections.closeSessions();
    const timer = clock.after(deadline, () => connections.destroyAll());
    await Promise.race([handler.whenIdle(), closed]);
    connections.endAll();
    await closed;
    timer.cancel();
  };
  return {
    url: `${scheme}://${serverAddress}`,
    address: reachableAddress(bound.address),
    localUrl: `${scheme}://${authorityOf(isWildcard(host) ? "localhost" : host)}`,
    port: bound.port,
    recheckCredentials: () => endRevoked(context.watches, options.authenticate),
    setCertificate(pair) {
      checkKeyPair(pair);
      if ("setSecureContext" in server) server.setSecureContext({ cert: pair.cert, key: pair.key });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Name in the URL of a server that listens on all addresses: the first that clients can use, given or in the certificate. */
function publicName({ hosts = [], tls }: HttpOptions): string {
  const certified = tls === undefined ? [] : namesOf(tls.cert);
  const names = [...hosts, ...(certified.includes("localhost") ? [] : certified)];
  return names.find((each) => !each.startsWith("*")) ?? "localhost";
}

function endRevoked(watches: HttpContext["watches"], authenticate: Authenticate): void {
  for (const [watch, { request, user }] of watches) {
    if (user !== undefined && !isSameUser(user, authenticatedUser(authenticate, request)))
      watch.abort(new SocketClosure(1008, "the token is no longer valid, or its user has changed"));
  }
}

function authenticatedUser(authenticate: Authenticate, request: HttpRequest): User | undefined {
  try {
    return authenticate(request) ?? anonymous;
  } catch {
    return undefined;
  }
}

function isSameUser(one: User, other: User | undefined): boolean {
  return one.name === other?.name && one.uid === other.uid && String(one.groups) === String(other.groups);
}

function plainServer(limits: Limits): Server {
  return createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.receiveTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: checkingInterval(limits),
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
    // The handler checks it, and responds with a Status.
    requireHostHeader: false,
  });
}

function secureServer({ cert, key }: KeyPair, limits: Limits): Http2SecureServer {
  const server = createSecureServer({
    allowHTTP1: true,
    cert,
    key,
    minVersion: "TLSv1.2",
    handshakeTimeout: limits.headersTimeout,
    settings: { maxConcurrentStreams: 1000, maxHeaderListSize: limits.headerBytes },
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
  });
  // For clients of HTTP/1.1: Node reads these from the server object, though its types do not have them.
  return Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.receiveTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: checkingInterval(limits),
  });
}

/** Milliseconds between Node's checks for clients that exceed the timeouts. */
function checkingInterval({ headersTimeout, receiveTimeout }: Limits): number {
  return Math.max(50, Math.min(5000, headersTimeout / 2, receiveTimeout / 2));
}

function listen(server: AnyServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Many clients may connect at once. Beyond the backlog, they believe to be connected and are not.
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function reachableAddress(address: string): string {
  if (address !== "0.0.0.0" && address !== "::") return address;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === "IPv4");
  return outside?.address ?? "127.0.0.1";
}

/** Makes `/readyz` fail during shutdown, so that load balancers send no new requests. */
function shutdownCheck(closing: () => boolean): HealthCheck {
  return {
    name: "shutdown",
    paths: ["readyz"],
    check() {
      if (closing()) throw new Error("process is shutting down");
    },
  };
}

/** Handles `Upgrade` requests, for which Node provides only the socket. Watches and extensions are upgraded, to WebSockets. */
function handleUpgrade(handler: Handler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on("error", () => socket.destroy());
  const { "content-length": length = "0", "transfer-encoding": coding, upgrade = "" } = request.headers;
  if (coding !== undefined || length !== "0") {
    // Node parses no body after an upgrade.
    rejectMalformed(new Error("an upgrade request has a body"), socket);
    return;
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(request.socket);
  response.once("finish", () => request.socket.destroySoon());
  const isWebSocket = upgrade.toLowerCase() === "websocket";
  handler.handle(request, response, isWebSocket ? { upgrade: { socket, head } } : {});
}
