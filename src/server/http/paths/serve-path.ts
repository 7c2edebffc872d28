import type { ResourceTypes } from "../../resources/resource-types.js";
import { send, sendRawJson } from "../response/send.js";
import type { Exchange } from "../exchange.js";
import { renderMetrics, type MetricSource } from "../metrics/prometheus.js";
import type { RequestMetrics } from "../metrics/request-metrics.js";
import { PageNotFound } from "../../request/resolve.js";
import type { Documents } from "./documents.js";
import { healthPath, serveHealth, type HealthChecks } from "./health.js";
import type { VersionInfo } from "./version.js";

/** Parts of the server behind paths without a resource. */
export interface PathParts {
  readonly types: ResourceTypes;
  readonly metrics: RequestMetrics;
  readonly metricSources: readonly MetricSource[];
  readonly documents: Documents;
  readonly health: HealthChecks;
  readonly version: VersionInfo;
}

/** Responds at paths without a resource: health, version, metrics, discovery, OpenAPI. */
export function servePath(parts: PathParts, exchange: Exchange, path: string): void | Promise<void> {
  const { documents, health, version, metrics, metricSources } = parts;
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw new PageNotFound();
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const target = healthPath(plain);
  if (target !== undefined) {
    exchange.series = metrics.ofPath(`/${target.path}`);
    const responding = serveHealth(exchange, target, health);
    if (responding === undefined) throw new PageNotFound();
    return responding;
  }
  switch (plain) {
    case "/version":
      exchange.series = metrics.ofPath(plain);
      return sendRawJson(exchange, 200, version);
    case "/metrics":
      exchange.series = metrics.ofPath(plain);
      return renderMetrics(metricSources).then((text) => {
        return send(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", text);
      });
    case "/":
    case "/index.html":
      exchange.series = metrics.ofPath("/");
      return sendRawJson(exchange, 200, { paths: rootPaths(parts) });
  }
  exchange.series = metrics.ofPath(plain.startsWith("/openapi/") ? "/openapi" : "");
  const served = documents.serve(exchange, plain);
  if (served === false) throw new PageNotFound();
  return served;
}

/** Sorted list of all paths, as `/` shows it. */
function rootPaths({ types, health }: PathParts): string[] {
  const paths = new Set(["/api", "/apis", "/metrics", "/openapi/v2", "/openapi/v3", "/version"]);
  for (const { group, version } of types.all) {
    if (group === "") paths.add(`/api/${version}`);
    else paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  for (const path of ["healthz", "livez", "readyz"] as const) {
    paths.add(`/${path}`).add(`/${path}/ping`);
    for (const { name, paths: only } of health.checks) {
      if (only?.includes(path) ?? true) paths.add(`/${path}/${name}`);
    }
  }
  return [...paths].sort();
}
