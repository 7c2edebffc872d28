import type { Clock, Duration } from "../../model/core.js";
import {
  startHealthMonitor,
  type HealthChange,
  type HealthMonitor,
} from "../../runtime/health/health-monitor.js";
import type { Log } from "../../runtime/log/log.js";
import type { MetricFamily } from "../../runtime/observe/metrics.js";
import { computedFamily, type Family } from "../../runtime/observe/metrics/family.js";
import type { PerformanceOptions } from "../../runtime/performance/options.js";
import {
  startPerformanceMonitor,
  type Alert,
  type PerformanceMonitor,
} from "../../runtime/performance/performance-monitor.js";
import type { Controllers } from "../../runtime/start/start-controllers.js";
import { diskCheck } from "./disk-check.js";
import { eventLoopCheck, eventLoopLag } from "./event-loop-check.js";
import { storeCheck, type TimedStore } from "./store-check.js";

export interface MonitoringOptions {
  /** Time between two runs of the health checks. Default: 15s. */
  readonly every?: Duration | undefined;
  /** Called when the overall status, or that of a check, has changed. */
  readonly onHealthChange?: ((change: HealthChange) => unknown) | undefined;
  /** Called when a threshold of `performance` raises an alert, and when the alert is resolved. */
  readonly onAlert?: ((alert: Alert) => unknown) | undefined;
}

interface MonitoredParts {
  readonly controllers: Controllers;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined for operators. */
  readonly store?: TimedStore | undefined;
  /** Folder whose disk is checked. */
  readonly folder?: string | undefined;
  readonly monitoring?: MonitoringOptions | undefined;
  readonly performance?: PerformanceOptions | undefined;
}

/** Health and performance of a control plane or an operator. */
export interface Monitoring {
  /** Runs the health checks at intervals, and on request. */
  readonly health: HealthMonitor;
  /** Undefined without the option `performance`. */
  readonly performance: PerformanceMonitor | undefined;
  /** Current values of the metrics of both. */
  families(): readonly MetricFamily[];
  stop(): void;
}

/** Adds the checks of the process to those of its controllers, and starts monitoring. Changes and alerts are logged, too. */
export function startMonitoring(parts: MonitoredParts): Monitoring {
  const { controllers, clock, log, store, folder, monitoring = {}, performance: measured } = parts;
  const { health } = controllers;
  // First, since its options may be invalid.
  const performance =
    measured === undefined ? undefined : measure(controllers, { ...measured, clock, log, monitoring });
  const lag = eventLoopLag();
  const degrading = { critical: false };
  const remove = [
    ...(store === undefined ? [] : [health.check("store", storeCheck(store, clock))]),
    ...(folder === undefined ? [] : [health.check("disk", diskCheck(folder), degrading)]),
    health.check("event-loop", eventLoopCheck(lag), degrading),
  ];
  const monitor = startHealthMonitor(health, {
    clock,
    every: monitoring.every,
    onChange: (change) => {
      logChange(log, change);
      return monitoring.onHealthChange?.(change);
    },
    onError: (error) => log.error({ err: error }, "onHealthChange failed"),
  });
  const families = healthFamilies(monitor);
  return {
    health: monitor,
    performance: performance?.monitor,
    families: () =>
      [...families, ...(performance?.monitor.families ?? [])].map((family) => ({
        name: family.name,
        help: family.help,
        type: family.type,
        samples: [...family.samples()],
      })),
    stop() {
      monitor.stop();
      performance?.stop();
      lag.stop();
      for (const each of remove) each();
    },
  };
}

function measure(
  controllers: Controllers,
  {
    clock,
    log,
    monitoring,
    ...options
  }: PerformanceOptions & Required<Pick<MonitoredParts, "clock" | "log">> & { monitoring: MonitoringOptions },
): { readonly monitor: PerformanceMonitor; stop(): void } {
  const monitor = startPerformanceMonitor({
    ...options,
    clock,
    onAlert(alert) {
      if (alert.state === "raised") log.warn({ alert: alert.name }, `alert raised: ${alert.message}`);
      else log.info({ alert: alert.name }, `alert resolved: ${alert.message}`);
      return monitoring.onAlert?.(alert);
    },
    onError: (error) => log.error({ err: error }, "onAlert failed"),
  });
  const existing = new Set(controllers.metrics?.families().map(({ name }) => name));
  const taken = monitor.families.find(({ name }) => existing.has(name));
  if (taken !== undefined) {
    monitor.stop();
    throw new RangeError(
      `performance metric ${taken.name}: there is a metric of that name already; choose another`,
    );
  }
  const unfollow = controllers.runs.follow(({ duration }) =>
    monitor.observe("reconciliation_duration", duration),
  );
  for (const handle of controllers.all) monitor.addQueue(handle.name, () => handle.loop?.queue.depth ?? 0);
  return {
    monitor,
    stop() {
      unfollow();
      monitor.stop();
    },
  };
}

function logChange(log: Log, { status, previous, checks }: HealthChange): void {
  const reasons = checks.map(
    (each) => `${each.name} is ${each.status}${each.message === "" ? "" : ` (${each.message})`}`,
  );
  const title =
    status === previous ? `health is still ${status}` : `health changed from ${previous} to ${status}`;
  const text = [title, ...reasons].join("; ");
  if (status === "healthy") log.info({ health: status }, text);
  else log.warn({ health: status }, text);
}

/** Health as of the newest report. */
function healthFamilies(monitor: HealthMonitor): readonly Family[] {
  return [
    computedFamily(
      "gauge",
      "fettle_health_check",
      "1 if a health check succeeds, 0 if it fails.",
      ["check"],
      (addSample) => {
        for (const { name, ok } of monitor.last?.checks ?? []) addSample(ok ? 1 : 0, name);
      },
    ),
    computedFamily(
      "gauge",
      "fettle_health_status",
      "Overall health: 1 for the current status, 0 for others.",
      ["status"],
      (addSample) => {
        if (monitor.last === undefined) return;
        for (const status of ["healthy", "degraded", "unhealthy"])
          addSample(monitor.last.status === status ? 1 : 0, status);
      },
    ),
  ];
}
