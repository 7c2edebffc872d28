import { duration, type Duration } from "../../../model/core.js";
import type { CloudEvent } from "../../../model/cloud-events/cloud-event.js";
import {
  BackendHealthChanged,
  CertificateExpiring,
  HealthChanged,
  RateLimitExceeded,
  SystemError,
} from "../../types/known-types.js";

/** What an event says about a problem. */
export interface AlertSignal {
  /** Identifies the problem. */
  readonly key: string;
  /** `ok`: the problem is over. */
  readonly state: "firing" | "ok";
  readonly severity: "warning" | "critical";
  readonly title: string;
  readonly message: string;
  /** Milliseconds without such an event after which the problem counts as over; for problems whose end causes no event. */
  readonly quietAfter?: number | undefined;
}

type HealthStatus = "healthy" | "degraded" | "unhealthy" | "unknown";

/** Reads what an event says about a problem; undefined if it is about none. */
export function alertSignal(event: CloudEvent, quiet: Duration): AlertSignal | undefined {
  const quietAfter = duration(quiet);
  if (SystemError.is(event) && event.data !== undefined) {
    const { component, message } = event.data;
    const title = `Error in ${component}`;
    return {
      key: `system.error/${component}`,
      state: "firing",
      severity: "critical",
      title,
      message,
      quietAfter,
    };
  }
  if (CertificateExpiring.is(event) && event.data !== undefined) {
    const { certificate, expires } = event.data;
    return {
      key: `certificate.expiring/${certificate}`,
      state: "firing",
      severity: "warning",
      title: `Certificate ${certificate} expires`,
      message: `It is valid until ${expires}.`,
      // Who checks certificates does so once a day.
      quietAfter: Math.max(quietAfter, duration("2d")),
    };
  }
  if (RateLimitExceeded.is(event) && event.data !== undefined) {
    const { key, limit } = event.data;
    const message =
      limit === undefined
        ? "It sends too many requests."
        : `It sends more than ${limit} requests per second.`;
    const title = `${key} exceeds its rate limit`;
    return {
      key: `rate_limit.exceeded/${key}`,
      state: "firing",
      severity: "warning",
      title,
      message,
      quietAfter,
    };
  }
  if (BackendHealthChanged.is(event) && event.data !== undefined) {
    const { backend, status, reason } = event.data;
    return healthSignal(`backend.health/${backend}`, `Backend ${backend}`, status, reason);
  }
  if (HealthChanged.is(event) && event.data !== undefined) {
    return healthSignal(`health/${event.source}`, "The control plane", event.data.status, event.data.reason);
  }
  return undefined;
}

function healthSignal(
  key: string,
  what: string,
  status: HealthStatus,
  reason: string | undefined,
): AlertSignal | undefined {
  if (status === "unknown") return undefined;
  return {
    key,
    state: status === "healthy" ? "ok" : "firing",
    severity: status === "unhealthy" ? "critical" : "warning",
    title: `${what} is ${status}`,
    message: reason ?? "",
  };
}
