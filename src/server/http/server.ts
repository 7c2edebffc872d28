import { createServer, ServerResponse, type IncomingMessage, type Server } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock, type Clock } from "../../model/core.js";
import type { Authenticate } from "./auth/authenticate.js";
import { HostCheck } from "./auth/hosts.js";
import { answerClientError, Connections, refuseExpectation } from "./connections.js";
import type { RequestPipeline } from "../request/pipeline.js";
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
import { requireTlsUnlessLoopback } from "./tls/require-tls.js";
import { socketWatch } from "./watch/serve-socket.js";

export interface HttpOptions {
  readonly pipeline: RequestPipeline;
  /** Default 127.0.0.1. Anything that is not of this machine needs TLS. */
  readonly host?: string | undefined;
  /** Default 0: one that is free. */
  readonly port?: number | undefined;
  /** Serves HTTP/2 and HTTP/1.1 over TLS. */
  readonly tls?: KeyPair | undefined;
  readonly authenticate: Authenticate;
  /** Names by which clients may reach the server, besides those of this machine and those in its certificate. */
  readonly hosts?: readonly string[] | undefined;
  /** Origins of pages that may talk to the server, besides its own. */
  readonly origins?: readonly string[] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  /** More for `/metrics`, such as what the store tells. */
  readonly metrics?: readonly MetricSource[] | undefined;
  /** More that is served beside the API. */
  readonly extensions?: readonly Extension[] | undefined;
  /** The version of this package, for `/version`. */
  readonly version?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Told of what went wrong inside: never of what a client did wrong. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The server while it listens. */
export interface HttpServer extends AsyncDisposable {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly port: number;
  /** Another certificate for connections from now on. */
  setCertificate(pair: KeyPair): void;
  /**
   * Stops listening, ends the watches, and waits for the requests that are being answered, but no longer than this
   * many milliseconds (default 10,000).
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
  const context: HttpContext = { pipeline, clock, limits, onError, watches: new Set() };
  const metrics = new RequestMetrics();
  const inFlight = new InFlight(limits, metrics, clock);
  let closing = false;
  let serverAddress: string | undefined;
  const handler = new Handler({
    context,
    types,
    hosts: new HostCheck({
      hosts: [host, ...(options.hosts ?? []), ...(tls === undefined ? [] : namesOf(tls.cert))],
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
  const connections = new Connections(server, limits);
  const handle = (request: HttpRequest, response: HttpResponse, expectsContinue = false): void => {
    if (closing) response.shouldKeepAlive = false;
    handler.handle(request, response, { expectsContinue });
  };
  // HTTP/2 brings requests and responses of its own that are used in the same way.
  server.on("request", (request, response) => handle(request as HttpRequest, response as HttpResponse));
  server.on("checkContinue", (request: HttpRequest, response: HttpResponse) =>
    handle(request, response, true),
  );
  server.on("checkExpectation", refuseExpectation);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    handleUpgrade(handler, request, socket, head);
  });
  server.on("clientError", answerClientError);

  const bound = await listen(server, port, host);
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  serverAddress = `${name.includes(":") ? `[${name}]` : name}:${bound.port}`;
  server.on("error", onError);

  const close = async (deadline = 10_000): Promise<void> => {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const watch of context.watches) watch.abort();
    connections.closeSessions();
    const timer = clock.after(deadline, () => connections.destroyAll());
    await Promise.race([handler.whenIdle(), closed]);
    connections.endAll();
    await closed;
    timer.cancel();
  };
  return {
    url: `${tls === undefined ? "http" : "https"}://${serverAddress}`,
    port: bound.port,
    setCertificate(pair) {
      checkKeyPair(pair);
      if ("setSecureContext" in server) server.setSecureContext({ cert: pair.cert, key: pair.key });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
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
    // Ours says what is wrong.
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
  // For clients that speak HTTP/1.1; Node reads these from the server, whatever its types say.
  return Object.assign(server, {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.receiveTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: checkingInterval(limits),
  });
}

/** How often Node looks for clients that send too slowly. */
function checkingInterval({ headersTimeout, receiveTimeout }: Limits): number {
  return Math.max(50, Math.min(5000, headersTimeout / 2, receiveTimeout / 2));
}

function listen(server: AnyServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // Many may come at once; beyond what the system keeps for us, clients believe to be connected and are not.
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** Not ready any more: who asks should send nothing new. */
function shutdownCheck(closing: () => boolean): HealthCheck {
  return {
    name: "shutdown",
    paths: ["readyz"],
    check() {
      if (closing()) throw new Error("process is shutting down");
    },
  };
}

/** Node hands over the bare connection; all but watches over WebSockets are answered as if nothing had been asked. */
function handleUpgrade(handler: Handler, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.on("error", () => socket.destroy());
  const { "content-length": length = "0", "transfer-encoding": coding, upgrade = "" } = request.headers;
  if (coding !== undefined || length !== "0") {
    // Nobody is left who would read the body.
    answerClientError(new Error("a request that asks for another protocol has a body"), socket);
    return;
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(request.socket);
  response.once("finish", () => request.socket.destroySoon());
  const isWebSocket = upgrade.toLowerCase() === "websocket";
  handler.handle(request, response, isWebSocket ? { watch: socketWatch(socket, head) } : {});
}
