import { duration } from "fettle";
import { definePlugin, HealthCheckCompleted, HealthCheckRequested } from "fettle/events";
import { z } from "zod";

/** Asks an endpoint for its health when a check is requested, and emits the result. */
export default definePlugin({
  name: "custom-health-checker",
  version: "1.0.0",
  config: z.object({
    endpoint: z.url(),
    timeout: z.string().default("5s").transform(duration),
  }),
  permissions: ["events:health_check.requested", "emit:health_check.completed", "http:*"],

  async onEvent(event, { config, http, signal }) {
    if (!HealthCheckRequested.is(event)) return undefined;
    const { endpoint, timeout } = config;
    const result = await http.get(endpoint, { timeout, signal }).then(
      ({ ok, status }) => ({ status: ok ? "healthy" : "unhealthy", message: `status ${status}` }),
      (error: Error) => ({ status: "unhealthy", message: error.message }),
    );
    return HealthCheckCompleted.event({ target: event.data?.target, result });
  },
});
