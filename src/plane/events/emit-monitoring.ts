import type { RunningEvents } from "../../events/create-events.js";
import type { DeliveryServices } from "../../events/bus/delivery.js";
import { causedBy } from "../../events/create-event.js";
import { typeNames } from "../../events/types/type-names.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import type { HealthChange } from "../../runtime/health/health-monitor.js";
import type { Alert } from "../../runtime/performance/performance-monitor.js";
import type { Monitoring, MonitoringOptions } from "../monitoring/start-monitoring.js";
import type { RunningEventFeed } from "./event-feed.js";

/** Options of monitoring that also emit changes of the health, and alerts, as events. */
export function emittingMonitoring(
  events: RunningEvents,
  options: MonitoringOptions = {},
): MonitoringOptions {
  const emit = (event: EventInput): void => {
    events.emit(event).catch((error: unknown) => events.reportError("monitoring", error));
  };
  return {
    ...options,
    onHealthChange(change) {
      emit(healthEvent(change));
      return options.onHealthChange?.(change);
    },
    onAlert(alert) {
      emit(alertEvent(alert));
      return options.onAlert?.(alert);
    },
  };
}

/**
 * Runs the health checks of the process when a `health_check.requested` event has no target, and emits `health_check.completed`. Returns a
 * function that ends that.
 */
export function answerHealthChecks(
  events: RunningEvents,
  feed: RunningEventFeed,
  { health }: Pick<Monitoring, "health">,
): () => void {
  return feed.subscribeAppended(typeNames.healthCheckRequested, (event) => {
    const { target } = (event.data ?? {}) as { readonly target?: unknown };
    if (target !== undefined) return;
    const answer = async (): Promise<void> => {
      const result = await health.check();
      await events.emit(causedBy({ type: typeNames.healthCheckCompleted, data: { result } }, event));
    };
    answer().catch((error: unknown) => events.reportError("health", error));
  });
}

function healthEvent({ status, previous, checks }: HealthChange): EventInput {
  const reason = checks.map((each) => `${each.name}: ${each.message || each.status}`).join("; ");
  return { type: typeNames.healthChanged, subject: "health", data: { status, previous, reason, checks } };
}

function alertEvent(alert: Alert): EventInput {
  const { name, state, message, raisedAt, metric, statistic, limit, value, unit } = alert;
  const data = {
    key: `performance/${name}`,
    severity: "warning",
    title: `${metric} ${statistic} above its limit`,
    message,
    since: new Date(raisedAt).toISOString(),
    metric,
    statistic,
    limit,
    value,
    unit,
  };
  return state === "raised"
    ? { type: typeNames.alertRaised, subject: name, data }
    : { type: typeNames.alertResolved, subject: name, data: { ...data, count: 1 } };
}

type OnHandled = NonNullable<DeliveryServices["onHandled"]>;

/** Observer of handlers that passes on the time that they took. */
export function bothHandled(
  onHandled: OnHandled | undefined,
  onTime: (milliseconds: number) => void,
): OnHandled {
  return (...call) => {
    onHandled?.(...call);
    onTime(call[2]);
  };
}
