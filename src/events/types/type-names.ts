/** Names of event types that Fettle emits itself, apart from their schemas: these take a while to load. */
export const typeNames = {
  alertRaised: "alert.raised",
  alertResolved: "alert.resolved",
  healthChanged: "dev.fettle.health.changed",
  healthCheckCompleted: "health_check.completed",
  healthCheckRequested: "health_check.requested",
  runFinished: "dev.fettle.run.finished",
  systemError: "system.error",
} as const;
