import type { Controllers } from "../runtime/start/start-controllers.js";
import type { HealthCheck } from "../server/index.js";

/** What the controllers of a process say about themselves, among the checks of its server. */
export function controllerHealth(controllers: () => Controllers | undefined): readonly HealthCheck[] {
  const ask = (probe: "liveness" | "readiness") => async () => {
    const report = await controllers()?.health.report(probe);
    if (report === undefined || report.status !== "unhealthy") return;
    const failed = report.checks.filter(({ ok }) => !ok).map(({ name, message }) => `${name}: ${message}`);
    throw new Error(failed.join("; "));
  };
  return [
    { name: "controllers-alive", paths: ["livez", "healthz"], check: ask("liveness") },
    { name: "controllers-ready", paths: ["readyz"], check: ask("readiness") },
  ];
}
