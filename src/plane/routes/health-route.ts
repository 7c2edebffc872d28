import { fromStatus } from "../../model/core.js";
import type { CheckReport, Health, Probe } from "../../runtime/health/health.js";
import type { Extension, ExtensionRequest } from "../../server/index.js";
import type { UserAccess } from "../management/access.js";

export interface HealthRouteOptions {
  /** Parts that are started after the server; undefined until then. */
  readonly parts: () => { readonly health?: Health | undefined; readonly users?: UserAccess | undefined };
}

/**
 * Serves `/health` and `/ready` as JSON: healthy, degraded or unhealthy, with the result of each check. Everybody may read them, as
 * probes have no credentials; the reasons are for users with permission for the path.
 */
export function healthRoutes({ parts }: HealthRouteOptions): readonly Extension[] {
  const route = (path: string, probe: Probe | undefined): Extension => ({
    path,
    access: "own",
    async serve(request) {
      if (request.path !== "") return undefined;
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw fromStatus({ code: 405, reason: "MethodNotAllowed", message: `${path} allows GET` });
      }
      const { health, users } = parts();
      if (health === undefined) {
        return {
          code: 503,
          json: { status: "unhealthy", reasons: ["the control plane is starting"], checks: [] },
        };
      }
      const { status, at, checks } = await health.report(probe);
      const isShown = await mayReadReasons(request, path, users);
      const failing = checks.filter(({ ok }) => !ok);
      return {
        code: status === "unhealthy" ? 503 : 200,
        json: {
          status,
          timestamp: new Date(at).toISOString(),
          reasons: failing.map(({ name, message }) =>
            isShown && message !== "" ? `${name}: ${message}` : name,
          ),
          checks: checks.map((check) => shownCheck(check, isShown)),
        },
      };
    },
  });
  return [route("/health", undefined), route("/ready", "readiness")];
}

function shownCheck({ name, ok, critical, message, duration }: CheckReport, isShown: boolean): object {
  const status = ok ? "healthy" : critical ? "unhealthy" : "degraded";
  return isShown ? { name, status, message, duration } : { name, status };
}

async function mayReadReasons(
  { user }: ExtensionRequest,
  path: string,
  users: UserAccess | undefined,
): Promise<boolean> {
  try {
    await users?.checkAccess({ user, verb: "get", path });
    return users !== undefined;
  } catch {
    return false;
  }
}
