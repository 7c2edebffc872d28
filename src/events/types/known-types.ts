import { z } from "zod";
import { eventType, type EventTypeDefinition } from "./event-type.js";
import { typeNames } from "./type-names.js";

/*
 * Event types that Fettle emits, or that come from the control loop for proxies. Data may have further fields: emitters of a later
 * version must not be refused.
 */

const configuration = z.looseObject({
  /** Name of the configuration. */
  id: z.string().optional(),
  configuration: z.record(z.string(), z.unknown()),
});

export const ConfigCreated = eventType("config.created", configuration);
export const ConfigUpdated = eventType("config.updated", configuration);
export const ConfigDeleted = eventType(
  "config.deleted",
  configuration.extend({ configuration: configuration.shape.configuration.optional() }),
);

const health = z.enum(["healthy", "degraded", "unhealthy", "unknown"]);

export const BackendHealthChanged = eventType(
  "backend.health.changed",
  z.looseObject({
    backend: z.string().min(1),
    status: health,
    previous: health.optional(),
    reason: z.string().optional(),
  }),
);

export const CertificateExpiring = eventType(
  "certificate.expiring",
  z.looseObject({
    certificate: z.string().min(1),
    /** Time in the format of RFC 3339. */
    expires: z.iso.datetime({ offset: true }),
  }),
);

export const RateLimitExceeded = eventType(
  "rate_limit.exceeded",
  z.looseObject({
    /** Client or zone that exceeded its limit. */
    key: z.string().min(1),
    /** Requests per second. */
    limit: z.number().positive().optional(),
  }),
);

export const SystemError = eventType(
  typeNames.systemError,
  z.looseObject({
    /** Part that failed, such as `subscription audit`. */
    component: z.string().min(1),
    message: z.string(),
  }),
);

export const HealthCheckRequested = eventType(
  typeNames.healthCheckRequested,
  z.looseObject({ target: z.string().optional() }).optional(),
);

export const HealthCheckCompleted = eventType(
  typeNames.healthCheckCompleted,
  z.looseObject({ target: z.string().optional(), result: z.unknown() }),
);

/** The health of this process changed. */
export const HealthChanged = eventType(
  typeNames.healthChanged,
  z.looseObject({ status: health, previous: health.optional(), reason: z.string().optional() }),
);

export const RunFinished = eventType(typeNames.runFinished, z.looseObject({}));

const alert = z.looseObject({
  /** Identifies the problem: while an alert with this key is active, no other one is raised. */
  key: z.string().min(1),
  severity: z.enum(["warning", "critical"]),
  title: z.string(),
  message: z.string(),
  /** Time at which the alert was raised. */
  since: z.iso.datetime({ offset: true }),
});

export const AlertRaised = eventType(typeNames.alertRaised, alert);
export const AlertResolved = eventType(
  typeNames.alertResolved,
  alert.extend({
    /** Events about the problem while the alert was active. */ count: z.number().int().min(1),
  }),
);

/** All types of this module. */
export const knownEventTypes: readonly EventTypeDefinition[] = [
  ConfigCreated,
  ConfigUpdated,
  ConfigDeleted,
  BackendHealthChanged,
  CertificateExpiring,
  RateLimitExceeded,
  SystemError,
  HealthCheckRequested,
  HealthCheckCompleted,
  HealthChanged,
  RunFinished,
  AlertRaised,
  AlertResolved,
] as readonly EventTypeDefinition[];
