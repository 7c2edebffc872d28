import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "fettle/runtime";
import { prometheusText, type ControllerMetrics } from "./controller-metrics.js";

export const defaultStatusPort = 8080;
/** Longest time for the answer of `isReady` and of the metrics. */
const answerTimeout = 5000;

export interface StatusServerOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Port, 0 for any free one. Default: 8080, and no server if that is in use. A port that is set here has to be free. */
  readonly port?: number | undefined;
  readonly version: string;
  readonly metrics: Pick<ControllerMetrics, "values">;
  /** Problem because of which the operator is not ready; undefined if it is ready. */
  readonly isReady: () => Promise<string | undefined>;
  readonly log: Log;
}

export interface StatusServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:8080`; undefined if the default port was in use. */
  readonly url: string | undefined;
}

/**
 * Serves health, readiness and metrics of the controller of applications: `/health`, `/ready` and `/metrics`.
 *
 * @throws if the port was set and cannot be listened on.
 *
 * @example
 * await using server = await startStatusServer({ version, metrics, isReady: async () => undefined, log });
 */
export async function startStatusServer({
  host = "127.0.0.1",
  port,
  log,
  ...answers
}: StatusServerOptions): Promise<StatusServer> {
  const server = createServer((request, response) => {
    respond(answers, request, response).catch((error: unknown) => {
      log.warn({ err: error, path: request.url }, "a request for the status could not be answered");
      if (!response.headersSent) sendJson(response, 500, { error: "the status could not be read" });
      else response.destroy();
    });
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  try {
    await listen(server, host, port ?? defaultStatusPort);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const at = `${host}:${port ?? defaultStatusPort}`;
    if (port !== undefined) throw new Error(explain(code, at), { cause: error });
    if (code !== "EADDRINUSE") throw error;
    log.warn(
      { address: at },
      `/health, /ready and /metrics of the wasm operator are not served: ${at} is in use by another program. ` +
        "Everything else works. Set WASMBED_CONTROLLER_PORT to another port, or to 0 for any free one.",
    );
    return { url: undefined, async [Symbol.asyncDispose]() {} };
  }
  server.on("error", (error) => log.warn({ err: error }, "the status server has a problem"));
  const { port: actual } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${actual}`;
  log.info({ url }, "serving /health, /ready and /metrics");
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function explain(code: string | undefined, at: string): string {
  if (code === "EADDRINUSE")
    return `cannot serve /health, /ready and /metrics on ${at}: another program uses this port; set WASMBED_CONTROLLER_PORT to another one, or to 0 for any free one`;
  if (code === "EACCES")
    return `cannot serve /health, /ready and /metrics on ${at}: ports below 1024 need root; set WASMBED_CONTROLLER_PORT to a higher one`;
  return `cannot serve /health, /ready and /metrics on ${at} (${code ?? "unknown error"}): check WASMBED_CONTROLLER_HOST and WASMBED_CONTROLLER_PORT`;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

type Answers = Pick<StatusServerOptions, "version" | "metrics" | "isReady">;

async function respond(
  { version, metrics, isReady }: Answers,
  { method, url = "/", headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const about = (status: string) => ({
    status,
    timestamp: new Date().toISOString(),
    controller: "wasmbed-k8s-controller",
    version,
  });
  const [path] = url.split("?", 1);
  if (path !== "/health" && path !== "/ready" && path !== "/metrics")
    return sendJson(response, 404, { error: "not found: the paths are /health, /ready and /metrics" });
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return sendJson(response, 405, { error: "method not allowed: use GET" });
  }
  if (path === "/health") return sendJson(response, 200, about("healthy"));
  if (path === "/ready") {
    const problem = await inTime(isReady()).catch((error: unknown) => messageOf(error));
    if (problem === undefined) return sendJson(response, 200, about("ready"));
    return sendJson(response, 503, { ...about("not ready"), message: problem });
  }
  const values = await inTime(metrics.values());
  response.setHeader("Vary", "Accept");
  if (!wantsJson(headers.accept))
    return send(response, 200, "text/plain; version=0.0.4; charset=utf-8", prometheusText(values));
  const { deployment_success_rate: rate = null, average_reconciliation_time: time = null } = values;
  sendJson(response, 200, {
    ...about("healthy"),
    ...values,
    deployment_success_rate: rate,
    average_reconciliation_time: time,
  });
}

/** Whether JSON is accepted by name. Clients that accept anything get the text for Prometheus. */
function wantsJson(accept = ""): boolean {
  return accept.split(",").some((part) => part.split(";", 1)[0]?.trim() === "application/json");
}

function sendJson(response: ServerResponse, code: number, body: object): void {
  send(response, code, "application/json", `${JSON.stringify(body)}\n`);
}

/** Sends a body with its length. Node omits the body in the response to HEAD. */
function send(response: ServerResponse, code: number, type: string, body: string): void {
  response
    .writeHead(code, {
      "Content-Type": type,
      "Content-Length": Buffer.byteLength(body),
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    })
    .end(body);
}

/** Rejects after {@link answerTimeout}, so that a probe fails with a message before its own time is over. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${answerTimeout / 1000} s`)), answerTimeout);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
