import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probe } from "../runtime/health/health.js";
import type { Monitoring } from "./monitoring/start-monitoring.js";
import type { Controllers } from "../runtime/start/start-controllers.js";

export interface HealthServerOptions {
  readonly controllers: Controllers;
  readonly monitoring: Pick<Monitoring, "families">;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Serves probes and metrics of controllers. */
export interface HealthServer {
  /** `http://127.0.0.1:8081` */
  readonly url: string;
  close(): Promise<void>;
}

const probes: ReadonlyMap<string, Probe | undefined> = new Map([
  ["/livez", "liveness"],
  ["/readyz", "readiness"],
  ["/healthz", "liveness"],
]);

/** Reports as JSON, with status 200 or 503. */
const reports: ReadonlyMap<string, Probe | undefined> = new Map([
  ["/health", undefined],
  ["/ready", "readiness"],
]);

/**
 * Serves `/livez`, `/readyz`, `/healthz` (a line per check; status 200 or 503), `/health` and `/ready` (the same as JSON; all checks,
 * and those of the readiness) and `/metrics`, without authentication since they contain no secrets.
 */
export async function startHealthServer({
  controllers,
  monitoring,
  host,
  port,
}: HealthServerOptions): Promise<HealthServer> {
  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    if (probes.has(path)) {
      const { status, checks } = await controllers.health.report(probes.get(path));
      const lines = checks.map(
        ({ name, ok, message }) => `[${ok ? "+" : "-"}] ${name}${message === "" ? "" : `: ${message}`}\n`,
      );
      send(response, status === "unhealthy" ? 503 : 200, `${status}\n${lines.join("")}`);
    } else if (reports.has(path)) {
      const report = await controllers.health.report(reports.get(path));
      const code = report.status === "unhealthy" ? 503 : 200;
      send(response, code, `${JSON.stringify(report, null, 2)}\n`, "application/json");
    } else if (path === "/metrics") {
      const { renderMetrics } = await import("../server/http/metrics/prometheus.js");
      const text = await renderMetrics([
        () => controllers.metrics?.families() ?? [],
        () => monitoring.families(),
      ]);
      send(response, 200, text, "text/plain; version=0.0.4; charset=utf-8");
    } else {
      send(
        response,
        404,
        `not found; available paths: ${[...probes.keys(), ...reports.keys(), "/metrics"].join(", ")}\n`,
      );
    }
  };
  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?");
    request.resume();
    if (request.method !== "GET" && request.method !== "HEAD") {
      send(response, 405, "method not allowed: use GET\n");
      return;
    }
    respond(path, response).catch((error: unknown) => send(response, 500, `${String(error)}\n`));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => resolve());
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(
  response: ServerResponse,
  code: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  if (response.headersSent) return;
  response.writeHead(code, { "Content-Type": type, "Cache-Control": "no-store" });
  response.end(text);
}
